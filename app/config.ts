import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { checkTimeZone, Secret } from '@rollcall/core';
import { type EnvSchemaOpt, envSchema } from 'env-schema';
import type { LogLevel } from '#adapters/system/log.js';
import { checkSentryDsn } from '#adapters/system/sentry-dsn.js';
import { readNetworks } from '#adapters/webhook/addresses.js';
import { ensureSecretKey } from './secret-key.js';

/** What the operator decided, checked. It can be printed: secrets are `Secret`s. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The base of every link that leaves the service: no path, no slash at its end. */
  readonly publicUrl: string;
  readonly database: ConfiguredDatabase;
  /** What exports are read from; null: the database itself. */
  readonly replica: ConfiguredReplica | null;
  readonly secretKey: Secret;
  readonly previousSecretKeys: readonly Secret[];
  readonly serviceName: string;
  /** The lower-case literal of the other platform that meetings run on. */
  readonly thirdPartyLocation: string;
  /** IANA name. */
  readonly reportingTimeZone: string;
  /** CIDR notation. */
  readonly webhookAllowedNetworks: readonly string[];
  readonly webhookCaFile: string | null;
  /** Node's own `NODE_EXTRA_CA_CERTS`: where further authorities are given, Node forgets it. Null also where Node can't read it. */
  readonly nodeExtraCaFile: string | null;
  /** Wrong access keys a minute per address; 0: no limit. */
  readonly failedAuthenticateLimit: number;
  /** Requests a minute per organization; null: no limit. */
  readonly requestLimit: number | null;
  /** Pages a minute of each user, and of each address where nobody is signed in; 0: no limit. */
  readonly pageLimit: number;
  /** How often a minute each calendar feed is read; 0: no limit. */
  readonly feedLimit: number;
  /** Days for which deliveries that have ended are kept. */
  readonly deliveryRetentionDays: number;
  /** Failures in a row of one webhook until the last notice of them; 0: no notices. */
  readonly webhookFailureNotice: number;
  readonly stagingUrl: string | null;
  /** How many proxies stand in front, or the networks that they are in; null: none. */
  readonly trustProxy: number | readonly string[] | null;
  /** Where errors are reported beside the log; null: nowhere. */
  readonly sentryDsn: Secret | null;
  readonly logLevel: LogLevel;
  /** Where metrics are told; null: nowhere. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
}

export type ConfiguredDatabase =
  | {
      readonly engine: 'sqlite';
      /** As the operator gave it. */
      readonly url: string;
      /** Absolute path. */
      readonly file: string;
    }
  | {
      readonly engine: 'postgres';
      /** As the operator gave it, with `***` in the place of the password. */
      readonly url: string;
      readonly connection: Secret;
    };

export interface ConfiguredReplica {
  /** As the operator gave it, with `***` in the place of the password. */
  readonly url: string;
  readonly connection: Secret;
  readonly maxLagSeconds: number;
}

/** Every mistake in the configuration at once, a line each, that names the variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process. Nothing else in `app` reads them. */
export const processEnvironment: Environment = process.env;

/** Whether `LOG_LEVEL` asks for more than people want to see, known also where the configuration is wrong. */
export function isDebugging({ LOG_LEVEL = '' }: Environment): boolean {
  return ['debug', 'trace'].includes(LOG_LEVEL.trim());
}

/**
 * Checks all variables at once, and only then touches the disk: it makes the directory of the database where
 * only that one is missing, and the key beside it. What the operator should hear goes to `notice`, a line each.
 * Throws a `ConfigurationError`.
 */
export function readConfig(environment: Environment, notice: (line: string) => void): Config {
  const given = givenOnly(environment);
  const problems: string[] = [];
  const raw = readTypes(given, problems);
  const read = <Value>(name: VariableName, from: (text: string) => Value): Value | null =>
    readOne({ name, raw, problems, from });

  const brand = readNames(raw, problems);
  const database = read('DATABASE_URL', configuredDatabase);
  const replicaUrl = read('READ_DATABASE_URL', replicaAddress);
  const host = read('HOST', hostName);
  const publicUrl = read('PUBLIC_URL', baseUrl) ?? `http://localhost:${raw.PORT}`;
  const stagingUrl = read('STAGING_URL', baseUrl);
  const secretKey = read('SECRET_KEY', secretText);
  const previousSecretKeys = read('SECRET_KEY_PREVIOUS', (text) => listOf(text).map(secretText)) ?? [];
  const reportingTimeZone = read('REPORTING_TIME_ZONE', (text) => checkTimeZone(text));
  const webhookAllowedNetworks = read('WEBHOOK_ALLOWED_NETWORKS', networkList) ?? [];
  const webhookCaFile = read('WEBHOOK_CA_FILE', certificateFile);
  const sentryDsn = read('SENTRY_DSN', sentryProject);
  const trustProxy = read('TRUST_PROXY', proxies);
  const metricsHost = read('METRICS_HOST', hostName);

  if (database?.engine === 'postgres' && given.SECRET_KEY === undefined) {
    problems.push(
      problem(
        'SECRET_KEY',
        undefined,
        'none is set, and with PostgreSQL there is no file to keep a made one beside',
      ),
    );
  }
  if (database?.engine === 'sqlite' && replicaUrl !== null) {
    problems.push(problem('READ_DATABASE_URL', undefined, 'a database of sqlite: has no replicas'));
  }
  if (raw.METRICS_PORT !== undefined && raw.METRICS_PORT === raw.PORT) {
    problems.push(
      problem('METRICS_PORT', raw.METRICS_PORT, 'PORT is the same, and metrics are not for the public'),
    );
  }
  const complete =
    metricsHost !== null &&
    database !== null &&
    host !== null &&
    brand !== null &&
    reportingTimeZone !== null;
  if (!complete || problems.length > 0) throw new ConfigurationError(inOrder(problems));

  if (database.engine === 'sqlite') prepareDirectory(database.file, 'DATABASE_URL');
  return deepFreeze({
    port: Number(raw.PORT),
    host,
    publicUrl,
    database,
    replica: replicaUrl && {
      url: withoutPassword(replicaUrl),
      connection: new Secret(replicaUrl.href),
      maxLagSeconds: Number(raw.READ_DATABASE_MAX_LAG),
    },
    secretKey: secretKey ?? secretKeyBeside(database, notice),
    previousSecretKeys,
    serviceName: brand.serviceName,
    thirdPartyLocation: brand.thirdPartyLocation,
    reportingTimeZone,
    webhookAllowedNetworks,
    webhookCaFile,
    nodeExtraCaFile: readableCertificates(environment.NODE_EXTRA_CA_CERTS),
    failedAuthenticateLimit: Number(raw.FAILED_AUTHENTICATE_LIMIT),
    requestLimit: raw.REQUEST_LIMIT === undefined ? null : Number(raw.REQUEST_LIMIT),
    pageLimit: Number(raw.PAGE_LIMIT),
    feedLimit: Number(raw.FEED_LIMIT),
    deliveryRetentionDays: Number(raw.DELIVERY_RETENTION_DAYS),
    webhookFailureNotice: Number(raw.WEBHOOK_FAILURE_NOTICE),
    stagingUrl,
    trustProxy,
    sentryDsn,
    logLevel: raw.LOG_LEVEL as LogLevel,
    metrics: raw.METRICS_PORT === undefined ? null : { port: Number(raw.METRICS_PORT), host: metricsHost },
  });
}

function readNames(raw: Raw, problems: string[]): Pick<Config, 'serviceName' | 'thirdPartyLocation'> | null {
  const serviceName = readOne({ name: 'SERVICE_NAME', raw, problems, from: brandName });
  const thirdPartyLocation = readOne({
    name: 'THIRD_PARTY_LOCATION',
    raw,
    problems,
    from: (text) => locationLiteral(brandName(text)),
  });
  if (serviceName === null || thirdPartyLocation === null) return null;
  if (thirdPartyLocation === locationLiteral(serviceName)) {
    problems.push(
      `THIRD_PARTY_LOCATION: must differ from the service's own location, which is "${thirdPartyLocation}" after SERVICE_NAME; for example zoom`,
    );
  }
  return { serviceName, thirdPartyLocation };
}

/** The two values that a meeting's location can have: the service's own and the other platform's. */
export function locationLiterals({
  serviceName,
  thirdPartyLocation,
}: Pick<Config, 'serviceName' | 'thirdPartyLocation'>): readonly [own: string, thirdParty: string] {
  return [locationLiteral(serviceName), thirdPartyLocation];
}

/** The same two without the rest of the configuration, for what needs no database. Throws a `ConfigurationError`. */
export function readLocations(environment: Environment): readonly [own: string, thirdParty: string] {
  const problems: string[] = [];
  const raw = readTypes(givenOnly(environment), problems);
  const names = readNames(raw, problems);
  const own = problems.filter((line) => /^(?:SERVICE_NAME|THIRD_PARTY_LOCATION):/.test(line));
  if (names === null || own.length > 0) throw new ConfigurationError(own);
  return locationLiterals(names);
}

/** Two databases and the keys that are set: what `copy` needs. */
export interface CopyConfig {
  readonly from: ConfiguredDatabase;
  readonly to: ConfiguredDatabase;
  /** Null: none is set. */
  readonly secretKey: Secret | null;
  readonly previousSecretKeys: readonly Secret[];
}

export interface CopyUrls {
  /** An address without a password, `env:` and the name of the variable that holds it, or `-`. */
  readonly from: string;
  readonly to: string;
  /** What standard input held; null: neither is `-`. */
  readonly input: string | null;
}

/** `DATABASE_URL` means nothing here unless it is named. Throws a `ConfigurationError`. */
export function readCopyConfig(environment: Environment, { input, ...urls }: CopyUrls): CopyConfig {
  const problems: string[] = [];
  const given = givenOnly(environment);
  if (urls.from.trim() === '-' && urls.to.trim() === '-')
    throw new ConfigurationError(['--to: standard input holds one address, and --from is - already']);
  const read = (option: string, text: string): ConfiguredDatabase | null =>
    readUrl(option, { text: text.trim(), environment, input, problems });
  const from = read('--from', urls.from);
  const to = read('--to', urls.to);
  const secretKey = readOne({ name: 'SECRET_KEY', raw: given, problems, from: secretText });
  const previousSecretKeys = readOne({
    name: 'SECRET_KEY_PREVIOUS',
    raw: given,
    problems,
    from: (text) => listOf(text).map(secretText),
  });
  if (from === null || to === null || problems.length > 0) throw new ConfigurationError(problems);
  return { from, to, secretKey, previousSecretKeys: previousSecretKeys ?? [] };
}

interface GivenUrl {
  readonly text: string;
  readonly environment: Environment;
  readonly input: string | null;
  readonly problems: string[];
}

/** A wrong one is not shown: it may hold a password. */
function readUrl(
  option: string,
  { text, environment, input, problems }: GivenUrl,
): ConfiguredDatabase | null {
  const [, variable] = /^env:(.*)$/s.exec(text) ?? [];
  const isArgument = variable === undefined && text !== '-';
  const url = isArgument ? text : variable === undefined ? input : environment[variable]?.trim() || null;
  if (url === undefined || url === null) {
    problems.push(`${option}: the variable ${variable} is not set`);
    return null;
  }
  try {
    const database = configuredDatabase(url.trim());
    if (!isArgument || database.engine === 'sqlite' || !hasPassword(database.connection)) return database;
    problems.push(
      `${option}: must not hold a password, which everyone on this machine can read in the list of processes; ` +
        'use env: and the name of the variable that holds the address, or - and write it to standard input',
    );
    return null;
  } catch (error) {
    const { allowed, example } = variables.DATABASE_URL;
    const why = error instanceof Reason ? ` (${error.message})` : '';
    problems.push(`${option}: must be ${allowed}${why}; for example ${example}`);
    return null;
  }
}

/** The certificates of a PEM file, each as a PEM text. Throws when there is none or one can't be read. */
export function readCertificates(file: string): readonly string[] {
  const blocks = readFileSync(file, 'utf8').match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (blocks === null) throw new Error('it holds no certificate in PEM form');
  for (const block of blocks) new X509Certificate(block);
  return blocks;
}

// ── The variables ──────────────────────────────────────────────────────────────────────────────────────────

interface Variable {
  readonly schema: object;
  /** What is allowed, after "must be". */
  readonly allowed: string;
  readonly example: string;
  /** Its value is never printed. */
  readonly secret?: true;
}

const baseUrlVariable = {
  schema: { type: 'string' },
  allowed: 'an http or https address, which may have a path, without query or user name',
  example: 'https://rollcall.example.com, or https://example.com/rollcall',
} as const satisfies Variable;

const variables = {
  PORT: {
    schema: { type: 'integer', minimum: 1, maximum: 65535, default: 3000 },
    allowed: 'a whole number from 1 to 65535',
    example: '3000',
  },
  HOST: {
    schema: { type: 'string', default: '127.0.0.1' },
    allowed: 'an address or name of this machine',
    example: '127.0.0.1, or 0.0.0.0 for all addresses',
  },
  PUBLIC_URL: baseUrlVariable,
  DATABASE_URL: {
    schema: { type: 'string', default: 'sqlite:data/rollcall.db' },
    allowed: 'sqlite: and the path of a file, or the postgres:// address of a database',
    example: 'sqlite:data/rollcall.db, or postgres://rollcall:<password>@db.example.com/rollcall',
    secret: true,
  },
  READ_DATABASE_URL: {
    schema: { type: 'string' },
    allowed: 'the postgres:// address of a replica of the PostgreSQL in DATABASE_URL',
    example: 'postgres://rollcall:<password>@replica.example.com/rollcall',
    secret: true,
  },
  READ_DATABASE_MAX_LAG: {
    schema: { type: 'integer', minimum: 1, maximum: 3600, default: 10 },
    allowed: 'a whole number of seconds from 1 to 3600',
    example: '10',
  },
  SECRET_KEY: {
    schema: { type: 'string' },
    allowed: 'a text of at least 32 characters',
    example: 'what `openssl rand -base64 32` prints',
    secret: true,
  },
  SECRET_KEY_PREVIOUS: {
    schema: { type: 'string' },
    allowed: 'earlier secret keys with commas between, each of at least 32 characters',
    example: 'the SECRET_KEY before the current one',
    secret: true,
  },
  SERVICE_NAME: {
    schema: { type: 'string', default: 'Service' },
    allowed: 'a name of at most 50 letters (A to Z), digits, single spaces and hyphens',
    example: 'Acme Circles',
  },
  THIRD_PARTY_LOCATION: {
    schema: { type: 'string', default: 'zoom' },
    allowed: 'a name of at most 50 letters (A to Z), digits, single spaces and hyphens',
    example: 'zoom',
  },
  REPORTING_TIME_ZONE: {
    schema: { type: 'string', default: 'UTC' },
    allowed: 'an IANA time zone',
    example: 'Europe/Berlin',
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    schema: { type: 'string' },
    allowed: 'networks in CIDR notation with commas between',
    example: '10.0.0.0/8,fd00::/8',
  },
  WEBHOOK_CA_FILE: {
    schema: { type: 'string' },
    allowed: 'the path of a readable PEM file with certificates',
    example: '/etc/ssl/private-ca.pem',
  },
  FAILED_AUTHENTICATE_LIMIT: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 100 },
    allowed: 'a whole number from 0 (no limit) to 1000000',
    example: '100',
  },
  REQUEST_LIMIT: {
    schema: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    allowed: 'a whole number from 1 to 1000000, or not set for no limit',
    example: '600',
  },
  PAGE_LIMIT: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 300 },
    allowed: 'a whole number from 0 (no limit) to 1000000',
    example: '300',
  },
  FEED_LIMIT: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 30 },
    allowed: 'a whole number from 0 (no limit) to 1000000',
    example: '30',
  },
  DELIVERY_RETENTION_DAYS: {
    schema: { type: 'integer', minimum: 1, maximum: 3650, default: 30 },
    allowed: 'a whole number from 1 to 3650',
    example: '30',
  },
  WEBHOOK_FAILURE_NOTICE: {
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 20 },
    allowed: 'a whole number from 0 (no notices) to 1000000',
    example: '20',
  },
  STAGING_URL: baseUrlVariable,
  SENTRY_DSN: {
    schema: { type: 'string' },
    allowed: 'the DSN of a Sentry project',
    example: 'https://<key>@o1.ingest.sentry.io/2',
    secret: true,
  },
  TRUST_PROXY: {
    schema: { type: 'string' },
    allowed: 'the number of proxies in front (1 to 10), or their addresses or networks with commas between',
    example: '1, or 10.0.0.0/8',
  },
  LOG_LEVEL: {
    schema: { enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], default: 'info' },
    allowed: 'one of fatal, error, warn, info, debug, trace, silent',
    example: 'info',
  },
  METRICS_PORT: {
    schema: { type: 'integer', minimum: 1, maximum: 65535 },
    allowed: 'a whole number from 1 to 65535 other than PORT, or not set for no metrics',
    example: '9464',
  },
  METRICS_HOST: {
    schema: { type: 'string', default: '127.0.0.1' },
    allowed: 'an address or name of this machine',
    example: '127.0.0.1',
  },
} as const satisfies Record<string, Variable>;

type VariableName = keyof typeof variables;
type Raw = { readonly [Name in VariableName]?: unknown };

/** The names of all variables, as the operator's guide lists them. */
export const variableNames = Object.keys(variables) as readonly VariableName[];

/** What is set to nothing counts as not set: compose files write `NAME=` for that. */
function givenOnly(environment: Environment): Readonly<Record<string, string>> {
  const given = variableNames.map((name) => [name, environment[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

function readTypes(given: Readonly<Record<string, string>>, problems: string[]): Raw {
  const properties = Object.fromEntries(variableNames.map((name) => [name, variables[name].schema]));
  const schema = structuredClone({ type: 'object', properties }) as NonNullable<EnvSchemaOpt['schema']>;
  try {
    return envSchema({ schema, data: { ...given }, env: false });
  } catch (error) {
    const wrong = new Set(wrongProperties(error));
    for (const name of variableNames) if (wrong.has(name)) problems.push(problem(name, given[name]));
    const others = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
    return envSchema({ schema: structuredClone(schema), data: others, env: false });
  }
}

function wrongProperties(error: unknown): readonly string[] {
  const { errors } = error as { readonly errors?: readonly { readonly instancePath: string }[] };
  if (errors === undefined) throw error;
  return errors.map(({ instancePath }) => instancePath.slice(1));
}

function problem(name: VariableName, value: unknown, reason?: string): string {
  const { allowed, example, secret }: Variable = variables[name];
  const found = secret === true ? '' : `, not ${JSON.stringify(String(value).slice(0, 100))}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${name}: must be ${allowed}${found}${why}; for example ${example}`;
}

/** As the operator's guide lists the variables. */
function inOrder(problems: readonly string[]): readonly string[] {
  const rank = (line: string): number => variableNames.findIndex((name) => line.startsWith(`${name}:`));
  return [...problems].sort((a, b) => rank(a) - rank(b));
}

/** A reason that says more than what is allowed. */
class Reason extends Error {}

function readOne<Value>({
  name,
  raw,
  problems,
  from,
}: {
  readonly name: VariableName;
  readonly raw: Raw;
  readonly problems: string[];
  readonly from: (text: string) => Value;
}): Value | null {
  const text = raw[name];
  if (typeof text !== 'string') return null;
  try {
    return from(text);
  } catch (error) {
    problems.push(problem(name, text, error instanceof Reason ? error.message : undefined));
    return null;
  }
}

// ── Reading single values: each throws where the text is not allowed ───────────────────────────────────────

function refuse(reason?: string): never {
  throw reason === undefined ? new Error('not allowed') : new Reason(reason);
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function brandName(text: string): string {
  const looksRight = text.length <= 50 && /^[A-Za-z0-9]+(?:[ -]+[A-Za-z0-9]+)*$/.test(text);
  return looksRight && !text.includes('  ') ? text : refuse();
}

function locationLiteral(name: string): string {
  return name.replaceAll(' ', '-').toLowerCase();
}

function configuredDatabase(text: string): ConfiguredDatabase {
  if (!/^postgres(ql)?:/i.test(text)) return { engine: 'sqlite', url: text, file: sqliteFile(text) };
  const url = postgresUrl(text);
  return { engine: 'postgres', url: withoutPassword(url), connection: new Secret(url.href) };
}

/** As libpq reads `sslmode`. */
const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

function postgresUrl(text: string): URL {
  const url = new URL(text);
  const { searchParams } = url;
  if (url.hostname === '' && !searchParams.has('host')) refuse('it names no host');
  if (url.pathname.length < 2) refuse('it names no database');
  const mode = searchParams.get('sslmode');
  if (mode !== null && !tlsModes.includes(mode)) refuse(`sslmode is one of ${tlsModes.join(', ')}`);
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) refuse('verify-ca needs sslrootcert');
  return url;
}

function replicaAddress(text: string): URL {
  return /^postgres(ql)?:/i.test(text) ? postgresUrl(text) : refuse();
}

function hasPassword(connection: Secret): boolean {
  const { password, searchParams } = new URL(connection.reveal());
  return password !== '' || searchParams.has('password');
}

function withoutPassword(url: URL): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  if (shown.searchParams.has('password')) shown.searchParams.set('password', '***');
  return shown.href;
}

function sqliteFile(text: string): string {
  const path = /^sqlite:(?!\/\/[^/])(.+)$/.exec(text)?.[1]?.trim() ?? '';
  if (path === '' || path.includes('\0')) return refuse();
  if (path === ':memory:') refuse('a database in memory would be gone after every command');
  if (/[\\/]$/.test(path)) refuse('it names a directory');
  return resolve(path);
}

function hostName(text: string): string {
  return isIP(text) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text) ? text : refuse();
}

function baseUrl(text: string): string {
  const url = new URL(text);
  const plain = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse();
  const isPlain = url.href === plain && !/[?#]/.test(text) && /^(?:\/[\w.~-]+)*\/?$/.test(url.pathname);
  return isPlain ? url.href.replace(/\/$/, '') : refuse();
}

function sentryProject(text: string): Secret {
  checkSentryDsn(text);
  return new Secret(text);
}

function secretText(text: string): Secret {
  return text.length >= 32 ? new Secret(text) : refuse(`one has ${text.length}`);
}

function networkList(text: string): readonly string[] {
  const networks = listOf(text);
  readNetworks(networks);
  return networks;
}

function certificateFile(text: string): string {
  const file = resolve(text);
  try {
    readCertificates(file);
  } catch (error) {
    refuse(error instanceof Error ? error.message : undefined);
  }
  return file;
}

/** Node itself warns at start about a file that it can't read, and goes on. */
function readableCertificates(file: string | undefined): string | null {
  if (file === undefined || file === '') return null;
  try {
    readCertificates(file);
    return resolve(file);
  } catch {
    return null;
  }
}

/** Where every proxy is believed (`true`), any client can write its own address. */
function proxies(text: string): number | readonly string[] {
  if (/^(?:[1-9]|10)$/.test(text)) return Number(text);
  const places = listOf(text);
  const isPlace = (place: string): boolean =>
    ['loopback', 'linklocal', 'uniquelocal'].includes(place) || isIP(place) !== 0 || isNetwork(place);
  if (/^true$/i.test(text)) refuse('true would believe whatever address a client writes');
  return places.length > 0 && places.every(isPlace) ? places : refuse();
}

function isNetwork(text: string): boolean {
  try {
    readNetworks([text]);
    return true;
  } catch {
    return false;
  }
}

// ── The disk ───────────────────────────────────────────────────────────────────────────────────────────────

/** Makes the one directory that is missing on a first start, for its user alone; a path that is wrong further up is a mistake in what named it. */
export function prepareDirectory(file: string, source: string): void {
  const directory = dirname(file);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (isDirectory(directory)) return;
    const reason = error instanceof Error ? error.message : String(error);
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const text = missing ? `the directory ${directory} does not exist` : reason;
    throw new ConfigurationError([`${source}: ${text}; create it, or choose another path`]);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function secretKeyBeside(database: ConfiguredDatabase, notice: (line: string) => void): Secret {
  if (database.engine === 'postgres') throw new Error('SECRET_KEY has been checked before');
  try {
    return ensureSecretKey(database.file, notice);
  } catch (error) {
    throw new ConfigurationError([`SECRET_KEY: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

function deepFreeze(config: Config): Config {
  for (const part of Object.values(config)) {
    if (typeof part === 'object' && part !== null) Object.freeze(part);
  }
  return Object.freeze(config);
}
