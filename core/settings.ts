import type { Secret } from './values/secret.js';
import { checkTimeZone } from './values/time-zone.js';

/** What the one who assembles the core decides; see `defaultSettings` for what may be left out. */
export interface Settings {
  /** The operator's brand: letters, digits, spaces and hyphens (decision 1). */
  readonly serviceName: string;
  /** IANA name; the zone of presets for organizations that have set none (decision 9). */
  readonly reportingTimeZone: string;
  /** Wrong access keys a minute per address; 0: no limit (decision 31). */
  readonly failedAuthenticateLimit: number;
  /** Failures in a row of one webhook until the last notice of them; 0: no notices (decision 87). */
  readonly webhookFailureNotice: number;
  /** Where the pages are, so that links can be handed out. */
  readonly links: {
    readonly invitation: (token: Secret) => string;
    readonly login: (token: Secret) => string;
    /** Needed by `createCalendarFeed` only. */
    readonly calendar?: ((token: Secret) => string) | undefined;
    readonly defaultAvatar: string;
  };
}

export const defaultSettings = {
  serviceName: 'Service',
  reportingTimeZone: 'UTC',
  failedAuthenticateLimit: 100,
  webhookFailureNotice: 20,
} as const satisfies Partial<Settings>;

/** What of the settings must be given, and what may be. What is `undefined` or null counts as left out. */
export type CoreOptions = Pick<Settings, 'links'> & {
  readonly [Name in keyof Omit<Settings, 'links'>]?: Settings[Name] | undefined;
};

/** Checks every setting, so that a mistake shows at the start and not in a request. Throws with all mistakes at once. */
export function readSettings(given: CoreOptions): Settings {
  const settings: Settings = {
    serviceName: given.serviceName ?? defaultSettings.serviceName,
    reportingTimeZone: given.reportingTimeZone ?? defaultSettings.reportingTimeZone,
    failedAuthenticateLimit: given.failedAuthenticateLimit ?? defaultSettings.failedAuthenticateLimit,
    webhookFailureNotice: given.webhookFailureNotice ?? defaultSettings.webhookFailureNotice,
    links: given.links,
  };
  const mistakes = mistakesIn(settings);
  if (mistakes.length > 0) throw new TypeError(`The settings are wrong. ${mistakes.join('; ')}.`);
  return settings;
}

const MAX_NAME_CHARACTERS = 50;
const MAX_COUNT = 1_000_000;

function mistakesIn(settings: Settings): readonly string[] {
  const { serviceName, reportingTimeZone, failedAuthenticateLimit, webhookFailureNotice, links } = settings;
  const { invitation, login, calendar, defaultAvatar } = links ?? {};
  const name = `a name of at most ${MAX_NAME_CHARACTERS} letters (A to Z), digits, spaces and hyphens`;
  const count = `a whole number from 0 to ${MAX_COUNT}`;
  const link = 'a function that makes a URL of a token';
  const rules: readonly (readonly [setting: string, isRight: boolean, allowed: string])[] = [
    ['serviceName', isName(serviceName), name],
    ['reportingTimeZone', isTimeZone(reportingTimeZone), 'an IANA time zone such as Europe/Berlin or UTC'],
    ['failedAuthenticateLimit', isCount(failedAuthenticateLimit), `${count}; 0 is no limit`],
    ['webhookFailureNotice', isCount(webhookFailureNotice), `${count}; 0 is no notices`],
    ['links.invitation', typeof invitation === 'function', link],
    ['links.login', typeof login === 'function', link],
    ['links.calendar', calendar === undefined || typeof calendar === 'function', `${link}, or left out`],
    ['links.defaultAvatar', typeof defaultAvatar === 'string', 'a string: the URL of a picture'],
  ];
  return rules
    .filter(([, isRight]) => !isRight)
    .map(([setting, , allowed]) => `${setting} must be ${allowed}`);
}

/** It stands in names of headers. */
function isName(name: unknown): boolean {
  if (typeof name !== 'string' || name.length > MAX_NAME_CHARACTERS) return false;
  return /^[A-Za-z0-9]+(?:[ -]+[A-Za-z0-9]+)*$/.test(name);
}

function isCount(count: unknown): boolean {
  return Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MAX_COUNT;
}

function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  try {
    return checkTimeZone(name) !== '';
  } catch {
    return false;
  }
}
