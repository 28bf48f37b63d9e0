import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from './configuration-error.js';

/**
 * Creates the directory of a file, with access for this user only, if its parent exists. Otherwise throws a
 * `ConfigurationError`.
 */
export function prepareDirectory(file: string, name: string): void {
  const directory = dirname(file);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (isDirectory(directory)) return;
    const reason = error instanceof Error ? error.message : String(error);
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const text = missing ? `the directory ${directory} does not exist` : reason;
    throw new ConfigurationError([{ name, message: `${text}; create it, or choose another path` }]);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
