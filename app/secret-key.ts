import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Secret } from '@rollcall/core';
import { decodeText } from './config/decode-text.js';

const MIN_LENGTH = 32;

/**
 * The key beside an SQLite file (`<file>.key`), created at the first start. Processes that start together get the same
 * key. A key file that others can read is made private, with a notice. Throws an error for the operator if the database
 * has data and its key is missing.
 */
export function ensureSecretKey(databaseFile: string, notice: (line: string) => void): Secret {
  const file = `${databaseFile}.key`;
  if (!exists(file)) createKeyFile({ file, databaseFile, notice });
  makePrivate(file, notice);

  const key = readKey(file);
  if (key.length >= MIN_LENGTH) return new Secret(key);
  throw new Error(
    `the key file ${file} holds fewer than ${MIN_LENGTH} characters; put the right one back, or set SECRET_KEY`,
  );
}

/**
 * Stores the key beside a copy of the database too. Throws an error for the operator if that file holds another key.
 */
export function shareSecretKey(key: Secret, databaseFile: string, notice: (line: string) => void): void {
  const file = `${databaseFile}.key`;
  if (!exists(file) && writeKeyFile(file, key.reveal()))
    notice(`Kept the secret key beside the copy as well: ${file}`);
  if (readKey(file) === key.reveal()) return;
  throw new Error(`the key file ${file} holds another key; remove it, or set SECRET_KEY`);
}

function createKeyFile({
  file,
  databaseFile,
  notice,
}: {
  readonly file: string;
  readonly databaseFile: string;
  readonly notice: (line: string) => void;
}): void {
  if ((statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Error(
      `not set, and the key file ${file} of the existing database is missing; put it back, or set SECRET_KEY to the key that the database was used with`,
    );
  }
  if (!writeKeyFile(file, randomBytes(32).toString('base64'))) return;
  notice(
    `Created a new secret key: ${file}. Back it up separately from the database: without it keys and secrets cannot be read.`,
  );
}

/** Returns false if another process has created the file meanwhile. */
function writeKeyFile(file: string, key: string): boolean {
  // Written under another name first, so that the key file is never seen half written.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, `${key}\n`, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (exists(file)) return false;
    throw new Error(`not set, and the key file cannot be created (${messageOf(error)}); set SECRET_KEY`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function makePrivate(file: string, notice: (line: string) => void): void {
  // Windows has no such modes.
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
    notice(`Others could read the key file ${file}: its mode is 0600 now.`);
  } catch {
    notice(`Others can read the key file ${file}: set its mode to 0600.`);
  }
}

function readKey(file: string): string {
  try {
    return decodeText(readFileSync(file)).trim();
  } catch (error) {
    throw new Error(`the key file cannot be read (${messageOf(error)}); fix that, or set SECRET_KEY`);
  }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
