import { maxKeepHours } from '../values/keep-hours.js';
import type { Problem } from '../values/problem.js';
import { isStorable, visibleUrl } from '../values/text.js';
import { availableEvents } from './events.js';

const MAX_URL_CHARACTERS = 2048;
const supported = availableEvents.join(', ');

/** All problems that a request to configure the webhook can have. */
export const webhookProblems = {
  shape: {
    field: 'webhook',
    code: 'wrong-type',
    message: 'must be an object with at least enabled, such as {"enabled":true}',
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
  overlapHours: {
    field: 'overlapHours',
    code: 'not-allowed',
    message: `must be a whole number from 1 to ${maxKeepHours}`,
  },
  overlapWithoutRotation: {
    field: 'overlapHours',
    code: 'without-rotation',
    message: 'is only allowed in a request that rotates the secret',
  },
  rotationUnderWay: {
    field: 'overlapHours',
    code: 'rotation-under-way',
    message:
      'is not allowed while the secret of an earlier rotation is still in use: finish that rotation first',
  },
} as const satisfies Readonly<Record<string, Problem>>;

/** The hours of an overlap as a number from 1 to 168, which may be written as text; null: it is something else. */
export function readOverlapHours(input: unknown): number | null {
  const hours = typeof input === 'string' && /^[1-9]\d*$/.test(input) ? Number(input) : input;
  return typeof hours === 'number' && Number.isInteger(hours) && hours >= 1 && hours <= maxKeepHours
    ? hours
    : null;
}

/** What is wrong with the URL of a webhook, or null. */
export function webhookUrlProblem(url: unknown): Problem | null {
  if (typeof url !== 'string') return webhookProblems.urlType;
  if (url.length > MAX_URL_CHARACTERS) return webhookProblems.urlLength;
  const isVisible = !/\s/.test(url) && visibleUrl(url) === url;
  const parsed = isStorable(url) && isVisible ? parseUrl(url) : null;
  if (parsed === null || !/^https:\/\//i.test(url)) return webhookProblems.url;
  const hasCredentials = parsed.username !== '' || parsed.password !== '';
  return hasCredentials ? webhookProblems.urlCredentials : null;
}

/** The URL, or null if it has no valid syntax. */
function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
