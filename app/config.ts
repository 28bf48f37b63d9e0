import type { Secret } from '@rollcall/core';
import { readableCertificates } from './config/certificates.js';
import { asProblemOf } from './config/configuration-error.js';
import { type ConfiguredDatabase, configuredReplica } from './config/database-url.js';
import { sourceIn } from './config/environment.js';
import { prepareDirectory } from './config/prepare-directory.js';
import { readSettings, type Source } from './config/read-settings.js';
import type { Environment } from './config/rules.js';
import { type SettingValues, settingNames } from './config/settings.js';
import { ensureSecretKey } from './secret-key.js';

/** The variables of this process. Nothing else in `app` reads them. */
export const processEnvironment: Environment = process.env;

/** True if `LOG_LEVEL` asks for stacks. Works even if the configuration is wrong. */
export function isDebugging({ LOG_LEVEL = '' }: Environment): boolean {
  return ['debug', 'trace'].includes(LOG_LEVEL.trim());
}

/** The checked configuration. It can be printed: secrets are `Secret`s. */
export type Config = ReturnType<typeof configOf>;

/**
 * Checks all variables, and only then changes the disk: it creates the directory of the database if its parent exists,
 * and the key beside the database. Calls `notice` with each line that the operator should see.
 * Throws a `ConfigurationError`.
 */
export function readConfig(environment: Environment, notice: (line: string) => void): Config {
  return createConfig(sourceIn(environment, settingNames, notice), notice);
}

/** Like `readConfig`, from any source. */
export function createConfig(source: Source, notice: (line: string) => void): Config {
  const values = readSettings(source);
  const { databaseUrl: database } = values;
  if (database.engine === 'sqlite') prepareDirectory(database.file, source.nameOf('databaseUrl'));
  return deepFreeze(
    configOf({
      ...values,
      secretKey: values.secretKey ?? secretKeyBeside(database, { ...source, notice }),
      nodeExtraCaFile: readableCertificates(source.environment.NODE_EXTRA_CA_CERTS),
    }),
  );
}

interface Completed extends SettingValues {
  readonly secretKey: Secret;
  /** Node's `NODE_EXTRA_CA_CERTS`, which Node ignores when it is given other authorities. Null also if Node can't read it. */
  readonly nodeExtraCaFile: string | null;
}

/** Settings that belong together become one. Null is what is off. */
function configOf(values: Completed) {
  const { publicUrl, databaseUrl, readDatabaseUrl, readDatabaseMaxLagSeconds, ...rest } = values;
  const { keepAliveTimeout, brandColor, brandLogo, smtpUrl, mailFrom, ...named } = rest;
  const { supportUrl, supportEmail, ...others } = named;
  const { metricsPort, metricsHost, operatorPort, operatorHost, operatorToken, ...single } = others;
  return {
    ...single,
    /** The base of every link that leaves the service. May have a path; no slash at the end. */
    publicUrl: publicUrl ?? `http://localhost:${single.port}`,
    database: databaseUrl,
    /** The replica that serves exports. Null when the database itself does. */
    replica: readDatabaseUrl && configuredReplica(readDatabaseUrl, readDatabaseMaxLagSeconds),
    /** How long an idle connection is kept. */
    keepAliveMs: keepAliveTimeout * 1000,
    /** The color and the logo of the pages. */
    brand: { color: brandColor, logo: brandLogo },
    /** Where people get help: a page or an address. Null when the pages do not say. */
    support: supportUrl ?? (supportEmail && mailLink(supportEmail)),
    /** The mail server, and the sender of mails. Null when no mail is sent. */
    mail: smtpUrl && mailFrom ? { smtpUrl, from: mailFrom } : null,
    /** Where metrics are served. Null when nowhere. */
    metrics: metricsPort ? { port: metricsPort, host: metricsHost } : null,
    /** Where the operator's API is served. Null when nowhere. */
    operator:
      operatorPort && operatorToken ? { port: operatorPort, host: operatorHost, token: operatorToken } : null,
  };
}

/** Some characters of an address have another meaning in a link. */
function mailLink(address: string): string {
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}`;
}

function secretKeyBeside(
  database: ConfiguredDatabase,
  { nameOf, notice }: Pick<Source, 'nameOf'> & { readonly notice: (line: string) => void },
): Secret {
  if (database.engine === 'postgres') throw new Error('SECRET_KEY is required with PostgreSQL');
  return asProblemOf(nameOf('secretKey'), () => ensureSecretKey(database.file, notice));
}

function deepFreeze(config: Config): Config {
  for (const part of Object.values(config)) {
    if (typeof part === 'object' && part !== null) Object.freeze(part);
  }
  return Object.freeze(config);
}
