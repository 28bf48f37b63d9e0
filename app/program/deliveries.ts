import { type Command, Option } from 'commander';
import { collectIds, numberUpTo, positiveInteger } from '../cli/arguments.js';
import {
  command,
  group,
  numberOption,
  optionalOrganizationOption,
  restingStates,
  sinceOption,
  untilOption,
} from './options.js';

const phases = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'];

export function addDeliveryCommands(program: Command): void {
  const deliveries = group(program, 'deliveries', 'list and show webhook deliveries, and send them again');
  command(deliveries, 'list', 'list deliveries, newest first', {
    options: [
      optionalOrganizationOption(),
      new Option('--state <state>', 'only deliveries in this state').choices([
        'pending',
        'sending',
        ...restingStates,
      ]),
      sinceOption(),
      numberOption('--limit <number>', 'maximum number of deliveries, up to 1000', numberUpTo(1000)).default(
        20,
      ),
      new Option('--body', 'show the body of each event too; it contains personal data'),
    ],
    examples: [
      'rollcall deliveries list --state failed --since 24h',
      'rollcall deliveries list --json --limit 1',
    ],
  }).action(async (options) => (await import('../cli/deliveries.js')).listDeliveriesCommand(options));
  command(deliveries, 'show', 'show one delivery with what each attempt sent and what was answered', {
    options: [optionalOrganizationOption()],
    details: `
The output contains personal data: the body of the event, and the beginning of
each response. The newest 20 attempts are shown.
`,
    examples: ['rollcall deliveries show 17', 'rollcall deliveries show 17 --json'],
  })
    .argument('<id>', 'id of the delivery', positiveInteger)
    .action(async (id, options) =>
      (await import('../cli/deliveries.js')).showDeliveryCommand({ id, ...options }),
    );
  command(deliveries, 'redeliver', 'send events again: same body and event id, current URL and secret', {
    options: [
      new Option('--state <state...>', 'all deliveries in these states except tests; needs --since').choices(
        restingStates,
      ),
      new Option('--failed', 'short for --state failed'),
      sinceOption(),
      untilOption(),
      new Option('--phase <phase>', 'only deliveries whose last attempt ended in this phase').choices(phases),
      numberOption(
        '--status <status>',
        'only deliveries whose last response had this HTTP status',
        numberUpTo(999),
      ),
      new Option(
        '--reason <text>',
        "only deliveries with this text in the last attempt's reason, such as interrupted",
      ),
      optionalOrganizationOption(),
      new Option('--dry-run', 'only count the deliveries that match'),
    ],
    examples: [
      'rollcall deliveries redeliver 17 18',
      'rollcall deliveries redeliver --state failed --since 24h --status 503 --dry-run',
      'rollcall deliveries redeliver --state failed --since 24h --reason interrupted',
    ],
  })
    .argument('[id...]', 'ids of deliveries', collectIds)
    .action(async (ids, options) =>
      (await import('../cli/deliveries.js')).redeliverCommand({ ids, ...options }),
    );
  command(deliveries, 'release', 'send or drop events that were held after a restore', {
    options: [
      new Option('--send', 'send them: same body and event id, current URL and secret'),
      new Option('--drop', 'do not send them; they stay in the log as skipped'),
      sinceOption(),
      untilOption(),
      optionalOrganizationOption(),
      new Option('--dry-run', 'only count the deliveries that match'),
    ],
    examples: [
      'rollcall deliveries list --state held',
      'rollcall deliveries release --send --since 2026-11-20T18:00:00Z',
      'rollcall deliveries release --drop --organization 1',
    ],
  }).action(async (options) => (await import('../cli/deliveries.js')).releaseCommand(options));
  command(deliveries, 'hold', 'hold all pending events, when it is unknown which were already sent', {
    details: `
Run this before the first start on a database that was restored with all its
files, such as from a disk snapshot or a base backup. "rollcall serve"
recognizes other restored databases by itself, but not these. Stop every server
of the database first.
`,
    examples: ['rollcall deliveries hold'],
  }).action(async (options) => (await import('../cli/deliveries.js')).holdCommand(options));
}
