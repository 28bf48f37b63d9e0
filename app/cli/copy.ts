import { statSync } from 'node:fs';
import type { Secret } from '@rollcall/core';
import { createKeyring } from '@rollcall/node';
import { type Database, holdSenderLock } from '@rollcall/sql';
import {
  areSamePostgres,
  requireEmptyTarget,
  retireDeployment,
  secretKeyIdOf,
  type TransferredTable,
  type TransferStep,
  transferDatabase,
} from '@rollcall/sql/maintenance';
import { asProblemOf, ConfigurationError } from '../config/configuration-error.js';
import { type CopyConfig, readCopyConfig } from '../config/copy-config.js';
import type { ConfiguredDatabase } from '../config/database-url.js';
import { prepareDirectory } from '../config/prepare-directory.js';
import { processEnvironment } from '../config.js';
import { Failure } from '../failure.js';
import { openConfiguredDatabase } from '../open-configured-database.js';
import { ensureSecretKey, shareSecretKey } from '../secret-key.js';
import { isTerminal, print, printJson, say } from '../terminal.js';
import { speedText } from './count-text.js';
import { createProgress, type Progress } from './progress.js';
import { readInput } from './read-input.js';

export interface CopyCommandOptions {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

export async function copyCommand({ from, to, json }: CopyCommandOptions): Promise<void> {
  const isPiped = [from, to].some((url) => url.trim() === '-');
  const input = isPiped ? await urlFromInput() : null;
  const config = readCopyConfig(processEnvironment, { from, to, input });
  requireExistingSource(config.from);
  requireOtherFile(config);
  const key = secretKeyOf(config);
  await withDatabase(config.from, '--from', async (source) => {
    await checkSource(source, { config, key });
    if (config.to.engine === 'sqlite') prepareDirectory(config.to.file, '--to');
    await withDatabase(config.to, '--to', async (target) => {
      await checkTarget(target, { source, config, key });
      writeTargetKey(config, key);
      await target.migrate();
      await copyAndReport({ from: source, to: target }, json === true);
      await markAsCopied(source, json === true);
    });
  });
}

/** A URL on standard input does not appear in the list of processes. */
async function urlFromInput(): Promise<string> {
  if (isTerminal.stdin())
    throw new Failure('Standard input is a terminal: redirect a file with the URL of the database to it.');
  return readInput('Standard input is too long to be a database URL.');
}

/** Holds the lock of an SQLite file during the work, so that no server can start on it. */
async function withDatabase(
  database: ConfiguredDatabase,
  option: string,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const lock = database.engine === 'sqlite' ? await holdSenderLock(database.file) : { release() {} };
  if (lock === null) {
    throw new Failure(
      `${database.url} is in use by "rollcall serve", so changes made during the copy would be lost. Stop it first.`,
    );
  }
  try {
    const opened = await openConfiguredDatabase({ database }, { source: option });
    await work(opened).finally(() => opened.close());
  } finally {
    lock.release();
  }
}

/** Pending webhooks are sent from the copy, so the source must not send them as well. */
async function markAsCopied(source: Database, isQuiet: boolean): Promise<void> {
  try {
    await retireDeployment(source);
    if (isQuiet) return;
    say('Pending webhooks are sent from the copy. If the source is served again, it holds them.');
  } catch {
    say(
      'The source could not be marked as copied: do not serve it again, or pending webhooks are sent twice.',
    );
  }
}

// ── Checks before copying ─────────────────────────────────────────────────────────────────────────────────

function requireExistingSource(source: ConfiguredDatabase): void {
  if (source.engine === 'postgres') return;
  const size = statSync(source.file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0)
    throw new ConfigurationError([{ name: '--from', message: `database ${source.url} does not exist` }]);
}

const sameDatabase = { name: '--to', message: 'must be another database than --from' };

function requireOtherFile({ from, to }: CopyConfig): void {
  if (from.engine === 'postgres' || to.engine === 'postgres') return;
  const [here, there] = [from.file, to.file].map((file) => statSync(file, { throwIfNoEntry: false }));
  if (here === undefined || there === undefined) return;
  if (here.ino === there.ino && here.dev === there.dev) throw new ConfigurationError([sameDatabase]);
}

/** `SECRET_KEY`, or else the key beside the source's file. */
function secretKeyOf({ secretKey, from, to }: CopyConfig): Secret {
  if (secretKey !== null) return secretKey;
  const message = 'must be set when a database is on PostgreSQL';
  if (from.engine === 'postgres') throw new ConfigurationError([{ name: 'SECRET_KEY', message }]);
  if (to.engine === 'postgres')
    throw new ConfigurationError([
      { name: 'SECRET_KEY', message: `${message}; use the key in ${from.file}.key` },
    ]);
  return asProblemOf('SECRET_KEY', () => ensureSecretKey(from.file, say));
}

/** Writes the key beside an SQLite copy, which is read with it. */
function writeTargetKey({ secretKey, to }: CopyConfig, key: Secret): void {
  if (secretKey === null && to.engine === 'sqlite')
    asProblemOf('SECRET_KEY', () => shareSecretKey(key, to.file, say));
}

interface KeyCheck {
  readonly config: CopyConfig;
  readonly key: Secret;
}

async function checkSource(source: Database, { config, key }: KeyCheck): Promise<void> {
  const pending = await source.pendingMigrations();
  if (pending.length > 0) {
    throw new Failure(`The source lacks ${pending.join(', ')}. Run: rollcall migrate`);
  }
  await checkKey(source, { config, key }, 'the source');
}

async function checkTarget(
  target: Database,
  { source, config, key }: KeyCheck & { readonly source: Database },
): Promise<void> {
  if (source.engine === 'postgres' && target.engine === 'postgres' && (await areSamePostgres(source, target)))
    throw new ConfigurationError([sameDatabase]);
  await requireEmptyTarget(target.read, target.engine);
  await checkKey(target, { config, key }, 'the target');
}

async function checkKey(database: Database, { config, key }: KeyCheck, side: string): Promise<void> {
  const { all } = createKeyring({
    secretKey: key.reveal(),
    previousSecretKeys: config.previousSecretKeys.map((previous) => previous.reveal()),
  });
  const used = await secretKeyIdOf(database);
  if (used === null || all.some(({ id }) => id === used)) return;
  throw new ConfigurationError([
    { name: 'SECRET_KEY', message: `does not match ${side}; set the key that ${side} was used with` },
  ]);
}

// ── Copying ────────────────────────────────────────────────────────────────────────────────────────────────

const steps: Readonly<Record<TransferStep, string>> = {
  count: 'Counting rows …',
  finish: 'Building indexes and checking references …',
  compare: 'Comparing row counts …',
};

async function copyAndReport(
  sides: { readonly from: Database; readonly to: Database },
  json: boolean,
): Promise<void> {
  let progress: Progress | null = null;
  const begun = performance.now();
  try {
    const copied = await transferDatabase(sides, {
      onTotal: (total) => {
        progress = createProgress({ total, verb: 'Copied' });
      },
      onRows: (rows) => {
        progress?.records(rows);
        progress?.done(rows);
      },
      onStep: (step) => progress?.step(steps[step]),
    });
    report(copied, { milliseconds: performance.now() - begun, json, progress });
  } finally {
    (progress as Progress | null)?.end();
  }
}

function report(
  copied: readonly TransferredTable[],
  {
    milliseconds,
    json,
    progress,
  }: { readonly milliseconds: number; readonly json: boolean; readonly progress: Progress | null },
): void {
  progress?.end();
  const rows = copied.reduce((sum, table) => sum + table.rows, 0);
  const seconds = Math.round(milliseconds / 10) / 100;
  const rows_per_second = Math.round((rows / Math.max(milliseconds, 1)) * 1000);
  if (json) {
    const tables = Object.fromEntries(copied.map(({ table, rows }) => [table, rows]));
    printJson({ tables, rows, seconds, rows_per_second });
    return;
  }
  say('Copied. The row counts of both databases are equal:');
  for (const { table, rows } of copied) print(`${table.padEnd(29)} ${String(rows).padStart(9)}`);
  say(speedText('row', { count: rows, seconds, perSecond: rows_per_second }));
}
