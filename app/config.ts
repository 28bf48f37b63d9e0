import { Secret } from '@rollcall/core';
import { checkTimeZone } from '@rollcall/core/rules';
import type { Brand } from '@rollcall/express';
import type { LogLevel } from '@rollcall/node/log';
import { hexColor, logoFile } from './config/brand.js';
import { certificateFile, readableCertificates } from './config/certificates.js';
import { ConfigurationError, type ConfigurationProblem } from './config/configuration-error.js';
import {
  type ConfiguredDatabase,
  type ConfiguredReplica,
  configuredDatabase,
  replicaAddress,
  withoutPassword,
} from './config/database-url.js';
import { readServiceNames, type ServiceNames } from './config/locations.js';
import { prepareDirectory } from './config/prepare-directory.js';
import {
  type Environment,
  hasValue,
  namedAsSet,
  parseVariables,
  problem,
  readValues,
  readVariable,
  sortProblems,
} from './config/read-variable.js';
import {
  accessKeyDigits,
  baseUrl,
  emailAddress,
  hostName,
  listOf,
  networkList,
  secretText,
  sentryDsnText,
  smtpUrl,
  tokenText,
  trustedProxies,
} from './config/values.js';
import type { VariableName } from './config/variables.js';
import { ensureSecretKey } from './secret-key.js';

/** The checked configuration. It can be printed: secrets are `Secret`s. */
export interface Config extends ServiceNames {
  readonly port: number;
  readonly host: string;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** The base of every link that leaves the service. May have a path; no slash at the end. */
  readonly publicUrl: string;
  readonly database: ConfiguredDatabase;
  /** The replica that serves exports. Null when the database itself does. */
  readonly replica: ConfiguredReplica | null;
  readonly secretKey: Secret;
  readonly previousSecretKeys: readonly Secret[];
  /** The color and the logo of the pages. */
  readonly brand: Brand;
  /** IANA name. */
  readonly reportingTimeZone: string;
  /** CIDR notation. */
  readonly webhookAllowedNetworks: readonly string[];
  readonly webhookCaFile: string | null;
  /** Node's `NODE_EXTRA_CA_CERTS`, which Node ignores when it is given other authorities. Null also if Node can't read it. */
  readonly nodeExtraCaFile: string | null;
  /** Wrong access keys per minute and address. 0 means no limit. */
  readonly failedAuthenticateLimit: number;
  /** API requests per minute and organization. Null means no limit. */
  readonly requestLimit: number | null;
  /** Pages per minute and user, or per address before sign-in. 0 means no limit. */
  readonly pageLimit: number;
  /** Reads per minute and calendar feed. 0 means no limit. */
  readonly feedLimit: number;
  /** Days until completed deliveries are deleted. */
  readonly deliveryRetentionDays: number;
  readonly eventRetentionDays: number;
  /** Consecutive failures of a webhook until the last notice. 0 means no notices. */
  readonly webhookFailureNotice: number;
  /** The mail server, and the sender of mails. Null when no mail is sent. */
  readonly mail: { readonly smtpUrl: Secret; readonly from: string } | null;
  /** The digits with which new access keys begin. */
  readonly accessKeyPrefix: string;
  readonly stagingUrl: string | null;
  /** The number of trusted proxies, or their networks. Null when no proxy is trusted. */
  readonly trustProxy: number | readonly string[] | null;
  /** Where errors are reported, besides the log. Null when nowhere. */
  readonly sentryDsn: Secret | null;
  readonly logLevel: LogLevel;
  /** Names by which programs reach the private ports. */
  readonly privateHostNames: readonly string[];
  /** Where metrics are served. Null when nowhere. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  /** Where the operator's API is served. Null when nowhere. */
  readonly operator: { readonly port: number; readonly host: string; readonly token: Secret } | null;
}

/** The variables of this process. Nothing else in `app` reads them. */
export const processEnvironment: Environment = process.env;

/** True if `LOG_LEVEL` asks for stacks. Works even if the configuration is wrong. */
export function isDebugging({ LOG_LEVEL = '' }: Environment): boolean {
  return ['debug', 'trace'].includes(LOG_LEVEL.trim());
}

/**
 * Checks all variables, and only then changes the disk: it creates the directory of the database if its parent exists,
 * and the key beside the database. Calls `notice` with each line that the operator should see.
 * Throws a `ConfigurationError`.
 */
export function readConfig(environment: Environment, notice: (line: string) => void): Config {
  const problems: ConfigurationProblem[] = [];
  const isSet = (name: VariableName): boolean => hasValue(environment, name);
  const raw = parseVariables(readValues(environment, problems, notice), problems);
  const read = <Value>(name: VariableName, from: (text: string) => Value): Value | null =>
    readVariable({ name, raw, problems, from });

  const names = readServiceNames(raw, problems);
  const database = read('DATABASE_URL', (text) => configuredDatabase(text, environment));
  const replicaUrl = read('READ_DATABASE_URL', (text) => replicaAddress(text, environment));
  const host = read('HOST', hostName);
  const publicUrl = read('PUBLIC_URL', baseUrl) ?? `http://localhost:${raw.PORT}`;
  const accessKeyPrefix = read('ACCESS_KEY_PREFIX', accessKeyDigits) ?? '';
  const smtp = read('SMTP_URL', smtpUrl);
  const mailFrom = read('MAIL_FROM', emailAddress);
  const stagingUrl = read('STAGING_URL', baseUrl);
  const secretKey = read('SECRET_KEY', secretText);
  const previousSecretKeys = read('SECRET_KEY_PREVIOUS', (text) => listOf(text).map(secretText)) ?? [];
  const brandColor = read('BRAND_COLOR', hexColor);
  const brandLogo = read('BRAND_LOGO', logoFile);
  const reportingTimeZone = read('REPORTING_TIME_ZONE', (text) => checkTimeZone(text));
  const webhookAllowedNetworks = read('WEBHOOK_ALLOWED_NETWORKS', networkList) ?? [];
  const webhookCaFile = read('WEBHOOK_CA_FILE', certificateFile);
  const sentryDsn = read('SENTRY_DSN', sentryDsnText);
  const trustProxy = read('TRUST_PROXY', trustedProxies);
  const metricsHost = read('METRICS_HOST', hostName);
  const operatorHost = read('OPERATOR_HOST', hostName);
  const privateHostNames = read('PRIVATE_HOST_NAMES', (text) => listOf(text).map(hostName)) ?? [];
  const operatorToken = read('OPERATOR_TOKEN', tokenText);

  if (database?.engine === 'postgres' && !isSet('SECRET_KEY')) {
    problems.push(problem('SECRET_KEY', undefined, 'is not set, which PostgreSQL requires'));
  }
  if (database?.engine === 'sqlite' && replicaUrl !== null) {
    problems.push(problem('READ_DATABASE_URL', undefined, 'an SQLite database has no replicas'));
  }
  if (raw.METRICS_PORT !== undefined && raw.METRICS_PORT === raw.PORT) {
    problems.push(problem('METRICS_PORT', raw.METRICS_PORT, `${raw.METRICS_PORT} is also PORT`));
  }
  const ports = ['PORT', 'METRICS_PORT'] as const;
  const taken = ports.find((name) => raw.OPERATOR_PORT !== undefined && raw[name] === raw.OPERATOR_PORT);
  if (taken !== undefined)
    problems.push(problem('OPERATOR_PORT', raw.OPERATOR_PORT, `${raw.OPERATOR_PORT} is also ${taken}`));
  if (raw.OPERATOR_PORT !== undefined && !isSet('OPERATOR_TOKEN'))
    problems.push(problem('OPERATOR_TOKEN', undefined, 'is not set, which OPERATOR_PORT requires'));
  if (isSet('SMTP_URL') && !isSet('MAIL_FROM'))
    problems.push(problem('MAIL_FROM', undefined, 'is not set, which SMTP_URL requires'));
  if (!isSet('SMTP_URL') && isSet('MAIL_FROM'))
    problems.push(problem('SMTP_URL', undefined, 'is not set, which MAIL_FROM requires'));
  const complete =
    metricsHost !== null &&
    operatorHost !== null &&
    database !== null &&
    host !== null &&
    names !== null &&
    brandColor !== null &&
    reportingTimeZone !== null;
  if (!complete || problems.length > 0)
    throw new ConfigurationError(sortProblems(namedAsSet(problems, environment)));

  if (database.engine === 'sqlite') prepareDirectory(database.file, 'DATABASE_URL');
  return deepFreeze({
    port: Number(raw.PORT),
    host,
    keepAliveMs: Number(raw.KEEP_ALIVE_TIMEOUT) * 1000,
    publicUrl,
    database,
    replica: replicaUrl && {
      url: withoutPassword(replicaUrl),
      connection: new Secret(replicaUrl.href),
      maxLagSeconds: Number(raw.READ_DATABASE_MAX_LAG),
    },
    secretKey: secretKey ?? secretKeyBeside(database, notice),
    previousSecretKeys,
    serviceName: names.serviceName,
    thirdPartyLocation: names.thirdPartyLocation,
    brand: { color: brandColor, logo: brandLogo },
    reportingTimeZone,
    webhookAllowedNetworks,
    webhookCaFile,
    nodeExtraCaFile: readableCertificates(environment.NODE_EXTRA_CA_CERTS),
    failedAuthenticateLimit: Number(raw.FAILED_AUTHENTICATE_LIMIT),
    requestLimit: raw.REQUEST_LIMIT === undefined ? null : Number(raw.REQUEST_LIMIT),
    pageLimit: Number(raw.PAGE_LIMIT),
    feedLimit: Number(raw.FEED_LIMIT),
    deliveryRetentionDays: Number(raw.DELIVERY_RETENTION_DAYS),
    eventRetentionDays: Number(raw.EVENT_RETENTION_DAYS),
    webhookFailureNotice: Number(raw.WEBHOOK_FAILURE_NOTICE),
    mail: smtp === null || mailFrom === null ? null : { smtpUrl: smtp, from: mailFrom },
    accessKeyPrefix,
    stagingUrl,
    trustProxy,
    sentryDsn,
    logLevel: raw.LOG_LEVEL as LogLevel,
    privateHostNames,
    metrics: raw.METRICS_PORT === undefined ? null : { port: Number(raw.METRICS_PORT), host: metricsHost },
    operator:
      raw.OPERATOR_PORT === undefined || operatorToken === null
        ? null
        : { port: Number(raw.OPERATOR_PORT), host: operatorHost, token: operatorToken },
  });
}

function secretKeyBeside(database: ConfiguredDatabase, notice: (line: string) => void): Secret {
  if (database.engine === 'postgres') throw new Error('SECRET_KEY is required with PostgreSQL');
  try {
    return ensureSecretKey(database.file, notice);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError([{ name: 'SECRET_KEY', message }]);
  }
}

function deepFreeze(config: Config): Config {
  for (const part of Object.values(config)) {
    if (typeof part === 'object' && part !== null) Object.freeze(part);
  }
  return Object.freeze(config);
}
