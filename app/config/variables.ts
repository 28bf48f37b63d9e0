/** The definition of an environment variable, for reading, checking and documenting it. */
export interface Variable {
  /** JSON Schema with the type, the range and the default. */
  readonly schema: VariableSchema;
  /** What is allowed, after "must be". */
  readonly allowed: string;
  readonly example: string;
  /** Its effect, for the reader of the documentation. */
  readonly meaning: string;
  /** The effect of leaving it unset, if the schema has no default. */
  readonly unset?: string;
  /** Which commands use it. */
  readonly usedBy: 'all commands' | 'serve' | 'serve and prune' | 'serve and import';
  /** The value is never printed. */
  readonly isSecret?: true;
  /** Most deployments need to decide on it, so the README lists it. */
  readonly isEssential?: true;
}

interface VariableSchema {
  readonly type: 'integer' | 'string';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly default?: string | number;
}

const MAX_COUNT = 1_000_000;

/** An integer in a range. `zero` says what 0 means. `except` follows the range in the text that says what is allowed. */
function integer<const Rest extends Omit<Variable, 'schema' | 'allowed'>>({
  minimum,
  maximum,
  default: fallback,
  zero,
  except,
  ...rest
}: Rest & {
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
  readonly zero?: string;
  readonly except?: string;
}) {
  const least = zero === undefined ? String(minimum) : `${minimum} (${zero})`;
  return {
    ...rest,
    schema: { type: 'integer', minimum, maximum, ...(fallback !== undefined && { default: fallback }) },
    allowed: `an integer from ${least} to ${maximum}${except ?? ''}`,
  } as const;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const BASE_URL = 'an http or https URL without query, fragment or user name';
const BASE_URL_EXAMPLE = 'https://rollcall.example.com or https://example.com/rollcall';
const NAME = 'a name of at most 50 letters (A to Z), digits, single spaces and hyphens';
const HOST = 'an address or host name of this machine';

/** All environment variables, in the order of the documentation. */
export const variables = {
  PORT: integer({
    minimum: 1,
    maximum: 65535,
    default: 3000,
    example: '3000',
    meaning: 'port of the HTTP server',
    usedBy: 'serve',
    isEssential: true,
  }),
  HOST: {
    schema: { type: 'string', default: '127.0.0.1' },
    allowed: HOST,
    example: '127.0.0.1, or 0.0.0.0 for all addresses',
    meaning: 'address that the HTTP server listens on',
    usedBy: 'serve',
    isEssential: true,
  },
  PUBLIC_URL: {
    schema: { type: 'string' },
    unset: '`http://localhost:$PORT`',
    allowed: BASE_URL,
    example: BASE_URL_EXAMPLE,
    meaning: 'base of all links that leave the service',
    usedBy: 'all commands',
    isEssential: true,
  },
  DATABASE_URL: {
    schema: { type: 'string', default: 'sqlite:data/rollcall.db' },
    allowed: 'sqlite:<path>, or the postgres:// URL of a database',
    example: 'sqlite:data/rollcall.db or postgres://rollcall:<password>@db.example.com/rollcall',
    meaning: 'the database',
    usedBy: 'all commands',
    isSecret: true,
    isEssential: true,
  },
  READ_DATABASE_URL: {
    schema: { type: 'string' },
    allowed: 'the postgres:// URL of a replica of the PostgreSQL database in DATABASE_URL',
    example: 'postgres://rollcall:<password>@replica.example.com/rollcall',
    meaning: 'a PostgreSQL replica that serves exports',
    usedBy: 'serve',
    isSecret: true,
  },
  READ_DATABASE_MAX_LAG: integer({
    minimum: 1,
    maximum: 3600,
    default: 10,
    example: '10',
    meaning: 'maximum lag of the replica in seconds; beyond it, the primary database serves exports',
    usedBy: 'serve',
  }),
  SECRET_KEY: {
    schema: { type: 'string' },
    unset: 'SQLite: created beside the file; PostgreSQL: required',
    allowed: 'at least 32 characters long',
    example: 'the output of `openssl rand -base64 32`',
    meaning: 'the key from which all other keys are derived',
    usedBy: 'all commands',
    isSecret: true,
    isEssential: true,
  },
  SECRET_KEY_PREVIOUS: {
    schema: { type: 'string' },
    allowed: 'earlier secret keys, separated by commas, each at least 32 characters long',
    example: 'the SECRET_KEY before the current one',
    meaning: 'earlier secret keys, which still verify and decrypt',
    usedBy: 'all commands',
    isSecret: true,
  },
  SERVICE_NAME: {
    schema: { type: 'string', default: 'Service' },
    allowed: NAME,
    example: 'Acme Circles',
    meaning: "the service's name in headers, messages and meeting locations",
    usedBy: 'all commands',
    isEssential: true,
  },
  BRAND_COLOR: {
    schema: { type: 'string', default: '#524ed2' },
    allowed: 'a color as #rrggbb',
    example: '#0b7a75',
    meaning: 'accent color of the pages; text on it and links in it stay readable',
    usedBy: 'serve',
  },
  BRAND_LOGO: {
    schema: { type: 'string' },
    unset: 'a tick on `BRAND_COLOR`',
    allowed: 'the path of a readable SVG, PNG, JPEG or WebP file of at most 64 KiB',
    example: '/etc/rollcall/logo.svg',
    meaning: 'logo and icon of the pages, read at start',
    usedBy: 'serve',
  },
  THIRD_PARTY_LOCATION: {
    schema: { type: 'string', default: 'zoom' },
    allowed: NAME,
    example: 'zoom',
    meaning: 'the other platform that meetings can take place on',
    usedBy: 'all commands',
  },
  REPORTING_TIME_ZONE: {
    schema: { type: 'string', default: 'UTC' },
    allowed: 'an IANA time zone',
    example: 'Europe/Berlin',
    meaning: "time zone of the export's date ranges",
    usedBy: 'serve',
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    schema: { type: 'string' },
    allowed: 'networks in CIDR notation, separated by commas',
    example: '10.0.0.0/8,fd00::/8',
    meaning: 'private networks that may receive webhooks',
    usedBy: 'serve',
  },
  WEBHOOK_CA_FILE: {
    schema: { type: 'string' },
    allowed: 'the path of a readable PEM file with certificates',
    example: '/etc/ssl/private-ca.pem',
    meaning: 'further certificate authorities for webhook receivers',
    usedBy: 'serve',
  },
  FAILED_AUTHENTICATE_LIMIT: integer({
    minimum: 0,
    zero: 'no limit',
    maximum: MAX_COUNT,
    default: 100,
    example: '100',
    meaning: 'wrong access keys per minute and address',
    usedBy: 'serve',
  }),
  REQUEST_LIMIT: integer({
    minimum: 1,
    maximum: MAX_COUNT,
    unset: 'no limit',
    example: '600',
    meaning: 'API requests per minute and organization',
    usedBy: 'serve',
  }),
  PAGE_LIMIT: integer({
    minimum: 0,
    zero: 'no limit',
    maximum: MAX_COUNT,
    default: 300,
    example: '300',
    meaning: 'pages per minute and user, or per address before sign-in',
    usedBy: 'serve',
  }),
  FEED_LIMIT: integer({
    minimum: 0,
    zero: 'no limit',
    maximum: MAX_COUNT,
    default: 30,
    example: '30',
    meaning: 'reads per minute and calendar feed',
    usedBy: 'serve',
  }),
  DELIVERY_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 3650,
    default: 30,
    example: '30',
    meaning: 'days until completed webhook deliveries are deleted',
    usedBy: 'serve and prune',
  }),
  EVENT_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 365,
    default: 30,
    example: '30',
    meaning: 'days for which the API can read events again',
    usedBy: 'serve and prune',
  }),
  WEBHOOK_FAILURE_NOTICE: integer({
    minimum: 0,
    zero: 'no notices',
    maximum: MAX_COUNT,
    default: 20,
    example: '20',
    meaning: 'consecutive failures of a webhook until the last notice in the log',
    usedBy: 'serve',
  }),
  SMTP_URL: {
    schema: { type: 'string' },
    unset: 'no mail is sent',
    allowed: 'an smtp:// or smtps:// URL with a host, and a port unless it is the usual one',
    example: 'smtps://rollcall:<password>@mail.example.com or smtp://127.0.0.1:1025',
    meaning:
      'the mail server; with it, people reset a forgotten password, and owners hear of their webhook and key',
    usedBy: 'serve',
    isSecret: true,
  },
  MAIL_FROM: {
    schema: { type: 'string' },
    unset: 'required with `SMTP_URL`',
    allowed: 'an email address',
    example: 'rollcall@example.com',
    meaning: 'sender of the mails; their sender name is `SERVICE_NAME`',
    usedBy: 'serve',
  },
  ACCESS_KEY_PREFIX: {
    schema: { type: 'string' },
    allowed: '1 to 6 digits',
    example: '02',
    meaning: 'digits with which new access keys begin, so that a proxy finds the cell of an organization',
    usedBy: 'all commands',
  },
  STAGING_URL: {
    schema: { type: 'string' },
    allowed: BASE_URL,
    example: BASE_URL_EXAMPLE,
    meaning: 'a deployment for trials, named in `/openapi.json`',
    usedBy: 'serve',
  },
  SENTRY_DSN: {
    schema: { type: 'string' },
    allowed: 'the DSN of a Sentry project',
    example: 'https://<key>@o1.ingest.sentry.io/2',
    meaning: 'where unexpected errors are reported, besides the log',
    usedBy: 'serve',
    isSecret: true,
  },
  TRUST_PROXY: {
    schema: { type: 'string' },
    allowed: 'the number of proxies (1 to 10), or their addresses or networks, separated by commas',
    example: '1 or 10.0.0.0/8',
    meaning: "trusted reverse proxies, which pass on the client's address",
    usedBy: 'serve',
    isEssential: true,
  },
  KEEP_ALIVE_TIMEOUT: integer({
    minimum: 1,
    maximum: 86_400,
    default: 5,
    example: '75',
    meaning: 'seconds for which an idle connection is kept; longer than the idle timeout of a load balancer',
    usedBy: 'serve',
  }),
  LOG_LEVEL: {
    schema: { type: 'string', enum: LOG_LEVELS, default: 'info' },
    allowed: `one of ${LOG_LEVELS.join(', ')}`,
    example: 'info',
    meaning: 'minimum level of log lines',
    usedBy: 'all commands',
  },
  OPERATOR_PORT: integer({
    minimum: 1,
    maximum: 65535,
    except: ' other than PORT and METRICS_PORT',
    unset: 'no API for the operator',
    example: '3100',
    meaning: "port of the operator's API",
    usedBy: 'serve',
  }),
  OPERATOR_HOST: {
    schema: { type: 'string', default: '127.0.0.1' },
    allowed: HOST,
    example: '127.0.0.1',
    meaning: "address that the operator's API is served on",
    usedBy: 'serve',
  },
  OPERATOR_TOKEN: {
    schema: { type: 'string' },
    unset: 'required with `OPERATOR_PORT`',
    allowed: 'at least 32 letters, digits and characters of -._~+/=',
    example: 'the output of `openssl rand -hex 32`',
    meaning: "the bearer token of the operator's API",
    usedBy: 'serve',
    isSecret: true,
  },
  METRICS_PORT: integer({
    minimum: 1,
    maximum: 65535,
    except: ' other than PORT',
    unset: 'no metrics',
    example: '9464',
    meaning: 'port of the Prometheus metrics',
    usedBy: 'serve',
    isEssential: true,
  }),
  METRICS_HOST: {
    schema: { type: 'string', default: '127.0.0.1' },
    allowed: HOST,
    example: '127.0.0.1',
    meaning: 'address that the metrics are served on',
    usedBy: 'serve',
  },
  PRIVATE_HOST_NAMES: {
    schema: { type: 'string' },
    allowed: 'host names, separated by commas',
    example: 'rollcall.example.com',
    meaning:
      'names by which programs reach METRICS_PORT and OPERATOR_PORT, besides addresses and local names',
    usedBy: 'serve',
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;

export const variableNames = Object.keys(variables) as readonly VariableName[];

export function isSecret(name: VariableName): boolean {
  const variable: Variable = variables[name];
  return variable.isSecret === true;
}
