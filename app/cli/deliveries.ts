import type { Attempt, Core, Delivery, DeliveryState, Organization } from '@rollcall/core';
import { Refusal } from '@rollcall/core';
import { holdDeliveries } from '#adapters/sql/index.js';
import { names } from '../container.js';
import { Failure } from '../failure.js';
import { print, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { organizationOf } from './organization-of.js';
import { table } from './table.js';
import { commandLine, type Open, withCore } from './with-core.js';

export async function listDeliveriesCommand(options: {
  readonly organization?: number;
  readonly state?: DeliveryState;
  readonly since?: Date;
  readonly limit: number;
  readonly body?: boolean;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async (open) => {
    const { state, since, limit, body = false } = options;
    const organization = await chosenOrganization(open, options.organization);
    const { deliveries } = await open.core.listDeliveries({ organization, state, since, limit });
    if (options.json === true) {
      return printJson({ deliveries: deliveries.map((delivery) => shown(delivery, body)) });
    }
    if (deliveries.length === 0) return say('There is no such delivery.');
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

export async function redeliverCommand(options: {
  readonly ids: readonly number[];
  readonly failed?: boolean;
  readonly since?: Date;
  readonly organization?: number;
  readonly json?: boolean;
}): Promise<void> {
  const { since } = options;
  if (options.ids.length > 0 === (options.failed === true)) {
    throw new UsageError('Name deliveries by their ids, or all that failed with --failed --since TIME.');
  }
  if (options.failed === true && since === undefined) {
    throw new UsageError('--failed needs --since TIME, such as --since 24h.');
  }
  await withCore(async (open) => {
    const organization = await chosenOrganization(open, options.organization);
    const count =
      since !== undefined && options.failed === true
        ? await open.core.redeliverFailed({ organization, since, by: commandLine })
        : await redeliverAll(open.core, { organization, ids: options.ids });
    if (count === 0) throw new Failure('No delivery was found: nothing is sent again.');
    if (options.json === true) return printJson({ redelivered: count });
    say('A running server sends them within a second; else the next one does. So many:');
    print(String(count));
  });
}

export async function holdCommand(options: { readonly json?: boolean }): Promise<void> {
  await withCore(async ({ assembly }) => {
    const { now } = assembly.get(names.ports).clock;
    const held = await holdDeliveries(assembly.get(names.database), now());
    if (options.json === true) return printJson({ held });
    say('They are failed now, and sent only when redelivered. So many:');
    print(String(held));
  });
}

/** Says which are not there, and goes on with the others. */
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
      for (const message of error.messages) say(message);
    }
  }
  return count;
}

/** Null: of every organization. */
async function chosenOrganization(
  open: Open,
  organizationId: number | undefined,
): Promise<Organization | null> {
  return organizationId === undefined ? null : organizationOf(open, organizationId);
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

/** What became of it, in words. */
function resultOf({ state, attempts }: Delivery): string {
  const words: Partial<Record<DeliveryState, string>> = {
    pending: 'waits to be sent',
    sending: 'is being sent',
    skipped: 'the webhook was off',
  };
  return words[state] ?? attempts.at(-1)?.reason ?? '';
}

function shown(delivery: Delivery, withBody: boolean) {
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
    attempts: attempts.map(shownAttempt),
    ...(withBody ? { body } : {}),
  };
}

function shownAttempt({ startedAt, duration, outcome, phase, status, reason }: Attempt) {
  return { started_at: startedAt, duration_ms: duration, outcome, phase, status, reason };
}
