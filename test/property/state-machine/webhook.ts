import fc from 'fast-check';
import { Cell, Compared, forms } from './cell.js';
import { caller, callerOf, maybe, rarely } from './choices.js';
import { type Answer, ApiCall, markerOf, type Plan, type Step } from './command.js';
import { answeredOnce, idempotencyKey } from './idempotency.js';
import {
  HOUR,
  iso,
  type Model,
  type OrganizationModel,
  publicCell,
  timeCell,
  timeCellOr,
  type Webhook,
} from './model.js';

const available = ['user.registered'];
const mask = 'whsec_********';

/** The rotation that is under way, as GET shows it. */
export function rotationOf({ now }: Model, webhook: Webhook | null): Webhook['previous'] {
  const previous = webhook?.previous ?? null;
  return previous !== null && now < previous.endsAt ? previous : null;
}

function webhookBody({ id, url, enabled, events, createdAt, updatedAt }: Webhook, secret: unknown): object {
  return { id, url, enabled, events, secret, created_at: iso(createdAt), updated_at: updatedAt };
}

const readWebhook: fc.Arbitrary<Step> = caller.map((who) => {
  const plan = (model: Model, { webhook }: OrganizationModel): Plan => {
    const rotation = rotationOf(model, webhook);
    return {
      call: { method: 'GET', path: ['/webhook'] },
      answer: {
        status: 200,
        body: {
          success: true,
          webhook: webhook === null ? null : webhookBody(webhook, mask),
          available_events: available,
          ...(rotation !== null && { rotation: { ends_at: iso(rotation.endsAt) } }),
        },
      },
    };
  };
  return new ApiCall('readWebhook', who, plan);
});

const change = fc.record({
  url: maybe(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom('one', 'two') },
      { weight: 1, arbitrary: fc.constantFrom('', null, 'http', 'credentials') },
    ),
  ),
  enabled: fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom<boolean | undefined | string>(true, true, true, false) },
    { weight: 1, arbitrary: fc.constantFrom<boolean | undefined | string>(undefined, 'true') },
  ),
  events: maybe(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant<readonly string[]>(['user.registered']) },
      { weight: 1, arbitrary: fc.constantFrom<readonly string[]>([], ['user.left']) },
    ),
  ),
  regenerate: maybe(fc.constantFrom<unknown>('1', '1', 1, true, '0', false, 'yes')),
  overlap: maybe(fc.constantFrom<unknown>(1, 24, '2', 0)),
  isComplete: fc.boolean(),
  key: idempotencyKey,
});
type Change = typeof change extends fc.Arbitrary<infer Given> ? Given : never;

const rotating: readonly unknown[] = ['1', 1, true];
const keeping: readonly unknown[] = [undefined, '0', 0, false];

/** The body, as a caller writes it. A complete one has what POST needs. */
function bodyOf(model: Model, organization: OrganizationModel, given: Change) {
  const { url: chosenUrl, events: chosenEvents, enabled, isComplete } = given;
  const url = urlOf(model, organization, chosenUrl ?? (isComplete ? 'one' : undefined));
  const events = chosenEvents ?? (isComplete ? available : undefined);
  const webhook = {
    ...(url !== undefined && { url }),
    ...(enabled !== undefined && { enabled }),
    ...(events !== undefined && { events }),
  };
  return {
    webhook,
    ...(given.regenerate !== undefined && { regenerate_secret: given.regenerate }),
    ...(given.overlap !== undefined && { overlap_hours: given.overlap }),
  };
}

function urlOf(
  model: Model,
  organization: OrganizationModel,
  chosen: string | null | undefined,
): string | null | undefined {
  if (chosen === undefined || chosen === null || chosen === '') return chosen;
  const host = `${markerOf(organization, model)}.test`;
  if (chosen === 'http') return `http://${host}/`;
  return chosen === 'credentials' ? `https://a:b@${host}/` : `https://${host}/${chosen}`;
}

const configure = (
  operation: 'createWebhook' | 'changeWebhook',
  method: 'POST' | 'PATCH',
): fc.Arbitrary<Step> =>
  fc
    .record({ caller, change })
    .map(({ caller: who, change: given }) => configuring(operation, method, { who, given }));

function configuring(
  operation: string,
  method: 'POST' | 'PATCH',
  { who, given }: { readonly who: ApiCall['caller']; readonly given: Change },
): Step {
  const plan = (model: Model, organization: OrganizationModel): Plan => {
    const json = bodyOf(model, organization, given);
    const call = { method, path: ['/webhook'], json };
    const answer = configured(model, organization, { method, given, json });
    // Without a rotation the key is ignored (decision 190).
    const key = rotating.includes(given.regenerate) ? given.key : undefined;
    return answeredOnce(model, organization, { operation, key, call, answer });
  };
  return new ApiCall(operation, who, plan);
}

/** An enabled webhook. */
export const enableWebhook = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc.record({ caller: callerOf(organization), change }).map(({ caller: who, change: given }) => {
    const valid = {
      ...given,
      url: 'one' as const,
      enabled: true,
      events: available,
      regenerate: undefined,
      overlap: undefined,
    };
    return configuring('createWebhook', 'POST', { who, given: valid });
  });

/** Turns the webhook off, or rotates its secret and keeps the old one. */
export const switchWebhook = (organization: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc
    .record({ caller: callerOf(organization), change, isRotation: fc.boolean() })
    .map(({ caller: who, change: given, isRotation }) => {
      const valid = {
        ...given,
        ...{ url: undefined, events: undefined, isComplete: false },
        enabled: isRotation,
        regenerate: isRotation ? '1' : undefined,
        overlap: isRotation ? 24 : undefined,
      };
      return configuring('changeWebhook', 'PATCH', { who, given: valid });
    });

function configured(
  model: Model,
  organization: OrganizationModel,
  {
    method,
    given,
    json,
  }: {
    readonly method: 'POST' | 'PATCH';
    readonly given: Change;
    readonly json: ReturnType<typeof bodyOf>;
  },
): Answer {
  const before = organization.webhook;
  const { url, events, enabled } = json.webhook;
  const rotation = rotationOf(model, before);
  const isRotating = rotating.includes(given.regenerate);
  // POST with `enabled: true` uses only what its body has (decision 4). An empty URL means none (decision 4).
  const isWhole = method === 'POST' && enabled === true;
  const newUrl = url === undefined && !isWhole ? (before?.url ?? '') : (url ?? '');
  const newEvents = events === undefined && !isWhole ? (before?.events ?? []) : (events ?? []);
  const problems = [
    ...(typeof enabled === 'boolean' ? [] : [/webhook\.enabled|webhook must be/]),
    ...(given.url === 'http' || given.url === 'credentials' ? [/webhook\.url/] : []),
    ...(enabled === true && newUrl === '' ? [/webhook\.url is required/] : []),
    ...(events?.includes('user.left') === true ? [/webhook\.events/] : []),
    ...(enabled === true && newEvents.length === 0 ? [/webhook\.events/] : []),
    ...(isRotating || keeping.includes(given.regenerate) ? [] : [/regenerate_secret/]),
    ...overlapProblems(given, { isRotating, hasRotation: rotation !== null }),
  ];
  // Whether an unreadable `regenerate_secret` makes a second message is not promised.
  if (problems.length > 0) return invalid(problems, given.regenerate === 'yes' ? [/overlap_hours/] : []);

  const overlap = isRotating ? given.overlap : undefined;
  const { now } = model;
  const secret = before === null || isRotating ? new Cell(forms.secret, organization.index) : before.secret;
  const endsAt = now + Number(overlap) * HOUR;
  const after: Webhook = {
    id: before?.id ?? publicCell(forms.webhook),
    url: newUrl,
    enabled: enabled === true,
    events: newEvents,
    secret,
    previous: isRotating
      ? before !== null && overlap !== undefined
        ? { secret: before.secret, endsAt }
        : null
      : (before?.previous ?? null),
    createdAt: before?.createdAt ?? now,
    updatedAt: timeCell(now),
  };
  return {
    status: 200,
    body: {
      success: true,
      webhook: webhookBody(after, before === null || isRotating ? secret : mask),
      available_events: available,
      ...(overlap !== undefined && { rotation: before === null ? null : { ends_at: iso(endsAt) } }),
    },
    effect: () => {
      organization.webhook = after;
    },
  };
}

function overlapProblems(
  { overlap, regenerate }: Change,
  { isRotating, hasRotation }: { readonly isRotating: boolean; readonly hasRotation: boolean },
): readonly RegExp[] {
  if (overlap === undefined) return [];
  if (overlap === 0) return [/overlap_hours/];
  if (regenerate === 'yes') return [];
  if (!isRotating) return [/overlap_hours/];
  return hasRotation ? [/overlap_hours/] : [];
}

/** 422 with every message at once, in any order, and perhaps others. */
function invalid(problems: readonly RegExp[], others: readonly RegExp[]): Answer {
  const compare = (seen: unknown, _draft: unknown, path: string): string | null => {
    const messages = (seen as readonly string[]).map(String);
    const missing = problems.find((problem) => !messages.some((message) => problem.test(message)));
    if (missing !== undefined) return `${path} is ${JSON.stringify(seen)}, without ${missing}`;
    const explained = [...problems, ...others];
    const other = messages.find((message) => !explained.some((problem) => problem.test(message)));
    return other === undefined ? null : `${path} has ${JSON.stringify(other)}, which nothing explains`;
  };
  return {
    status: 422,
    code: 'invalid-webhook',
    body: { success: false, errors: new Compared(problems.join(', '), compare) },
  };
}

const finishRotation: fc.Arbitrary<Step> = fc
  .record({ caller, isStray: rarely(30) })
  .map(({ caller: who }) => {
    const plan = (model: Model, { webhook }: OrganizationModel): Plan => {
      const isUnderWay = rotationOf(model, webhook) !== null;
      // Whether finishing counts as an update is not promised.
      const updatedAt = webhook === null ? timeCell() : timeCellOr(model.now, webhook.updatedAt);
      const shown = webhook === null || !isUnderWay ? webhook : { ...webhook, updatedAt };
      return {
        call: { method: 'POST', path: ['/webhook/finish_rotation'] },
        answer: {
          status: 200,
          body: {
            success: true,
            finished: isUnderWay,
            webhook: shown === null ? null : webhookBody(shown, mask),
          },
          effect: () => {
            if (webhook !== null && isUnderWay) Object.assign(webhook, { previous: null, updatedAt });
          },
        },
      };
    };
    return new ApiCall('finishRotation', who, plan);
  });

export const webhookSteps: readonly fc.Arbitrary<Step>[] = [
  readWebhook,
  configure('createWebhook', 'POST'),
  configure('changeWebhook', 'PATCH'),
  configure('changeWebhook', 'PATCH'),
  finishRotation,
];
