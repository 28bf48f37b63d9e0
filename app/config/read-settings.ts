import { ConfigurationError, type ConfigurationProblem } from './configuration-error.js';
import { InvalidValue } from './invalid-value.js';
import { type Environment, type Given, locationLiteral, rules } from './rules.js';
import {
  type GivenSettings,
  type SettingName,
  type SettingValues,
  settingNames,
  settingOf,
} from './settings.js';

export interface SettingProblem extends ConfigurationProblem {
  readonly setting: SettingName;
}

/** What is given for the settings, and what they are called where it comes from. */
export interface Source {
  readonly given: GivenSettings;
  readonly nameOf: (setting: SettingName) => string;
  /** Further variables, which other programs read as well. */
  readonly environment: Environment;
  /** What is wrong, as it is found. */
  readonly problems: SettingProblem[];
}

/** Without those that are wrong. */
type ReadValues = { readonly [Name in SettingName]?: SettingValues[Name] | undefined };

/** Reads all settings. Throws a `ConfigurationError` with all problems, in the order of the documentation. */
export function readSettings(source: Source): SettingValues {
  const { given, nameOf, problems } = source;
  const values = readEach(source, settingNames);
  const wrong = new Set(problems.map(({ setting }) => setting));
  const isSet = (name: SettingName): boolean => given[name] !== undefined || wrong.has(name);
  for (const [setting, reason] of conflicts(values, isSet))
    problems.push({ setting, name: nameOf(setting), message: `${reason}; ${mustBe(setting)}` });
  problems.push(...namesakes(values, nameOf));
  throwProblems(problems.sort((a, b) => settingNames.indexOf(a.setting) - settingNames.indexOf(b.setting)));
  // Without a problem, none is missing.
  return values as SettingValues;
}

export function throwProblems(problems: readonly ConfigurationProblem[]): void {
  if (problems.length > 0)
    throw new ConfigurationError(problems.map(({ name, message }) => ({ name, message })));
}

/** Reads these settings, each alone. */
export function readEach(
  { given, nameOf, environment, problems }: Source,
  names: readonly SettingName[],
): ReadValues {
  const read = (name: SettingName): unknown => {
    const { rule, default: fallback, absent = null, schema = { type: 'string' } } = settingOf(name);
    const value = given[name] ?? fallback;
    try {
      return value === undefined ? absent : rules[rule](value, { schema, environment });
    } catch (error) {
      const reason = error instanceof InvalidValue ? error.message : `${shown(name, value)} is not valid`;
      problems.push({ setting: name, name: nameOf(name), message: `${reason}; ${mustBe(name)}` });
      // The usual port, which no other may be.
      return schema.type === 'integer' ? (fallback ?? null) : undefined;
    }
  };
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

/** What is allowed, with an example. */
export function mustBe(name: SettingName): string {
  const { allowed, example } = settingOf(name);
  return `it must be ${allowed}, for example ${example}`;
}

/** The beginning of a value, without the password that a URL may contain. */
function shown(name: SettingName, value: Given | undefined): string {
  if (settingOf(name).isSecret) return 'the value';
  const text = String(value).trim();
  return JSON.stringify(text.replace(/(?<=\/\/[^\s/:@]*:)[^\s/@]+(?=@)/, '***').slice(0, 100));
}

/** Settings that are not allowed together. */
function* conflicts(
  { databaseUrl, readDatabaseUrl, port, metricsPort, operatorPort }: ReadValues,
  isSet: (name: SettingName) => boolean,
): Iterable<readonly [SettingName, reason: string]> {
  if (databaseUrl?.engine === 'postgres' && !isSet('secretKey'))
    yield ['secretKey', 'is not set, which PostgreSQL requires'];
  if (databaseUrl?.engine === 'sqlite' && readDatabaseUrl)
    yield ['readDatabaseUrl', 'an SQLite database has no replicas'];
  if (metricsPort === port) yield ['metricsPort', `${metricsPort} is also PORT`];
  if (operatorPort) {
    if (operatorPort === port) yield ['operatorPort', `${operatorPort} is also PORT`];
    else if (operatorPort === metricsPort) yield ['operatorPort', `${operatorPort} is also METRICS_PORT`];
    if (!isSet('operatorToken')) yield ['operatorToken', 'is not set, which OPERATOR_PORT requires'];
  }
  if (isSet('smtpUrl') && !isSet('mailFrom')) yield ['mailFrom', 'is not set, which SMTP_URL requires'];
  if (isSet('mailFrom') && !isSet('smtpUrl')) yield ['smtpUrl', 'is not set, which MAIL_FROM requires'];
}

/** The two locations that a meeting can have must differ. */
export function namesakes(
  { serviceName, thirdPartyLocation }: ReadValues,
  nameOf: Source['nameOf'],
): readonly SettingProblem[] {
  if (serviceName === undefined || thirdPartyLocation !== locationLiteral(serviceName)) return [];
  const message = `"${thirdPartyLocation}" is also the location of SERVICE_NAME; it must be another name, for example zoom`;
  return [{ setting: 'thirdPartyLocation', name: nameOf('thirdPartyLocation'), message }];
}
