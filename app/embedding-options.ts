import { Secret } from '@rollcall/core';
import { ConfigurationError } from './config/configuration-error.js';
import type { Environment } from './config/read-variable.js';
import { type VariableName, variables } from './config/variables.js';
import { type Config, readConfig } from './config.js';

/** The settings of the service inside another program. What is left out or undefined has its default. */
export interface RollcallSettings {
  /** `sqlite:<path>` or `postgres://…`. Required without `pool`. */
  readonly databaseUrl?: string | undefined;
  /**
   * The base of all links that leave the service, with the path under which the application is mounted:
   * `https://example.com/partner`.
   */
  readonly publicUrl: string;
  /** The key from which all other keys are derived, at least 32 characters. SQLite has one beside its file by default. */
  readonly secretKey?: string | Secret | undefined;
  /** Earlier secret keys, which still verify and decrypt, each at least 32 characters. */
  readonly previousSecretKeys?: readonly (string | Secret)[] | undefined;
  /** A PostgreSQL replica that serves exports. */
  readonly readDatabaseUrl?: string | undefined;
  /** Beyond this lag, the primary database serves exports. 10 by default. */
  readonly readDatabaseMaxLagSeconds?: number | undefined;
  /** The service's name in headers, messages and meeting locations. `Service` by default. */
  readonly serviceName?: string | undefined;
  /** The accent color of the pages, `#rrggbb`. */
  readonly brandColor?: string | undefined;
  /** The path of the logo of the pages: an SVG, PNG, JPEG or WebP file of at most 64 KiB. */
  readonly brandLogo?: string | undefined;
  /** The other platform that meetings can take place on. `zoom` by default. */
  readonly thirdPartyLocation?: string | undefined;
  /** The IANA time zone of the export's date ranges. UTC by default. */
  readonly reportingTimeZone?: string | undefined;
  /** Private networks that may receive webhooks, in CIDR notation. None by default. */
  readonly webhookAllowedNetworks?: readonly string[] | undefined;
  /** The path of a PEM file with further certificate authorities for webhook receivers. */
  readonly webhookCaFile?: string | undefined;
  /** Wrong access keys per minute and address; 0 means no limit. 100 by default. */
  readonly failedAuthenticateLimit?: number | undefined;
  /** API requests per minute and organization. No limit by default. */
  readonly requestLimit?: number | undefined;
  /** Pages per minute and user; 0 means no limit. 300 by default. */
  readonly pageLimit?: number | undefined;
  /** Reads per minute and calendar feed; 0 means no limit. 30 by default. */
  readonly feedLimit?: number | undefined;
  /** Days until completed webhook deliveries are deleted. 30 by default. */
  readonly deliveryRetentionDays?: number | undefined;
  /** Days for which the API can read events again. 30 by default. */
  readonly eventRetentionDays?: number | undefined;
  /** Consecutive failures of a webhook until the last notice in the log; 0 means no notices. 20 by default. */
  readonly webhookFailureNotice?: number | undefined;
  /** The mail server, `smtp://…` or `smtps://…`; with it, people can reset a forgotten password. None by default. */
  readonly smtpUrl?: string | Secret | undefined;
  /** The sender of the mails, required with `smtpUrl`. */
  readonly mailFrom?: string | undefined;
  /** The 1 to 6 digits with which new access keys begin, so that a proxy finds the cell of an organization. */
  readonly accessKeyPrefix?: string | undefined;
  /** A deployment for trials, named in `/openapi.json`. */
  readonly stagingUrl?: string | undefined;
  /**
   * The number of trusted proxies, or their networks; false or none: no proxy. By default those that the host application
   * trusts, if it mounts `app` with its own `use` and not with that of a `Router`.
   */
  readonly trustProxy?: number | readonly string[] | false | undefined;
}

const variableOf = {
  databaseUrl: 'DATABASE_URL',
  publicUrl: 'PUBLIC_URL',
  secretKey: 'SECRET_KEY',
  previousSecretKeys: 'SECRET_KEY_PREVIOUS',
  readDatabaseUrl: 'READ_DATABASE_URL',
  readDatabaseMaxLagSeconds: 'READ_DATABASE_MAX_LAG',
  serviceName: 'SERVICE_NAME',
  brandColor: 'BRAND_COLOR',
  brandLogo: 'BRAND_LOGO',
  thirdPartyLocation: 'THIRD_PARTY_LOCATION',
  reportingTimeZone: 'REPORTING_TIME_ZONE',
  webhookAllowedNetworks: 'WEBHOOK_ALLOWED_NETWORKS',
  webhookCaFile: 'WEBHOOK_CA_FILE',
  failedAuthenticateLimit: 'FAILED_AUTHENTICATE_LIMIT',
  requestLimit: 'REQUEST_LIMIT',
  pageLimit: 'PAGE_LIMIT',
  feedLimit: 'FEED_LIMIT',
  deliveryRetentionDays: 'DELIVERY_RETENTION_DAYS',
  eventRetentionDays: 'EVENT_RETENTION_DAYS',
  webhookFailureNotice: 'WEBHOOK_FAILURE_NOTICE',
  smtpUrl: 'SMTP_URL',
  mailFrom: 'MAIL_FROM',
  accessKeyPrefix: 'ACCESS_KEY_PREFIX',
  stagingUrl: 'STAGING_URL',
  trustProxy: 'TRUST_PROXY',
} as const satisfies Record<keyof RollcallSettings, VariableName>;

const settingNames = Object.keys(variableOf) as readonly (keyof RollcallSettings)[];

/** What is allowed in the settings that can have several values. A variable has them in one text. */
const allowedLists: { readonly [name in keyof RollcallSettings]?: string } = {
  previousSecretKeys: 'an array of earlier secret keys, each at least 32 characters long',
  webhookAllowedNetworks: 'an array of networks in CIDR notation',
  trustProxy: 'the number of proxies (1 to 10), an array of their addresses or networks, or false',
};

/** The options that are not settings: the methods that an object must have, or a type. */
export type OtherOptions = Readonly<Record<string, readonly string[] | 'boolean' | 'text'>>;

const required: readonly (keyof RollcallSettings)[] = ['databaseUrl', 'publicUrl'];

/**
 * Checks the settings as the program checks its environment, which is not read here, and the form of the other options.
 * Throws one `TypeError` with a line for each mistake. Creates the folder of an SQLite file, and the secret key beside it
 * if none is given.
 */
export function embeddedConfig(options: RollcallSettings, others: OtherOptions): Config {
  const settings = Object(options) as RollcallSettings;
  const problems = [
    ...unknownNames(settings, [...settingNames, ...Object.keys(others)]),
    ...required.filter((name) => settings[name] === undefined).map((name) => `${name}: is missing`),
    ...settingNames.flatMap((name) => settingProblems(name, settings[name])),
    ...otherProblems(settings, others),
  ];
  if (problems.length > 0) throw new TypeError(problems.join('\n'));
  // A key may contain a comma, which separates the keys of the variable.
  const { previousSecretKeys, ...rest } = settings;
  const environment: Environment = Object.fromEntries(
    settingNames.map((name) => [variableOf[name], variableText(rest[name as keyof typeof rest])]),
  );
  try {
    const config = readConfig(environment, () => undefined);
    return { ...config, previousSecretKeys: previousKeys(settings).map((key) => new Secret(key)) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new TypeError(
      error.problems.map(({ name, message }) => `${settingOf(name)}: ${message}`).join('\n'),
    );
  }
}

function unknownNames(options: object, known: readonly string[]): readonly string[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = meantBy(name, known);
      const help = meant === undefined ? `the options are ${known.join(', ')}` : `did you mean ${meant}?`;
      return `${name}: is not an option; ${help}`;
    });
}

/** The option that is written differently, shortened, or named like its variable. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const folded = (text: string): string => text.toLowerCase().replaceAll('_', '');
  const written = folded(name);
  const isSame = (option: string): boolean =>
    [option, `${option}s`, variableOf[option as keyof RollcallSettings] ?? option]
      .map(folded)
      .includes(written);
  const begun = known.filter((option) => folded(option).startsWith(written));
  return known.find(isSame) ?? (begun.length === 1 ? begun[0] : undefined);
}

function settingProblems(name: keyof RollcallSettings, value: unknown): readonly string[] {
  if (value === undefined || (name === 'trustProxy' && value === false)) return [];
  const wrong = wrongType(name, value);
  if (wrong !== null) return [`${name}: ${wrong}; it must be ${allowedLists[name] ?? allowedBy(name)}`];
  const texts = (Array.isArray(value) ? value : [value]).map((part: Text) => textOf(part).trim());
  if (texts.includes('')) return [`${name}: is empty`];
  if (name !== 'previousSecretKeys') return [];
  return texts
    .filter((key) => key.length < MIN_SECRET_KEY_CHARACTERS)
    .map((key) => `${name}: a key of ${key.length} characters is too short; ${keyLength}`);
}

/** Null if the type can be right. */
function wrongType(name: keyof RollcallSettings, value: unknown): string | null {
  if (name === 'trustProxy' && value === true) return 'true would trust any address that a client sends';
  if (!Array.isArray(value))
    return isText(value) && name !== 'previousSecretKeys' ? null : `${kindOf(value)} is not valid`;
  if (allowedLists[name] === undefined) return 'an array is not valid';
  const index = value.findIndex((part) => !isText(part) || typeof part === 'number');
  return index === -1 ? null : `an array with ${kindOf(value[index])} is not valid`;
}

function allowedBy(name: keyof RollcallSettings): string {
  const { allowed, example } = variables[variableOf[name]];
  return `${allowed}, for example ${example}`;
}

function otherProblems(options: object, others: OtherOptions): readonly string[] {
  return Object.entries(others).flatMap(([name, form]) => {
    const value: unknown = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || hasForm(value, form)) return [];
    const allowed =
      form === 'boolean'
        ? 'true or false'
        : form === 'text'
          ? 'a text that is not empty'
          : `an object with ${form.map((method) => `${method}()`).join(', ')}`;
    return [`${name}: ${kindOf(value)} is not valid; it must be ${allowed}`];
  });
}

function hasForm(value: unknown, form: OtherOptions[string]): boolean {
  if (form === 'boolean') return typeof value === form;
  if (form === 'text') return typeof value === 'string' && /^[^\0]+$/.test(value);
  const methods = Object(value) as Readonly<Record<string, unknown>>;
  return form.every((method) => typeof methods[method] === 'function');
}

/** Not the value itself, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const MIN_SECRET_KEY_CHARACTERS = 32;
const keyLength = `it must be at least ${MIN_SECRET_KEY_CHARACTERS} characters long`;

/** Trimmed, as the secret key is. */
function previousKeys({ previousSecretKeys = [] }: RollcallSettings): readonly string[] {
  return previousSecretKeys.map((key) => textOf(key).trim());
}

type Text = string | number | Secret;

function isText(value: unknown): value is Text {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof (value as Secret | null)?.reveal === 'function'
  );
}

function textOf(value: Text): string {
  return typeof value === 'object' ? value.reveal() : String(value);
}

/** The text of the variable. Undefined if it is to have its default. */
function variableText(setting: RollcallSettings[keyof RollcallSettings]): string | undefined {
  if (setting === undefined || setting === false) return undefined;
  return isText(setting) ? textOf(setting) : setting.map(textOf).join(',');
}

function settingOf(variable: string): string {
  return settingNames.find((name) => variableOf[name] === variable) ?? variable;
}
