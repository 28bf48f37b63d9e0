import type {
  Attempt,
  AttemptPhase,
  Core,
  Delivery,
  DeliveryState,
  Organization,
  RestingState,
} from '@rollcall/core';
import { Refusal } from '@rollcall/core';
import { isErased } from '@rollcall/core/adapters';
import type { CommandContext } from '../command-context.js';
import { Failure } from '../failure.js';
import { print, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { organizationOf } from './organization-of.js';
import { table } from './table.js';
import { commandLine, withCore } from './with-core.js';

export async function listDeliveriesCommand(options: {
  readonly organization?: number;
  readonly state?: DeliveryState;
  readonly since?: Date;
  readonly limit: number;
  readonly body?: boolean;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async (context) => {
    const { state, since, limit, body = false } = options;
    const organization = await chosenOrganization(context, options.organization);
    const { deliveries } = await context.core.listDeliveries({ organization, state, since, limit });
    if (options.json === true) {
      return printJson({ deliveries: deliveries.map((delivery) => toJson(delivery, body)) });
    }
    if (deliveries.length === 0) return say('No deliveries found.');
    const [head = '', ...lines] = table(
      ['ID', 'Time', 'Organization', 'Event', 'State', 'Attempts', 'Result'],
      deliveries.map(cellsOf),
    );
    print(head);
    for (const [index, line] of lines.entries()) {
      print(line);
      if (body) print(`  ${deliveries[index]?.body}`);
    }
  });
}

interface RedeliverOptions {
  readonly ids: readonly number[];
  readonly failed?: boolean;
  readonly state?: readonly RestingState[];
  readonly since?: Date;
  readonly until?: Date;
  readonly phase?: AttemptPhase;
  readonly status?: number;
  readonly reason?: string;
  readonly organization?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Sends single deliveries again, or all recent ones in some states that match. */
export async function redeliverCommand(options: RedeliverOptions): Promise<void> {
  const { ids, since, until, phase, status, reason, dryRun = false } = options;
  const states = [...(options.state ?? []), ...(options.failed === true ? (['failed'] as const) : [])];
  if (ids.length > 0 === states.length > 0) {
    throw new UsageError('Name deliveries by id, or all in a state, such as --state failed --since 24h.');
  }
  if (ids.length > 0 && [until, phase, status, reason, options.dryRun].some((given) => given !== undefined)) {
    throw new UsageError(
      '--until, --phase, --status, --reason and --dry-run need --state and cannot be used with ids.',
    );
  }
  if (states.length > 0 && since === undefined) {
    const given = options.state === undefined ? '--failed' : '--state';
    throw new UsageError(`${given} needs --since, such as --since 24h.`);
  }
  await withCore(async (context) => {
    const organization = await chosenOrganization(context, options.organization);
    const matching = { organization, states, since, until, phase, status, reason };
    if (dryRun) return reportCount(options, { matching: await context.core.countDeliveries(matching) });
    const count =
      ids.length > 0
        ? await redeliverAll(context.core, { organization, ids })
        : await context.core.redeliverMatching({ ...matching, by: commandLine });
    if (count === 0) throw new Failure('No deliveries found: nothing is sent again.');
    if (options.json === true) return printJson({ redelivered: count });
    say('A running server sends them within a second, otherwise the next one to start. Events to send:');
    print(String(count));
  });
}

/** Sends held events, or ends them as skipped. */
export async function releaseCommand(options: {
  readonly send?: boolean;
  readonly drop?: boolean;
  readonly organization?: number;
  readonly since?: Date;
  readonly until?: Date;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}): Promise<void> {
  if ((options.send === true) === (options.drop === true)) {
    throw new UsageError('Choose one of --send, which sends the held events, and --drop, which skips them.');
  }
  await withCore(async (context) => {
    const { since, until } = options;
    const organization = await chosenOrganization(context, options.organization);
    const held = { organization, since, until };
    if (options.dryRun === true) {
      const matching = await context.core.countDeliveries({ ...held, states: ['held'] });
      return reportCount(options, { matching });
    }
    if (options.drop === true) {
      const dropped = await context.core.dropHeld({ ...held, by: commandLine });
      return reportCount(options, { dropped }, 'Dropped events stay in the log as skipped. Events dropped:');
    }
    const redelivered = await context.core.redeliverMatching({ ...held, states: ['held'], by: commandLine });
    const when =
      'A running server sends them within a second, otherwise the next one to start. Events to send:';
    reportCount(options, { redelivered }, when);
  });
}

export async function holdCommand(options: { readonly json?: boolean }): Promise<void> {
  await withCore(async ({ ports }) => {
    const held = await ports.outbox.hold();
    reportCount(options, { held }, 'Held events wait for "rollcall deliveries release". Events held:');
  });
}

function reportCount(
  { json }: { readonly json?: boolean },
  count: Readonly<Record<string, number>>,
  words = 'Nothing was changed. Matching events:',
): void {
  if (json === true) {
    printJson(count);
    return;
  }
  say(words);
  for (const number of Object.values(count)) print(String(number));
}

/** Reports deliveries that do not exist, and continues with the others. */
async function redeliverAll(
  core: Core,
  {
    organization,
    ids,
  }: { readonly organization: Pick<Organization, 'id'> | null; readonly ids: readonly number[] },
): Promise<number> {
  let count = 0;
  for (const deliveryId of new Set(ids)) {
    try {
      await core.redeliver({ organization, deliveryId, by: commandLine });
      count += 1;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'delivery-not-found') throw error;
      say(error.message);
    }
  }
  return count;
}

/** Null means all organizations. */
async function chosenOrganization(
  context: CommandContext,
  organizationId: number | undefined,
): Promise<Organization | null> {
  return organizationId === undefined ? null : organizationOf(context, organizationId);
}

function cellsOf(delivery: Delivery): readonly string[] {
  const { id, createdAt, organizationId, eventName, isTest, state, attempts } = delivery;
  return [
    String(id),
    createdAt.toISOString(),
    String(organizationId),
    isTest ? `${eventName} (test)` : eventName,
    state,
    String(attempts.length),
    resultOf(delivery),
  ];
}

/** The result in words. */
function resultOf({ state, attempts, isDropped, body }: Delivery): string {
  const dropped = isErased(body) ? 'the person was erased' : 'dropped while it was held';
  const words: Partial<Record<DeliveryState, string>> = {
    pending: 'waiting to be sent',
    sending: 'being sent',
    skipped: isDropped ? dropped : 'the webhook was off',
    held: 'held after a restore: it may have been sent before',
  };
  return words[state] ?? attempts.at(-1)?.reason ?? '';
}

function toJson(delivery: Delivery, withBody: boolean) {
  const { id, organizationId, eventId, eventName, state, createdAt, finishedAt, attempts, body } = delivery;
  return {
    id,
    organization_id: organizationId,
    event_id: eventId,
    event: eventName,
    test: delivery.isTest,
    state,
    created_at: createdAt,
    finished_at: finishedAt,
    result: resultOf(delivery),
    attempts: attempts.map(attemptToJson),
    ...(withBody ? { body } : {}),
  };
}

function attemptToJson({ startedAt, duration, outcome, phase, status, reason }: Attempt) {
  return { started_at: startedAt, duration_ms: duration, outcome, phase, status, reason };
}
