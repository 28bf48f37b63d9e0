import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries, keptText } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import { organizationNotFound } from '../access/organization-not-found.js';
import type { NewAuditEntry } from '../access/ports/audit-trail.js';
import type { KeptAnswer } from '../access/ports/idempotency-keys.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { mayBeId } from '../values/ids.js';
import { keptUntil } from '../values/keep-hours.js';
import { checkOneOf } from '../values/one-of.js';
import type { Field, Problem } from '../values/problem.js';
import type { Secret } from '../values/secret.js';
import { availableEvents, type EventName } from './events.js';
import type { PreviousSecret, Webhook, WebhookSettings } from './ports/webhooks.js';
import { type RequestedRotation, readRotation } from './read-rotation.js';
import { previousSecretAt, type WebhookView, webhookView } from './webhook.js';
import { webhookProblems, webhookUrlProblem } from './webhook-problems.js';

/** The request of `configureWebhook`. */
export interface ConfigureWebhook extends OfOrganization, Acting {
  /** `set`: to enable, the request must contain every field. `change`: a field that is left out keeps its value. */
  readonly how: 'set' | 'change';
  /** `{ url, enabled, events }` as received; all mistakes are reported together. */
  readonly webhook: unknown;
  /**
   * As received: `true`, `1` or `"1"` rotates the signing secret; `false`, `0`, `"0"` or left out keeps it. Anything
   * else is refused.
   */
  readonly regenerateSecret?: unknown;
  /**
   * As received: a whole number of hours from 1 to 168, which may be written as text. The rotation keeps the old secret
   * in use for that long: `X-<name>-Signature` is made with it, and `webhook-signature` with both. Left out: the old
   * secret stops being used at once. Refused without a rotation, and while such a rotation is under way.
   */
  readonly overlapHours?: unknown;
  /** Problems that the caller has already found. The request is refused with these and all others at once. */
  readonly problems?: readonly Problem[] | undefined;
  /** Called in the transaction with the result, and keeps the answer: see `answerOnce`. */
  readonly keep?: ((webhook: WebhookView) => KeptAnswer) | undefined;
  /**
   * The `updatedAt` that the caller has seen; null: there was no webhook. Refused if the configuration has changed since.
   * Left out: any.
   */
  readonly unchangedSince?: Date | null | undefined;
}

/**
 * Creates or changes the organization's one webhook.
 *
 * @throws `Refusal`: `invalid-webhook` with every problem, `webhook-outdated` if the configuration has changed since
 * `unchangedSince`, `organization-not-found`. `TypeError` if `how` is unknown.
 */
export async function configureWebhook(
  {
    webhooks,
    webhookSender,
    secrets,
    clock,
  }: Uses<
    | 'clock.now'
    | 'secrets.encrypt'
    | 'secrets.newSigningSecret'
    | 'webhookSender.refusalOf'
    | 'webhooks.configure'
  >,
  request: ConfigureWebhook,
): Promise<WebhookView> {
  const { organization, how, keep, by } = request;
  checkActor(by);
  if (!mayBeId('organization.id', organization.id))
    throw organizationNotFound('organization.id', organization.id);
  checkOneOf('how', ['set', 'change'], how);
  const now = clock.now();
  let newSecret: Secret | null = null;
  let rotation: RequestedRotation | null = null;
  let before: Webhook | null = null;
  const decide = (current: Webhook | null): WebhookSettings => {
    const decision = decisionOn(request, { secrets, current, now });
    before = current;
    newSecret = decision.newSecret;
    rotation = decision.rotation;
    return decision.settings;
  };
  const viewOf = (webhook: Webhook): WebhookView =>
    webhookView({ webhookSender }, { webhook, secret: newSecret, at: now });
  const webhook = await webhooks.configure(organization.id, decide, (stored) => [
    ...configuredEntries({ stored, before }, { by, at: now, rotation }),
    ...(keep === undefined ? [] : [keep(viewOf(stored))]),
  ]);
  if (webhook === null) throw organizationNotFound('organization.id', organization.id);
  return viewOf(webhook);
}

interface Decision {
  readonly settings: WebhookSettings;
  /** Null: the webhook keeps its secret. */
  readonly newSecret: Secret | null;
  /** The rotation that replaces a secret; null: there was none to replace, or it stays. */
  readonly rotation: RequestedRotation | null;
}

/** What becomes of the current configuration. Throws a `Refusal` with every mistake. */
function decisionOn(
  {
    organization: { id: organizationId },
    how,
    webhook: input,
    regenerateSecret,
    overlapHours,
    problems = [],
    unchangedSince,
  }: ConfigureWebhook,
  {
    secrets,
    current,
    now,
  }: Uses<'secrets.encrypt' | 'secrets.newSigningSecret'> & {
    readonly current: Webhook | null;
    readonly now: Date;
  },
): Decision {
  if (unchangedSince !== undefined && current?.updatedAt.getTime() !== unchangedSince?.getTime()) {
    throw new Refusal('webhook-outdated', 'The webhook has changed since; nothing was changed');
  }
  const previousSecret = current === null ? null : previousSecretAt(current, now);
  const isUnderWay = previousSecret !== null;
  const rotation = readRotation({ regenerateSecret, overlapHours, isUnderWay });
  const requested = read({ how, current, input, rotation, problems });
  const newSecret = current === null || rotation.rotates ? secrets.newSigningSecret() : null;
  const settings = {
    url: requested.url,
    enabled: requested.enabled,
    events: requested.events,
    encryptedSecret:
      newSecret === null
        ? (current as Webhook).encryptedSecret
        : secrets.encrypt({ secret: newSecret, organizationId }),
    previousSecret: newSecret === null ? previousSecret : replacedSecret(current, rotation, now),
    createdAt: current?.createdAt ?? now,
    updatedAt: now,
  };
  return { settings, newSecret, rotation: current !== null && newSecret !== null ? rotation : null };
}

function configuredEntries(
  { stored, before }: { readonly stored: Webhook; readonly before: Webhook | null },
  { by, at, rotation }: Acting & { readonly at: Date; readonly rotation: RequestedRotation | null },
): readonly NewAuditEntry[] {
  const { organizationId } = stored;
  const action = 'webhook-configured';
  const configured = auditEntries({ by, at }, { organizationId, action, subject: changeOf(before, stored) });
  if (rotation === null) return configured;
  const subject = keptText(rotation.overlapHours);
  return [
    ...(hasSameSettings(before, stored) ? [] : configured),
    ...auditEntries({ by, at }, { organizationId, action: 'signing-secret-rotated', subject }),
  ];
}

/** Whether at most the secret is another. */
function hasSameSettings(before: Webhook | null, after: Webhook): boolean {
  if (before === null || before.url !== after.url || before.enabled !== after.enabled) return false;
  return String(before.events) === String(after.events);
}

/** The secret that a rotation replaces, if it stays in use. */
function replacedSecret(
  current: Webhook | null,
  { overlapHours }: RequestedRotation,
  now: Date,
): PreviousSecret | null {
  if (current === null || overlapHours === null) return null;
  return { encrypted: current.encryptedSecret, until: keptUntil(now, overlapHours) };
}

/** The host, and what changed. Null: there is no URL, and was none. */
function changeOf(before: Webhook | null, after: Webhook): string | null {
  const [from, to] = [hostOf(before?.url ?? null), hostOf(after.url)];
  const isOnlyPath = from === to && before !== null && before.url !== after.url;
  const changes = [
    from === to || from === null ? (to ?? []) : `${from} → ${to ?? 'no URL'}`,
    isOnlyPath ? 'another path' : [],
    before !== null && before.enabled !== after.enabled ? `turned ${after.enabled ? 'on' : 'off'}` : [],
  ].flat();
  return changes.length === 0 ? null : changes.join(', ');
}

/** Only the host: the rest of a URL may contain a secret of the receiver. */
function hostOf(url: string | null): string | null {
  return url === null ? null : new URL(url).host;
}

interface RequestedWebhook {
  readonly url: string | null;
  readonly enabled: boolean;
  readonly events: readonly EventName[];
}

interface Request {
  readonly how: ConfigureWebhook['how'];
  readonly current: Webhook | null;
  readonly input: unknown;
  readonly rotation: RequestedRotation;
  readonly problems: readonly Problem[];
}

/** Combines the request with the current configuration. Throws a `Refusal` with every mistake. */
function read({ how, current, input, rotation, problems: knownProblems }: Request): RequestedWebhook {
  if (!isObject(input))
    throw new Refusal(
      'invalid-webhook',
      firstOfEach([webhookProblems.shape, ...rotation.problems], knownProblems),
    );

  const keeps = how === 'change' || input.enabled === false;
  // Answers show a missing URL as an empty text. A request that sends the empty text back removes the URL.
  const requestedUrl = input.url === '' ? null : input.url;
  const url = requestedUrl ?? (keeps && requestedUrl === undefined ? current?.url : null) ?? null;
  const events = input.events ?? (keeps && input.events === undefined ? current?.events : null) ?? [];
  const isRequired = input.enabled === true;
  const found = [
    typeof input.enabled === 'boolean' ? null : webhookProblems.enabled,
    url === null ? (isRequired ? webhookProblems.noUrl : null) : webhookUrlProblem(url),
    eventsProblem(events, { isRequired }),
    ...rotation.problems,
  ];
  const problems = firstOfEach(found, knownProblems);
  if (problems.length > 0) throw new Refusal('invalid-webhook', problems);
  return {
    url: url as string | null,
    enabled: input.enabled as boolean,
    events: [...new Set(events as readonly EventName[])],
  };
}

function eventsProblem(events: unknown, { isRequired }: { readonly isRequired: boolean }): Problem | null {
  if (!Array.isArray(events)) return webhookProblems.eventsType;
  if (events.length === 0) return isRequired ? webhookProblems.noEvents : null;
  return events.every((event) => availableEvents.includes(event)) ? null : webhookProblems.events;
}

function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

const fieldOrder: readonly Field[] = [
  'webhook',
  'webhook.enabled',
  'webhook.url',
  'webhook.events',
  'regenerateSecret',
  'overlapHours',
];

/** Returns the first problem of each field. The problems that the caller found come first. */
function firstOfEach(
  found: readonly (Problem | null)[],
  knownProblems: readonly Problem[],
): readonly Problem[] {
  const all = [...knownProblems, ...found.filter((problem) => problem !== null)];
  const ofField = (field: Field) => all.find((problem) => problem.field === field);
  return fieldOrder.map(ofField).filter((problem) => problem !== undefined);
}
