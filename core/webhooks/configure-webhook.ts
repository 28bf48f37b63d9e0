import type { Acting } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import { organizationNotFound } from '../access/organization-not-found.js';
import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';
import type { Secret } from '../values/secret.js';
import { isStorable } from '../values/text.js';
import type { EventName, Webhook, WebhookSettings } from './ports.js';
import { availableEvents, type WebhookView, webhookView } from './webhook.js';

export interface ConfigureWebhook extends Acting {
  readonly organization: Pick<Organization, 'id'>;
  /** `set`: the request must hold everything that enabling needs. `change`: fields that are left out keep their values (decision 4). */
  readonly how: 'set' | 'change';
  /** `{ url, enabled, events }` as received; all mistakes are reported together. */
  readonly webhook: unknown;
  readonly regenerateSecret?: unknown;
  /** The `updatedAt` that the caller has seen: refused if the configuration has changed since, or is gone. */
  readonly unchangedSince?: Date | undefined;
}

/** Creates or changes the one configuration of the organization (section 4.5). */
export async function configureWebhook(
  { webhooks, secrets, clock }: Pick<Deps, 'webhooks' | 'secrets' | 'clock'>,
  { organization, how, webhook: input, regenerateSecret, unchangedSince, by }: ConfigureWebhook,
): Promise<WebhookView> {
  if (!isId(organization.id)) throw organizationNotFound('organization.id', organization.id);
  const now = clock.now();
  let newSecret: Secret | null = null;
  let isRotated = false;
  const decide = (current: Webhook | null): WebhookSettings => {
    if (unchangedSince !== undefined && current?.updatedAt.getTime() !== unchangedSince.getTime()) {
      throw new Refusal('webhook-outdated', 'The webhook is another one by now; nothing was changed');
    }
    const wanted = read({ how, current, input, regenerateSecret });
    newSecret = current === null || wanted.rotates ? secrets.newSigningSecret() : null;
    isRotated = current !== null && newSecret !== null;
    return {
      url: wanted.url,
      enabled: wanted.enabled,
      events: wanted.events,
      encryptedSecret:
        newSecret === null
          ? (current as Webhook).encryptedSecret
          : secrets.encrypt({ secret: newSecret, organizationId: organization.id }),
      createdAt: current?.createdAt ?? now,
      updatedAt: now,
    };
  };
  const webhook = await webhooks.configure(organization.id, decide, ({ url }) => {
    const done = { organizationId: organization.id, subject: hostOf(url) };
    const rotated = isRotated
      ? auditEntries({ by, at: now }, { ...done, action: 'signing-secret-rotated', subject: null })
      : [];
    return [...auditEntries({ by, at: now }, { ...done, action: 'webhook-configured' }), ...rotated];
  });
  if (webhook === null) throw organizationNotFound('organization.id', organization.id);
  return webhookView(webhook, newSecret);
}

/** Only the host: the rest of a URL may contain a secret of the receiver. */
function hostOf(url: string | null): string | null {
  return url === null ? null : (parseUrl(url)?.host ?? null);
}

interface Wanted {
  readonly url: string | null;
  readonly enabled: boolean;
  readonly events: readonly EventName[];
  readonly rotates: boolean;
}

interface Request {
  readonly how: ConfigureWebhook['how'];
  readonly current: Webhook | null;
  readonly input: unknown;
  readonly regenerateSecret: unknown;
}

/** The configuration that the request and the current one make together, or a refusal with every mistake. */
function read({ how, current, input, regenerateSecret }: Request): Wanted {
  const rotates = readRotation(regenerateSecret);
  const rotationProblem =
    rotates === null
      ? ['regenerate_secret must be "1", 1 or true to rotate the secret, or "0", 0 or false']
      : [];
  if (!isObject(input)) {
    throw invalid(['webhook must be an object with enabled, url and events', ...rotationProblem]);
  }

  const keeps = how === 'change' || input.enabled === false;
  // An empty URL is how a missing one is shown (decision 42). A request that sends it removes the URL (decision 141).
  const given = input.url === '' ? null : input.url;
  const url = given ?? (keeps && given === undefined ? current?.url : null) ?? null;
  const events = input.events ?? (keeps && input.events === undefined ? current?.events : null) ?? [];
  const problems = [
    ...enabledProblems(input.enabled),
    ...urlProblems(url, { required: input.enabled === true }),
    ...eventProblems(events, { required: input.enabled === true }),
    ...rotationProblem,
  ];
  if (problems.length > 0) throw invalid(problems);
  return {
    url: url as string | null,
    enabled: input.enabled as boolean,
    events: [...new Set(events as readonly EventName[])],
    rotates: rotates === true,
  };
}

function enabledProblems(enabled: unknown): readonly string[] {
  return typeof enabled === 'boolean' ? [] : ['webhook.enabled is required and must be true or false'];
}

const MAX_URL_CHARACTERS = 2048;

function urlProblems(url: unknown, { required }: { readonly required: boolean }): readonly string[] {
  if (url === null) return required ? ['webhook.url is required when webhook.enabled is true'] : [];
  if (typeof url !== 'string') return ['webhook.url must be a string'];
  if (url.length > MAX_URL_CHARACTERS)
    return [`webhook.url must have at most ${MAX_URL_CHARACTERS} characters`];

  const parsed = /[\s\p{Cc}]/u.test(url) || !isStorable(url) ? null : parseUrl(url);
  if (parsed === null || !/^https:\/\//i.test(url)) {
    return ['webhook.url must be a valid HTTPS URL such as https://example.com/hooks'];
  }
  const hasCredentials = parsed.username !== '' || parsed.password !== '';
  return hasCredentials ? ['webhook.url must not contain a user name or password'] : [];
}

function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

function eventProblems(events: unknown, { required }: { readonly required: boolean }): readonly string[] {
  const supported = availableEvents.join(', ');
  if (!Array.isArray(events))
    return [`webhook.events must be an array of event names; supported: ${supported}`];
  if (events.length === 0) {
    return required
      ? [`webhook.events must name at least one event when webhook.enabled is true: ${supported}`]
      : [];
  }
  return events.every((event) => availableEvents.includes(event))
    ? []
    : [`webhook.events holds an unsupported event; supported: ${supported}`];
}

/** Null: neither yes nor no (decision 5). */
function readRotation(input: unknown): boolean | null {
  if (input === '1' || input === 1 || input === true) return true;
  if (input === undefined || input === '0' || input === 0 || input === false) return false;
  return null;
}

function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function invalid(problems: readonly string[]): Refusal {
  return new Refusal('invalid-webhook', problems);
}
