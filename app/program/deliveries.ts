import { type Command, Option } from 'commander';
import { collectIds, numberUpTo, positiveInteger } from '../cli/arguments.js';
import {
  command,
  examples,
  jsonOption,
  optionalOrganizationOption,
  restingStates,
  sinceOption,
  untilOption,
} from './options.js';

export function addDeliveryCommands(program: Command): void {
  const deliveries = command(program, 'deliveries', 'list and show webhook deliveries, and send them again');
  command(deliveries, 'list', 'list deliveries, newest first')
    .addOption(optionalOrganizationOption())
    .addOption(
      new Option('--state <state>', 'only deliveries in this state').choices([
        'pending',
        'sending',
        ...restingStates,
      ]),
    )
    .addOption(sinceOption())
    .addOption(
      new Option('--limit <number>', 'maximum number of deliveries, up to 1000')
        .argParser(numberUpTo(1000))
        .default(20),
    )
    .option('--body', 'show the body of each event too; it contains personal data')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall deliveries list --state failed --since 24h',
        'rollcall deliveries list --json --limit 1',
      ),
    )
    .action(async (options) => (await import('../cli/deliveries.js')).listDeliveriesCommand(options));
  command(deliveries, 'show', 'show one delivery with what each attempt sent and what was answered')
    .argument('<id>', 'id of the delivery', positiveInteger)
    .addOption(optionalOrganizationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The output contains personal data: the body of the event, and the beginning of
each response. The newest 20 attempts are shown.
${examples('rollcall deliveries show 17', 'rollcall deliveries show 17 --json')}`,
    )
    .action(async (id, options) =>
      (await import('../cli/deliveries.js')).showDeliveryCommand({ id, ...options }),
    );
  command(deliveries, 'redeliver', 'send events again: same body and event id, current URL and secret')
    .argument('[id...]', 'ids of deliveries', collectIds)
    .addOption(
      new Option('--state <state...>', 'all deliveries in these states except tests; needs --since').choices(
        restingStates,
      ),
    )
    .option('--failed', 'short for --state failed')
    .addOption(sinceOption())
    .addOption(untilOption())
    .addOption(
      new Option('--phase <phase>', 'only deliveries whose last attempt ended in this phase').choices([
        'address',
        'lookup',
        'connect',
        'tls',
        'request',
        'answer',
      ]),
    )
    .addOption(
      new Option('--status <status>', 'only deliveries whose last response had this HTTP status').argParser(
        numberUpTo(999),
      ),
    )
    .option(
      '--reason <text>',
      "only deliveries with this text in the last attempt's reason, such as interrupted",
    )
    .addOption(optionalOrganizationOption())
    .option('--dry-run', 'only count the deliveries that match')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall deliveries redeliver 17 18',
        'rollcall deliveries redeliver --state failed --since 24h --status 503 --dry-run',
        'rollcall deliveries redeliver --state failed --since 24h --reason interrupted',
      ),
    )
    .action(async (ids, options) =>
      (await import('../cli/deliveries.js')).redeliverCommand({ ids, ...options }),
    );
  addHold(deliveries);
}

function addHold(deliveries: Command): void {
  command(deliveries, 'release', 'send or drop events that were held after a restore')
    .option('--send', 'send them: same body and event id, current URL and secret')
    .option('--drop', 'do not send them; they stay in the log as skipped')
    .addOption(sinceOption())
    .addOption(untilOption())
    .addOption(optionalOrganizationOption())
    .option('--dry-run', 'only count the deliveries that match')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall deliveries list --state held',
        'rollcall deliveries release --send --since 2026-11-20T18:00:00Z',
        'rollcall deliveries release --drop --organization 1',
      ),
    )
    .action(async (options) => (await import('../cli/deliveries.js')).releaseCommand(options));
  command(deliveries, 'hold', 'hold all pending events, when it is unknown which were already sent')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Run this before the first start on a database that was restored with all its
files, such as from a disk snapshot or a base backup. "rollcall serve"
recognizes other restored databases by itself, but not these. Stop every server
of the database first.
${examples('rollcall deliveries hold')}`,
    )
    .action(async (options) => (await import('../cli/deliveries.js')).holdCommand(options));
}
