import type { Problem } from '../values/problem.js';
import { isStorable } from '../values/text.js';
import { availableEvents } from './webhook.js';

const MAX_URL_CHARACTERS = 2048;
const supported = availableEvents.join(', ');

/** All problems that a request to configure the webhook can have. */
export const webhookProblems = {
  shape: {
    field: 'webhook',
    code: 'wrong-type',
    message: 'must be an object with enabled, url and events',
  },
  enabled: { field: 'webhook.enabled', code: 'wrong-type', message: 'is required and must be true or false' },
  noUrl: {
    field: 'webhook.url',
    code: 'required-when-enabled',
    message: 'is required when webhook.enabled is true',
  },
  urlType: { field: 'webhook.url', code: 'wrong-type', message: 'must be a string' },
  urlLength: {
    field: 'webhook.url',
    code: 'too-long',
    message: `must have at most ${MAX_URL_CHARACTERS} characters`,
  },
  url: {
    field: 'webhook.url',
    code: 'malformed',
    message: 'must be a valid HTTPS URL such as https://example.com/hooks',
  },
  urlCredentials: {
    field: 'webhook.url',
    code: 'credentials',
    message: 'must not contain a user name or password',
  },
  eventsType: {
    field: 'webhook.events',
    code: 'wrong-type',
    message: `must be an array of event names; supported: ${supported}`,
  },
  noEvents: {
    field: 'webhook.events',
    code: 'required-when-enabled',
    message: `must name at least one event when webhook.enabled is true: ${supported}`,
  },
  events: {
    field: 'webhook.events',
    code: 'not-allowed',
    message: `holds an unsupported event; supported: ${supported}`,
  },
  regenerateSecret: {
    field: 'regenerateSecret',
    code: 'not-allowed',
    message: 'must be "1", 1 or true to rotate the secret, or "0", 0 or false',
  },
} as const satisfies Readonly<Record<string, Problem>>;

/** What is wrong with the URL of a webhook, or null. */
export function webhookUrlProblem(url: unknown): Problem | null {
  if (typeof url !== 'string') return webhookProblems.urlType;
  if (url.length > MAX_URL_CHARACTERS) return webhookProblems.urlLength;
  const parsed = /[\s\p{Cc}]/u.test(url) || !isStorable(url) ? null : parseUrl(url);
  if (parsed === null || !/^https:\/\//i.test(url)) return webhookProblems.url;
  const hasCredentials = parsed.username !== '' || parsed.password !== '';
  return hasCredentials ? webhookProblems.urlCredentials : null;
}

/** The URL, or null if it has no valid syntax. */
export function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
