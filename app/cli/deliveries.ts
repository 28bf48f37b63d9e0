import type {
  Attempt,
  AttemptPhase,
  Core,
  Delivery,
  DeliveryState,
  DeliveryView,
  Organization,
  RestingState,
} from '@rollcall/core';
import { Refusal, type RefusalCode } from '@rollcall/core';
import { isErased } from '@rollcall/core/adapters';
import { cutHistory } from '@rollcall/sql/maintenance';
import type { CommandContext } from '../command-context.js';
import { Failure } from '../failure.js';
import { print, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { organizationOf } from './organization-of.js';
import { table } from './table.js';
import { commandLine, type JsonOptions, type OrganizationOptions, withCore } from './with-core.js';

export async function listDeliveriesCommand(
  options: Partial<OrganizationOptions> & {
    readonly state?: DeliveryState;
    readonly since?: Date;
    readonly limit: number;
    readonly body?: boolean;
  },
): Promise<void> {
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

/** Prints one delivery with the request and the response of each attempt. */
export async function showDeliveryCommand(
  options: Partial<OrganizationOptions> & { readonly id: number },
): Promise<void> {
  await withCore(async (context) => {
    const organization = await chosenOrganization(context, options.organization);
    const delivery = await context.core.readDelivery({ organization, deliveryId: options.id });
    if (options.json === true) return printJson(viewToJson(delivery));
    for (const line of viewLines(delivery)) print(line);
  });
}

interface MatchOptions extends Partial<OrganizationOptions> {
  readonly since?: Date;
  readonly until?: Date;
  readonly dryRun?: boolean;
}

interface RedeliverOptions extends MatchOptions {
  readonly ids: readonly number[];
  readonly failed?: boolean;
  readonly state?: readonly RestingState[];
  readonly phase?: AttemptPhase;
  readonly status?: number;
  readonly reason?: string;
}

/** Sends single deliveries again, or all recent ones in some states that match. */
export async function redeliverCommand(options: RedeliverOptions): Promise<void> {
  const { ids, since, until, phase, status, reason, dryRun = false } = options;
  const states = [...(options.state ?? []), ...(options.failed === true ? (['failed'] as const) : [])];
  if (ids.length > 0 === states.length > 0) {
    throw new UsageError('Name deliveries by id, or all in a state, such as --state failed --since 24h.');
  }
  if (
    ids.length > 0 &&
    [since, until, phase, status, reason, options.dryRun].some((given) => given !== undefined)
  ) {
    throw new UsageError(
      '--since, --until, --phase, --status, --reason and --dry-run need --state and cannot be used with ids.',
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
export async function releaseCommand(
  options: MatchOptions & { readonly send?: boolean; readonly drop?: boolean },
): Promise<void> {
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

export async function holdCommand(options: JsonOptions): Promise<void> {
  await withCore(async ({ ports, database }) => {
    const held = await ports.outbox.hold();
    await database.write(cutHistory);
    reportCount(options, { held }, 'Held events wait for "rollcall deliveries release". Events held:');
  });
}

function reportCount(
  { json }: JsonOptions,
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

const REPORTED: readonly RefusalCode[] = ['delivery-not-found', 'delivery-erased', 'too-many-requests'];

/** Reports deliveries that do not exist or cannot be sent, and continues with the others. */
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
      const isKnown = error instanceof Refusal && REPORTED.includes(error.code);
      if (!isKnown) throw error;
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
  const unsent = attempts.length === 0 ? 'dropped while it was held' : 'dismissed after it had failed';
  const dropped = isErased(body) ? 'the person was erased' : unsent;
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

/** As in a list, with the body, and with what each of the newest attempts sent and got. */
function viewToJson(delivery: DeliveryView) {
  const { attempts, attemptCount } = delivery;
  return {
    ...toJson(delivery, true),
    attempt_count: attemptCount,
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      ...attemptToJson(attempt),
      request: attempt.request,
      response: attempt.response && {
        headers: attempt.response.headers,
        body: attempt.response.body,
        is_truncated: attempt.response.isTruncated,
      },
    })),
  };
}

function viewLines(delivery: DeliveryView): readonly string[] {
  const { id, organizationId, eventId, eventName, isTest, state, createdAt, body } = delivery;
  const { attempts, attemptCount } = delivery;
  const facts = [
    ['Delivery', String(id)],
    ['Organization', String(organizationId)],
    ['Event', isTest ? `${eventName} (test)` : eventName],
    ['Event ID', eventId],
    ['Time', createdAt.toISOString()],
    ['State', state],
    ['Result', resultOf(delivery)],
    ['Attempts', attemptCount === attempts.length ? `${attemptCount}` : `${attemptCount}, newest 20 below`],
    ['Body', body],
  ] as const;
  return [
    ...facts.map(([label, text]) => `${label.padEnd(14)}${text}`),
    ...attempts.flatMap((attempt) => ['', ...attemptLines(attempt)]),
  ].map(printable);
}

/** The phases before `request`, in which nothing has been sent. */
const UNSENT: readonly AttemptPhase[] = ['address', 'lookup', 'connect', 'tls'];

/** The request has `>` before each line and the response `<`, as in curl. The body of the request is not repeated. */
function attemptLines(attempt: DeliveryView['attempts'][number]): readonly string[] {
  const { number, startedAt, duration, phase, status, reason, request, response } = attempt;
  const took = duration === null ? '' : ` after ${Math.round(duration)} ms`;
  const ended = phase === null ? '' : `, phase ${phase}`;
  const headerLines = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = request === null ? [] : [`POST ${request.url}`, ...headerLines(request.headers)];
  const got =
    response === null
      ? []
      : [
          String(status),
          ...headerLines(response.headers),
          ...(response.body === '' ? [] : ['', ...response.body.split(/\r?\n/)]),
        ];
  return [
    `Attempt ${number}: ${startedAt.toISOString()}, ${reason}${took}${ended}`,
    ...(request === null ? ['(the request was not recorded)'] : sent.map((line) => `> ${line}`)),
    ...(request !== null && phase !== null && UNSENT.includes(phase) ? ['(the request was not sent)'] : []),
    ...got.map((line) => `< ${line}`.trimEnd()),
    ...(response?.isTruncated === true ? ['(the response was longer)'] : []),
  ];
}

/** The receiver chose these characters. Without this, they could move the cursor or change the title of the terminal. */
function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\uFFFD');
}

function attemptToJson({ startedAt, duration, outcome, phase, status, reason }: Attempt) {
  return { started_at: startedAt, duration_ms: duration, outcome, phase, status, reason };
}
