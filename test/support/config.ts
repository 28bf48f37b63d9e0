import { join } from 'node:path';
import { ConfigurationError } from '#app/config/configuration-error.js';
import type { Environment } from '#app/config/rules.js';
import { type Config, readConfig } from '#app/config.js';

export const secretKey = 'a secret key of more than 32 characters';

/** Reads a configuration with a database in the folder. Notices are added to `notices`. */
export function readIn(folder: { readonly path: string }) {
  return (environment: Environment, notices: string[] = []): Config => {
    const DATABASE_URL = `sqlite:${join(folder.path, 'rollcall.db')}`;
    return readConfig({ DATABASE_URL, SECRET_KEY: secretKey, ...environment }, (line) => notices.push(line));
  };
}

/** The problems of a configuration, one text each. Empty if it can be read. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ name, message }) => `${name}: ${message}`);
  }
  return [];
}
