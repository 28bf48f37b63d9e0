import type { Secret } from './values/secret.js';
import { isTimeZone } from './values/time-zone.js';

interface Rule {
  readonly isValid: (value: unknown) => boolean;
  readonly allowed: string;
}

const MAX_NAME_CHARACTERS = 50;
const MAX_COUNT = 1_000_000;

/** A setting that is a number of something. `zero` says what 0 means, `meaning` what is counted. */
function count(setting: { readonly default: number; readonly zero: string; readonly meaning: string }) {
  return {
    ...setting,
    maximum: MAX_COUNT,
    isValid: isCount,
    allowed: `a whole number from 0 to ${MAX_COUNT}; 0 is ${setting.zero}`,
  };
}

/** The settings that are counts. The service has each as an environment variable and an option, too. */
export const countSettings = {
  /** The maximum number of wrong access keys per minute and address; 0: no limit. Default 100. */
  failedAuthenticateLimit: count({
    default: 100,
    zero: 'no limit',
    meaning: 'wrong access keys per minute and address',
  }),
  /** The number of failures in a row of one webhook at which the last notice is sent; 0: no notices. Default 20. */
  webhookFailureNotice: count({
    default: 20,
    zero: 'no notices',
    meaning: 'consecutive failures of a webhook until the last notice in the log',
  }),
};

const settings = {
  /** The operator's brand: at most 50 letters, digits, spaces and hyphens. Default `Service`. */
  serviceName: {
    default: 'Service',
    isValid: isServiceName,
    allowed: `a name of at most ${MAX_NAME_CHARACTERS} letters (A to Z), digits, spaces and hyphens`,
  },
  /** IANA name; the zone of presets for organizations that have set none. Default `UTC`. */
  reportingTimeZone: {
    default: 'UTC',
    isValid: isTimeZone,
    allowed: 'an IANA time zone such as Europe/Berlin or UTC',
  },
  ...countSettings,
};

/** The settings of the core. */
export type Settings = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name]['default'];
};

export const defaultSettings = Object.fromEntries(
  Object.entries(settings).map(([name, setting]) => [name, setting.default]),
) as unknown as Settings;

/** The URLs that the core returns for people. */
export interface Links {
  /** The page on which a person accepts an invitation. */
  readonly invitation: (token: Secret) => string;
  /** The page on which a login link is redeemed. */
  readonly login: (token: Secret) => string;
  /** The page on which a person sets a new password. Only needed with a `mailer`. */
  readonly passwordReset?: ((token: Secret) => string) | undefined;
  /** The page with the webhook of an organization. Only needed with a `mailer`. */
  readonly webhook?: ((organizationId: number) => string) | undefined;
  /** The page with the activity of an organization. Only needed with a `mailer`. */
  readonly activity?: ((organizationId: number) => string) | undefined;
  /** A calendar feed. Only `createCalendarFeed` needs it. */
  readonly calendar?: ((token: Secret) => string) | undefined;
  /** The page to which an organization's identity provider sends people back. Only sign-on needs it. */
  readonly signOn?: ((organizationId: number) => string) | undefined;
  /** The page on which a set-up link is opened. Only `issueSetupLink` needs it. */
  readonly setup?: ((token: Secret) => string) | undefined;
  /** The URL of the picture for a group leader who has none. */
  readonly defaultAvatar: string;
}

const url: Rule = {
  isValid: (value) => typeof value === 'function',
  allowed: 'a function that makes a URL of a token',
};

const optionalUrl: Rule = {
  isValid: (value) => value === undefined || url.isValid(value),
  allowed: `${url.allowed}, or left out`,
};

const optionalPage: Rule = {
  isValid: optionalUrl.isValid,
  allowed: 'a function that makes a URL of the id of an organization, or left out',
};

const linkRules: Readonly<Record<keyof Links, Rule>> = {
  invitation: url,
  login: url,
  passwordReset: optionalUrl,
  webhook: optionalPage,
  activity: optionalPage,
  calendar: optionalUrl,
  signOn: optionalPage,
  setup: optionalUrl,
  defaultAvatar: {
    isValid: (value) => typeof value === 'string',
    allowed: 'a string: the URL of a picture',
  },
};

type Unchecked = Readonly<Record<string, unknown>> | null | undefined;

/** Names every setting that is wrong, with what is allowed, and every one of these links that is missing. */
export function optionMistakes(options: unknown, neededLinks: readonly string[]): readonly string[] {
  const given = options as Unchecked;
  const links = given?.links as Unchecked;
  const wrongSettings = Object.entries<Rule>(settings)
    .filter(([name, { isValid }]) => (given?.[name] ?? null) !== null && !isValid(given?.[name]))
    .map(([name, { allowed }]) => `${name} must be ${allowed}`);
  const wrongLinks = Object.entries(linkRules)
    .filter(([name, { isValid }]) => !isValid(links?.[name]))
    .filter(([name]) => links?.[name] !== undefined || neededLinks.includes(name))
    .map(([name, { allowed }]) => `links.${name} must be ${allowed}`);
  return [...wrongSettings, ...wrongLinks];
}

/** Allows only characters that are valid in HTTP header names, and spaces, which the headers show as hyphens. */
function isServiceName(name: unknown): boolean {
  if (typeof name !== 'string' || name.length > MAX_NAME_CHARACTERS) return false;
  return /^[A-Za-z0-9](?:[A-Za-z0-9 -]*[A-Za-z0-9])?$/.test(name);
}

function isCount(count: unknown): boolean {
  return Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MAX_COUNT;
}
