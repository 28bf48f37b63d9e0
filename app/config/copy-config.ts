import type { Secret } from '@rollcall/core';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.js';
import { type ConfiguredDatabase, configuredDatabase, hasPassword } from './database-url.js';
import { sourceIn } from './environment.js';
import { InvalidValue } from './invalid-value.js';
import { mustBe, readEach, throwProblems } from './read-settings.js';
import type { Environment } from './rules.js';
import { secretValue } from './secret-files.js';

/** The configuration of `copy`: two databases and the keys that are set. */
export interface CopyConfig {
  readonly from: ConfiguredDatabase;
  readonly to: ConfiguredDatabase;
  /** Null when none is set. */
  readonly secretKey: Secret | null;
  readonly previousSecretKeys: readonly Secret[];
}

export interface CopyUrls {
  /** A URL without a password, `env:` and the name of the variable that holds the URL, or `-`. */
  readonly from: string;
  readonly to: string;
  /** The content of standard input. Null when neither URL is `-`. */
  readonly input: string | null;
}

/** Uses `DATABASE_URL` only if an option names it. Throws a `ConfigurationError`. */
export function readCopyConfig(environment: Environment, { input, ...urls }: CopyUrls): CopyConfig {
  const problems: ConfigurationProblem[] = [];
  if (urls.from.trim() === '-' && urls.to.trim() === '-')
    throw new ConfigurationError([
      { name: '--to', message: 'standard input holds only one URL, and --from already reads it' },
    ]);
  const read = (option: string, text: string): ConfiguredDatabase | null =>
    readUrl(option, { text: text.trim(), environment, input, problems });
  const from = read('--from', urls.from);
  const to = read('--to', urls.to);
  const names = ['secretKey', 'previousSecretKeys'] as const;
  const source = sourceIn(environment, names);
  const { secretKey, previousSecretKeys } = readEach(source, names);
  throwProblems([...problems, ...source.problems]);
  return { from, to, secretKey, previousSecretKeys } as CopyConfig;
}

interface GivenUrl {
  readonly text: string;
  readonly environment: Environment;
  readonly input: string | null;
  readonly problems: ConfigurationProblem[];
}

/** The message does not contain the wrong URL, which may hold a password. */
function readUrl(name: string, { text, environment, input, problems }: GivenUrl): ConfiguredDatabase | null {
  const [, variable] = /^env:(.*)$/s.exec(text) ?? [];
  const isArgument = variable === undefined && text !== '-';
  try {
    const url = isArgument ? text : variable === undefined ? input : secretValue(environment, variable);
    if (url === undefined || url === null) {
      problems.push({ name, message: `the environment variable ${variable} is not set` });
      return null;
    }
    const database = configuredDatabase(url.trim(), environment);
    if (!isArgument || database.engine === 'sqlite' || !hasPassword(database.connection)) return database;
    problems.push({
      name,
      message:
        'the URL must not contain a password, because other users of this machine can read it; ' +
        'use env:<variable>, or - and write the URL to standard input',
    });
    return null;
  } catch (error) {
    const why = error instanceof InvalidValue ? error.message : 'the URL is not valid';
    problems.push({ name, message: `${why}; ${mustBe('databaseUrl')}` });
    return null;
  }
}
