import type { Secret } from '@rollcall/core';
import { countSettings } from '@rollcall/core/rules';
import type { Given, Rules, Schema } from './rules.js';

/** A setting: how it is read, and what an operator should know of it. */
export interface Setting {
  /** By name, because commands that only list the settings load no rules. */
  readonly rule: keyof Rules;
  /** What is allowed, after "must be". */
  readonly allowed: string;
  readonly example: string;
  /** Its effect, for the reader of the documentation. */
  readonly meaning: string;
  /** Read if nothing else is given. */
  readonly default?: string | number;
  /** The effect of leaving it out, if there is no default. */
  readonly unset?: string;
  /** Its value if it is left out and has no default. Null by default. */
  readonly absent?: unknown;
  /** Which commands use it; `serve` by default. */
  readonly usedBy?: 'all commands' | 'serve and prune';
  /** The value is never printed. */
  readonly isSecret?: true;
  /** Most deployments need to decide on it, so the README lists it. */
  readonly isEssential?: true;
  /** The environment variable, if it is not the name in capitals. */
  readonly variable?: string;
  /** The option of `createRollcall`, if it is not simply a text or a number. Null if there is none. */
  readonly option?: OptionForm<unknown> | null;
  /** What the variable holds. A text by default. */
  readonly schema?: Schema;
}

interface OptionForm<Type> {
  /** What is allowed, after "must be", if it may be an array. */
  readonly list?: string;
  /** Only for the compiler. */
  readonly type?: Type;
}

const MAX_COUNT = 1_000_000;

/**
 * An integer in a range. `zero` says what 0 means. `except` follows the range in the text that says what is allowed. By
 * default, the example is the default.
 */
function integer<const Rest extends Omit<Setting, 'allowed' | 'example' | 'rule' | 'schema'>>({
  minimum,
  maximum,
  zero,
  except = '',
  example,
  ...rest
}: Rest & {
  readonly minimum: number;
  readonly maximum: number;
  readonly zero?: string;
  readonly except?: string;
  readonly example?: string;
}) {
  const least = zero === undefined ? minimum : `${minimum} (${zero})`;
  return {
    ...(rest as unknown as Omit<Rest, 'minimum' | 'maximum' | 'zero' | 'except' | 'example'>),
    rule: 'integer',
    example: example ?? String(rest.default),
    allowed: `an integer from ${least} to ${maximum}${except}`,
    schema: { type: 'integer', minimum, maximum },
  } as const;
}

type CountSettings = typeof countSettings;

function countSetting({ default: fallback, zero, maximum, meaning }: CountSettings[keyof CountSettings]) {
  return integer({ minimum: 0, zero, maximum, default: fallback, meaning });
}

/** What the core says of its own settings is all that there is to say. */
const { webhookFailureNotice, ...limitsOfCore } = Object.fromEntries(
  Object.entries(countSettings).map(([name, count]) => [name, countSetting(count)]),
) as unknown as { readonly [Name in keyof CountSettings]: ReturnType<typeof countSetting> };

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const BASE_URL = 'an http or https URL without query, fragment or user name';
const BASE_URL_EXAMPLE = 'https://rollcall.example.com or https://example.com/rollcall';
const NAME = 'a name of at most 50 letters (A to Z), digits, single spaces and hyphens';
const HOST = 'an address or host name of this machine';

function privateHost(meaning: string) {
  const address = '127.0.0.1';
  return {
    rule: 'hostName',
    default: address,
    allowed: HOST,
    example: address,
    meaning,
    option: null,
  } as const;
}

/**
 * All settings, in the order of the documentation. The environment variables, the options of `createRollcall`, the type
 * `Config` and the tables of the documentation follow from them. The comments are those of the options.
 */
export const settings = {
  port: integer({
    minimum: 1,
    maximum: 65535,
    default: 3000,
    meaning: 'port of the HTTP server',
    isEssential: true,
    option: null,
  }),
  host: {
    rule: 'hostName',
    default: '127.0.0.1',
    allowed: HOST,
    example: '127.0.0.1, or 0.0.0.0 for all addresses',
    meaning: 'address that the HTTP server listens on',
    isEssential: true,
    option: null,
  },
  /**
   * The base of all links that leave the service, with the path under which the application is mounted:
   * `https://example.com/partner`.
   */
  publicUrl: {
    rule: 'baseUrl',
    unset: '`http://localhost:$PORT`',
    allowed: BASE_URL,
    example: BASE_URL_EXAMPLE,
    meaning: 'base of all links that leave the service',
    usedBy: 'all commands',
    isEssential: true,
  },
  /** `sqlite:<path>` or `postgres://…`. Required without `pool`. */
  databaseUrl: {
    rule: 'database',
    default: 'sqlite:data/rollcall.db',
    allowed: 'sqlite:<path>, or the postgres:// URL of a database',
    example: 'sqlite:data/rollcall.db or postgres://rollcall:<password>@db.example.com/rollcall',
    meaning: 'the database',
    usedBy: 'all commands',
    isSecret: true,
    isEssential: true,
  },
  /** A PostgreSQL replica that serves exports. */
  readDatabaseUrl: {
    rule: 'replica',
    allowed: 'the postgres:// URL of a replica of the PostgreSQL database in DATABASE_URL',
    example: 'postgres://rollcall:<password>@replica.example.com/rollcall',
    meaning: 'a PostgreSQL replica that serves exports',
    isSecret: true,
  },
  /** Beyond this lag, the primary database serves exports. 10 by default. */
  readDatabaseMaxLagSeconds: integer({
    variable: 'READ_DATABASE_MAX_LAG',
    minimum: 1,
    maximum: 3600,
    default: 10,
    meaning: 'maximum lag of the replica in seconds; beyond it, the primary database serves exports',
  }),
  /** The key from which all other keys are derived, at least 32 characters. SQLite has one beside its file by default. */
  secretKey: {
    rule: 'secret',
    option: {} as OptionForm<string | Secret>,
    unset: 'SQLite: created beside the file; PostgreSQL: required',
    allowed: 'at least 32 characters long',
    example: 'the output of `openssl rand -base64 32`',
    meaning: 'the key from which all other keys are derived',
    usedBy: 'all commands',
    isSecret: true,
    isEssential: true,
  },
  /** Earlier secret keys, which still verify and decrypt, each at least 32 characters. */
  previousSecretKeys: {
    variable: 'SECRET_KEY_PREVIOUS',
    rule: 'secrets',
    option: {
      list: 'an array of earlier secret keys, each at least 32 characters long',
    } as OptionForm<readonly (string | Secret)[]>,
    absent: [],
    allowed: 'earlier secret keys, separated by commas, each at least 32 characters long',
    example: 'the SECRET_KEY before the current one',
    meaning: 'earlier secret keys, which still verify and decrypt',
    usedBy: 'all commands',
    isSecret: true,
  },
  /** The service's name in headers, messages and meeting locations. `Service` by default. */
  serviceName: {
    rule: 'brandName',
    default: 'Service',
    allowed: NAME,
    example: 'Acme Circles',
    meaning: "the service's name in headers, messages and meeting locations",
    usedBy: 'all commands',
    isEssential: true,
  },
  /** The accent color of the pages, `#rrggbb`. */
  brandColor: {
    rule: 'hexColor',
    default: '#524ed2',
    allowed: 'a color as #rrggbb',
    example: '#0b7a75',
    meaning: 'accent color of the pages; text on it and links in it stay readable',
  },
  /** The path of the logo of the pages: an SVG, PNG, JPEG or WebP file of at most 64 KiB. */
  brandLogo: {
    rule: 'logoFile',
    unset: 'a tick on `BRAND_COLOR`',
    allowed: 'the path of a readable SVG, PNG, JPEG or WebP file of at most 64 KiB',
    example: '/etc/rollcall/logo.svg',
    meaning: 'logo and icon of the pages, read at start',
  },
  /** The page of your platform where a meeting is managed, with `{id}` for its number. No link by default. */
  meetingUrl: {
    rule: 'meetingUrl',
    unset: 'no button',
    allowed: 'an http or https URL with {id} once, after the host',
    example: 'https://meet.example.com/meetings/{id}',
    meaning: 'where the button “Manage” of a meeting leads; `{id}` is its number',
  },
  /** Where people get help from you: a page. By default `supportEmail`, or else no link. */
  supportUrl: {
    rule: 'webUrl',
    unset: '`SUPPORT_EMAIL`',
    allowed: 'an http or https URL',
    example: 'https://example.com/support',
    meaning: 'where pages send people who need your help',
  },
  /** The address for people who need your help, if there is no `supportUrl`. No link by default. */
  supportEmail: {
    rule: 'emailAddress',
    unset: 'no link',
    allowed: 'an email address',
    example: 'support@example.com',
    meaning: 'address for the same, without `SUPPORT_URL`',
  },
  /** The other platform that meetings can take place on. `zoom` by default. */
  thirdPartyLocation: {
    rule: 'location',
    default: 'zoom',
    allowed: NAME,
    example: 'zoom',
    meaning: 'the other platform that meetings can take place on',
    usedBy: 'all commands',
  },
  /** The IANA time zone of the export's date ranges. UTC by default. */
  reportingTimeZone: {
    rule: 'timeZone',
    default: 'UTC',
    allowed: 'an IANA time zone',
    example: 'Europe/Berlin',
    meaning: "time zone of the export's date ranges",
  },
  /** Private networks that may receive webhooks, in CIDR notation. None by default. */
  webhookAllowedNetworks: {
    rule: 'networks',
    option: { list: 'an array of networks in CIDR notation' } as OptionForm<readonly string[]>,
    absent: [],
    allowed: 'networks in CIDR notation, separated by commas',
    example: '10.0.0.0/8,fd00::/8',
    meaning: 'private networks of receivers and identity providers',
  },
  /** The path of a PEM file with further certificate authorities for webhook receivers and identity providers. */
  webhookCaFile: {
    rule: 'certificateFile',
    allowed: 'the path of a readable PEM file with certificates',
    example: '/etc/ssl/private-ca.pem',
    meaning: 'further certificate authorities for receivers and identity providers',
  },
  ...limitsOfCore,
  /** API requests per minute and organization. No limit by default. */
  requestLimit: integer({
    minimum: 1,
    maximum: MAX_COUNT,
    unset: 'no limit',
    example: '600',
    meaning: 'API requests per minute and organization',
  }),
  /** Pages per minute and user, or per address before sign-in; 0 means no limit. 300 by default. */
  pageLimit: integer({
    minimum: 0,
    zero: 'no limit',
    maximum: MAX_COUNT,
    default: 300,
    meaning: 'pages per minute and user, or per address before sign-in',
  }),
  /** Reads per minute and calendar feed; 0 means no limit. 30 by default. */
  feedLimit: integer({
    minimum: 0,
    zero: 'no limit',
    maximum: MAX_COUNT,
    default: 30,
    meaning: 'reads per minute and calendar feed',
  }),
  /** Days until completed webhook deliveries are deleted. 30 by default. */
  deliveryRetentionDays: integer({
    minimum: 1,
    maximum: 3650,
    default: 30,
    meaning: 'days until completed webhook deliveries are deleted',
    usedBy: 'serve and prune',
  }),
  /** Days for which the API can read events again. 30 by default. */
  eventRetentionDays: integer({
    minimum: 1,
    maximum: 365,
    default: 30,
    meaning: 'days for which the API can read events again',
    usedBy: 'serve and prune',
  }),
  webhookFailureNotice,
  /** The mail server, `smtp://…` or `smtps://…`; with it, people can reset a forgotten password. None by default. */
  smtpUrl: {
    rule: 'smtpUrl',
    option: {} as OptionForm<string | Secret>,
    unset: 'no mail is sent',
    allowed: 'an smtp:// or smtps:// URL with a host, and a port unless it is the usual one',
    example: 'smtps://rollcall:<password>@mail.example.com or smtp://127.0.0.1:1025',
    meaning:
      'the mail server; with it, people reset a forgotten password, and owners hear of their webhook and key',
    isSecret: true,
  },
  /** The sender of the mails, required with `smtpUrl`. */
  mailFrom: {
    rule: 'emailAddress',
    unset: 'required with `SMTP_URL`',
    allowed: 'an email address',
    example: 'rollcall@example.com',
    meaning: 'sender of the mails; their sender name is `SERVICE_NAME`',
  },
  /** The 1 to 6 digits with which new access keys begin, so that a proxy finds the cell of an organization. */
  accessKeyPrefix: {
    rule: 'accessKeyDigits',
    absent: '',
    allowed: '1 to 6 digits',
    example: '02',
    meaning: 'digits with which new access keys begin, so that a proxy finds the cell of an organization',
    usedBy: 'all commands',
  },
  /** A deployment for trials, named in `/openapi.json`. */
  stagingUrl: {
    rule: 'baseUrl',
    allowed: BASE_URL,
    example: BASE_URL_EXAMPLE,
    meaning: 'a deployment for trials, named in `/openapi.json`',
  },
  sentryDsn: {
    rule: 'sentryDsn',
    allowed: 'the DSN of a Sentry project',
    example: 'https://<key>@o1.ingest.sentry.io/2',
    meaning: 'where unexpected errors are reported, besides the log',
    isSecret: true,
    option: null,
  },
  /**
   * The number of trusted proxies, or their networks; false or none: no proxy. By default those that the host application
   * trusts, if it mounts `app` with its own `use` and not with that of a `Router`.
   */
  trustProxy: {
    rule: 'trustedProxies',
    option: {
      list: 'the number of proxies (1 to 10), an array of their addresses or networks, or false',
    } as OptionForm<number | readonly string[] | false>,
    allowed: 'the number of proxies (1 to 10), or their addresses or networks, separated by commas',
    example: '1 or 10.0.0.0/8',
    meaning: "trusted reverse proxies, which pass on the client's address",
    isEssential: true,
  },
  keepAliveTimeout: integer({
    minimum: 1,
    maximum: 86_400,
    default: 5,
    example: '75',
    meaning: 'seconds for which an idle connection is kept; longer than the idle timeout of a load balancer',
    option: null,
  }),
  logLevel: {
    rule: 'logLevel',
    schema: { type: 'string', enum: LOG_LEVELS },
    default: 'info',
    allowed: `one of ${LOG_LEVELS.join(', ')}`,
    example: 'info',
    meaning: 'minimum level of log lines',
    usedBy: 'all commands',
    option: null,
  },
  operatorPort: integer({
    minimum: 1,
    maximum: 65535,
    except: ' other than PORT and METRICS_PORT',
    unset: 'no API for the operator',
    example: '3100',
    meaning: "port of the operator's API",
    option: null,
  }),
  operatorHost: privateHost("address that the operator's API is served on"),
  operatorToken: {
    rule: 'token',
    unset: 'required with `OPERATOR_PORT`',
    allowed: 'at least 32 letters, digits and characters of -._~+/=',
    example: 'the output of `openssl rand -hex 32`',
    meaning: "the bearer token of the operator's API",
    isSecret: true,
    option: null,
  },
  metricsPort: integer({
    minimum: 1,
    maximum: 65535,
    except: ' other than PORT',
    unset: 'no metrics',
    example: '9464',
    meaning: 'port of the Prometheus metrics',
    isEssential: true,
    option: null,
  }),
  metricsHost: privateHost('address that the metrics are served on'),
  privateHostNames: {
    rule: 'hostNames',
    absent: [],
    allowed: 'host names, separated by commas',
    example: 'rollcall.example.com',
    meaning:
      'names by which programs reach METRICS_PORT and OPERATOR_PORT, besides addresses and local names',
    option: null,
  },
} as const satisfies Readonly<Record<string, Setting>>;

type Settings = typeof settings;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(settings) as readonly SettingName[];

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** `failedLimit` is `FAILED_LIMIT`. */
export function variableOf(name: SettingName): string {
  return settingOf(name).variable ?? name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

type ValueOf<One extends Setting> =
  | ReturnType<Rules[One['rule']]>
  | (One extends { readonly default: unknown } | { readonly absent: unknown } ? never : null);

/** The values of all settings, as they were read. */
export type SettingValues = { readonly [Name in keyof Settings]: ValueOf<Settings[Name]> };

/** What is given, by setting. Undefined is left out. */
export type GivenSettings = { readonly [Name in SettingName]?: Given | undefined };

export type OptionName = {
  [Name in SettingName]: Settings[Name] extends { readonly option: null } ? never : Name;
}[SettingName];

type OptionType<One extends Setting> = One extends { readonly option: OptionForm<infer Type> }
  ? Type
  : One extends { readonly schema: { readonly type: 'integer' } }
    ? number
    : string;

/** Generic in the table, so that editors show its comments. */
type Options<Table extends Readonly<Record<Name, Setting>>, Name extends keyof Table> = {
  readonly [One in Name]?: OptionType<Table[One]> | undefined;
};

/** The core has the comments of these. */
type CountOptions = { readonly [Name in keyof CountSettings]?: number | undefined };

/** The settings of the service inside another program. What is left out or undefined has its default. */
export interface RollcallSettings
  extends CountOptions,
    Options<Settings, Exclude<OptionName, 'publicUrl' | keyof CountSettings>>,
    Required<Options<Settings, 'publicUrl'>> {}
