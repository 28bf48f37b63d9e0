import { readFileSync, statSync } from 'node:fs';
import { InvalidValue, refuse } from './invalid-value.js';

/** Reads a file that a setting names. `hint` follows its size if that is too much. Throws an `InvalidValue`. */
export function readSmallFile(file: string, maxBytes: number, hint = ''): Buffer {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) refuse(`${file} is not a file`);
    if (stats.size > maxBytes) refuse(`${file} has ${stats.size} bytes${hint}`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof InvalidValue) throw error;
    return refuse(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
