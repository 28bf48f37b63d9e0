import { Secret } from '@rollcall/core';
import { ConfigurationError } from './config/configuration-error.js';
import type { Environment } from './config/read-variable.js';
import type { VariableName } from './config/variables.js';
import { type Config, readConfig } from './config.js';

/** The settings of the service inside another program. What is left out or undefined has its default. */
export interface RollcallSettings {
  /** `sqlite:<path>` or `postgres://…`. */
  readonly databaseUrl: string;
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
const required: readonly (keyof RollcallSettings)[] = ['databaseUrl', 'publicUrl'];

/**
 * Checks the settings as the program checks its environment, which is not read here. Throws one `TypeError` with a line
 * for each mistake. Creates the folder of an SQLite file, and the secret key beside it if none is given.
 */
export function embeddedConfig(settings: RollcallSettings): Config {
  const problems = [
    ...required.filter((name) => settings[name] === undefined).map((name) => `${name}: is missing`),
    ...settingNames.filter((name) => isBlank(settings[name])).map((name) => `${name}: is empty`),
    ...previousKeys(settings)
      .filter((key) => key.length < MIN_SECRET_KEY_CHARACTERS)
      .map((key) => `previousSecretKeys: a key of ${key.length} characters is too short; ${keyLength}`),
  ];
  if (problems.length > 0) throw new TypeError(problems.join('\n'));
  // A key may contain a comma, which separates the keys of the variable.
  const { previousSecretKeys, ...others } = settings;
  const environment: Environment = Object.fromEntries(
    settingNames.map((name) => [variableOf[name], textOf(others[name as keyof typeof others])]),
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

const MIN_SECRET_KEY_CHARACTERS = 32;
const keyLength = `it must be at least ${MIN_SECRET_KEY_CHARACTERS} characters long`;

function previousKeys({ previousSecretKeys = [] }: RollcallSettings): readonly string[] {
  return previousSecretKeys.map((key) => (typeof key === 'string' ? key : key.reveal()));
}

/** A blank environment variable counts as left out, but a blank option is a mistake of the program. */
function isBlank(setting: Setting): boolean {
  if (typeof setting === 'object' && 'map' in setting)
    return setting.some((part) => textOf(part)?.trim() === '');
  return textOf(setting)?.trim() === '';
}

type Setting = RollcallSettings[keyof RollcallSettings];

function textOf(setting: Setting): string | undefined {
  if (setting === undefined || setting === false) return undefined;
  if (typeof setting === 'string' || typeof setting === 'number') return String(setting);
  if ('reveal' in setting) return setting.reveal();
  return setting.map((part: string | Secret) => (typeof part === 'string' ? part : part.reveal())).join(',');
}

function settingOf(variable: string): string {
  return settingNames.find((name) => variableOf[name] === variable) ?? variable;
}
