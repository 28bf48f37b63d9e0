import fc from 'fast-check';
import { eventName } from '#core/testing/subscribe.js';
import { Cell, Compared, type Draft, difference, forms } from './cell.js';
import { caller, callerOf, chosen, maybe } from './choices.js';
import { type Answer, ApiCall, type Plan, refused, type Step } from './command.js';
import { answeredOnce, idempotencyKey } from './idempotency.js';
import { filterOf, limitOf, listAnswer, type Part, part, requestOf, unknownCursor } from './lists.js';
import {
  type Attempt,
  DAY,
  type Delivery,
  iso,
  MINUTE,
  type Model,
  type OrganizationModel,
  otherThan,
  pick,
  publicCell,
} from './model.js';
import { requestProblem } from './receiver.js';

function attemptBody({ number, startedAt, status }: Attempt): object {
  const isAnswered = status !== null;
  return {
    number,
    started_at: iso(startedAt),
    duration_ms: isAnswered ? 12 : 3,
    phase: isAnswered ? 'answer' : 'connect',
    status,
    result: isAnswered ? `answered ${status}` : 'connection refused',
  };
}

function listedBody({ id, event, eventId, at, state, attempts }: Delivery): object {
  const last = attempts.at(-1);
  return {
    id,
    event_id: eventId,
    event: eventName,
    state,
    is_test: event === null,
    created_at: iso(at),
    attempt_count: attempts.length,
    last_attempt: last === undefined ? null : attemptBody(last),
  };
}

function deliveryBody(delivery: Delivery): object {
  const isErased = delivery.event?.isErased === true;
  const attempts = delivery.attempts.slice(-20).map((attempt) => ({
    ...attemptBody(attempt),
    request: isErased ? null : requestBody(attempt),
    response:
      isErased || attempt.status === null
        ? null
        : { status: attempt.status, headers: {}, body: '', is_truncated: false },
  }));
  return { ...listedBody(delivery), attempts };
}

/** The request as the receiver got it, with the same bytes. */
function requestBody({ sent: { url, headers, body } }: Attempt): object {
  const compare = (seen: unknown, draft: Draft, path: string): string | null => {
    const found = seen as Readonly<Record<string, string>>;
    const ours = Object.fromEntries(Object.keys(headers).map((name) => [name, found[name] ?? null]));
    return difference(headers, ours, draft, path);
  };
  return { url, headers: new Compared(JSON.stringify(headers), compare), body };
}

const states = ['pending', 'sending', 'delivered', 'failed', 'skipped'];

/** All deliveries, so that their ids are known. */
export const listAllDeliveries = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  callerOf(organization).map((who) =>
    listing(who, { asked: { limit: undefined, after: undefined, chosen: 0 } }),
  );

const listDeliveries: fc.Arbitrary<Step> = fc
  .record({
    caller,
    part,
    state: maybe(fc.constantFrom(...states, 'pending', 'failed', 'held')),
    one: maybe(chosen),
    since: maybe(fc.constantFrom('first', 'past', 'future', 'noon')),
    until: maybe(fc.constantFrom('first', 'past', 'future')),
  })
  .map(({ caller: who, part: asked, ...filters }) => listing(who, { asked, ...filters }));

function listing(
  who: ApiCall['caller'],
  given: {
    readonly asked: Part;
    readonly state?: string | undefined;
    readonly one?: number | undefined;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
  },
): Step {
  const { asked, state, one, since, until } = given;
  const plan = (model: Model, organization: OrganizationModel): Plan => {
    const known = organization.deliveries.filter(({ eventId }) => eventId.value !== undefined);
    const request = requestOf(organization, otherThan(model, organization), {
      list: 'deliveries',
      part: asked,
      filters: [
        ['state', state],
        ['event_id', one === undefined ? undefined : pick(known, one)?.eventId.toString()],
        ['since', timeOf(model, organization, since)],
        ['until', timeOf(model, organization, until)],
      ],
    });
    const call = { method: 'GET', path: ['/webhook/deliveries'], query: request.query };
    const wanted = filterOf(request, 'state');
    const from = filterOf(request, 'since');
    const wrong = [
      ...(wanted === 'held' ? ['state must be one of pending, sending, delivered, failed, skipped'] : []),
      ...(from === 'noon' ? ['since must be a time'] : []),
      ...(request.isUnknown ? ['after must be the'] : []),
    ];
    if (wrong.length > 0)
      return { call, answer: refused(400, 'invalid-request', new RegExp(`^(${wrong.join('|')})`)) };
    if (request.isUnknown) return { call, answer: unknownCursor };
    const eventId = filterOf(request, 'event_id');
    const end = filterOf(request, 'until');
    const entries = organization.deliveries
      .filter((delivery) => wanted === undefined || delivery.state === wanted)
      .filter((delivery) => eventId === undefined || delivery.eventId.value === eventId)
      .filter(({ at }) => from === undefined || at >= Date.parse(from))
      .filter(({ at }) => end === undefined || at < Date.parse(end));
    const answer = listAnswer<Delivery>(organization, request, {
      ...{ list: 'deliveries', noun: 'deliveries', limit: limitOf(asked.limit, 100) },
      entries: [...entries].reverse(),
      ...{ placeOf: ({ at }) => at, isAscending: false, idOf: ({ id }) => id, bodyOf: listedBody },
    });
    return { call, answer };
  };
  return new ApiCall('listDeliveries', who, plan);
}

function timeOf(
  { now }: Model,
  { deliveries }: OrganizationModel,
  name: string | undefined,
): string | undefined {
  if (name === undefined || name === 'noon') return name;
  const times: Readonly<Record<string, number>> = {
    first: deliveries[0]?.at ?? now,
    past: now - DAY,
    future: now + DAY,
  };
  return iso(times[name] ?? now);
}

/** A delivery of this organization, or now and then of the other one, and the path with its id. */
function someDelivery(
  model: Model,
  organization: OrganizationModel,
  number: number,
): { readonly id: Cell | string; readonly delivery: Delivery | undefined } {
  const isSeen = ({ id }: Delivery): boolean => id.value !== undefined;
  const foreign = pick(otherThan(model, organization).deliveries.filter(isSeen), number);
  if (number % 8 === 7 && foreign !== undefined) return { id: foreign.id, delivery: undefined };
  const own = pick([...organization.deliveries.filter(isSeen)].reverse(), number);
  return { id: own?.id ?? '987654321', delivery: own };
}

function unknown(id: Cell | string): Answer {
  return refused(404, 'delivery-not-found', `There is no delivery ${id}`);
}

const readDelivery: fc.Arbitrary<Step> = fc.record({ caller, chosen }).map((given) => {
  const plan = (model: Model, organization: OrganizationModel): Plan => {
    const { id, delivery } = someDelivery(model, organization, given.chosen);
    return {
      call: { method: 'GET', path: ['/webhook/deliveries/', id] },
      answer:
        delivery === undefined
          ? unknown(id)
          : { status: 200, body: { success: true, delivery: deliveryBody(delivery) } },
    };
  };
  return new ApiCall('readDelivery', given.caller, plan);
});

const redeliver: fc.Arbitrary<Step> = fc
  .record({ caller, chosen, key: idempotencyKey })
  .map(({ caller: who, chosen: number, key }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan | null => {
      const { id, delivery } = someDelivery(model, organization, number);
      if (delivery?.event === null && !mayTest(model, organization)) return null;
      const call = { method: 'POST', path: ['/webhook/deliveries/', id, '/redeliver'] };
      const countTest = (): void => {
        organization.tests.push(model.now);
      };
      return answeredOnce(model, organization, {
        ...{ operation: 'redeliver', key, call, answer: redelivered({ id, delivery, countTest }) },
      });
    };
    return new ApiCall('redeliver', who, plan);
  });

interface Redelivered {
  readonly id: Cell | string;
  readonly delivery: Delivery | undefined;
  /** Called for a test that is sent again, which counts as another test. */
  countTest(): void;
}

function redelivered({ id, delivery, countTest }: Redelivered): Answer {
  if (delivery === undefined) return unknown(id);
  if (delivery.event?.isErased === true)
    return refused(410, 'delivery-erased', 'The person was erased, so this event cannot be sent again');
  return {
    status: 202,
    body: { success: true, delivery: listedBody({ ...delivery, state: 'pending' }) },
    effect: () => {
      if (delivery.event === null && delivery.state !== 'pending') countTest();
      delivery.state = 'pending';
    },
  };
}

const redeliverFailed: fc.Arbitrary<Step> = fc
  .record({
    caller,
    since: fc.constantFrom('first', 'first', 'past', 'past', 'future', 'noon'),
    key: idempotencyKey,
  })
  .map(({ caller: who, since, key }) => {
    const plan = (model: Model, organization: OrganizationModel): Plan => {
      const time = String(timeOf(model, organization, since));
      const call = { method: 'POST', path: ['/webhook/redeliver_failed'], json: { since: time } };
      const failed = organization.deliveries.filter(
        ({ state, event, at }) =>
          state === 'failed' && event !== null && !event.isErased && at >= Date.parse(time),
      );
      const answer: Answer =
        since === 'noon'
          ? refused(400, 'invalid-request', /^since must be a time/)
          : {
              status: 202,
              body: { success: true, count: failed.length },
              effect: () => {
                for (const delivery of failed) delivery.state = 'pending';
              },
            };
      return answeredOnce(model, organization, { operation: 'redeliverFailed', key, call, answer });
    };
    return new ApiCall('redeliverFailed', who, plan);
  });

const MAX_TESTS = 10;

function mayTest({ now }: Model, { tests }: OrganizationModel): boolean {
  return tests.filter((at) => now - at < MINUTE).length < MAX_TESTS;
}

/** A test is sent to the saved URL at once, also if the webhook is disabled (decision 86). */
const testWebhook: fc.Arbitrary<Step> = caller.map((who) => {
  const plan = (model: Model, organization: OrganizationModel): Plan | null => {
    const { webhook, tests, receiver } = organization;
    const { now } = model;
    if (!mayTest(model, organization)) return null;
    const call = { method: 'POST', path: ['/webhook/test'] };
    if (webhook === null || webhook.url === '') {
      const errors = ['webhook.url is required before a test can be sent'];
      return { call, answer: { status: 422, code: 'invalid-webhook', body: { success: false, errors } } };
    }
    const delivery: Delivery = {
      id: publicCell(forms.delivery),
      event: null,
      eventId: new Cell(forms.event, organization.index),
      at: now,
      state: receiver === 200 ? 'delivered' : 'failed',
      attempts: [],
    };
    const compare = (seen: unknown, draft: Draft, path: string): string | null => {
      const [sent] = model.received;
      if (sent === undefined) return 'no request was sent';
      delivery.attempts.push({ number: 1, startedAt: now, status: receiver, sent });
      return (
        difference(deliveryBody(delivery), seen, draft, path) ??
        requestProblem(model, { organization, delivery, sent, draft })
      );
    };
    return {
      call,
      answer: {
        status: 200,
        body: { success: true, delivery: new Compared('the test, as it was sent', compare) },
        effect: () => {
          organization.deliveries.push(delivery);
          tests.push(now);
        },
      },
    };
  };
  return new ApiCall('testWebhook', who, plan);
});

export const deliverySteps: readonly fc.Arbitrary<Step>[] = [
  listDeliveries,
  readDelivery,
  redeliver,
  redeliverFailed,
  testWebhook,
];
