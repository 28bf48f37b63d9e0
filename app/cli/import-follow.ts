import { fstatSync } from 'node:fs';
import { appendFile, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Unavailable } from '@rollcall/core';
import { DatasetError, type ImportPlace, importPlace, PlaceTaken } from '@rollcall/sql/maintenance';
import { datasetMessage } from '../error-messages.js';
import { Failure } from '../failure.js';
import { fileSource } from '../follow/file-source.js';
import { followImport, interruptiblePause, type RejectedLine } from '../follow/follow-import.js';
import type { LineSource } from '../follow/line-source.js';
import { streamSource } from '../follow/stream-source.js';
import { outputClosed, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { counted } from './count-text.js';
import { withCore } from './with-core.js';

export interface FollowOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** Where wrong lines are kept. Without it, the first one ends the command. */
  readonly rejected?: string;
  readonly json?: boolean;
}

const RETRY_MS = 5_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Imports lines as they come, until a signal, or the end of standard input. Fails when its output is no longer read. */
export async function followCommand(options: FollowOptions): Promise<void> {
  if (options.rejected !== undefined) await checkRejected(options.rejected, options.file);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  outputClosed.addEventListener('abort', stop);
  if (outputClosed.aborted) stop();
  try {
    await whenAvailable((onConnected) => follow(options, stopping.signal, onConnected), stopping.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    outputClosed.removeEventListener('abort', stop);
  }
  if (outputClosed.aborted)
    throw new Failure('Stopped, because the output of this command is no longer read.');
}

/** Starts the work again while the database is away, until it has connected once. */
async function whenAvailable(
  work: (onConnected: () => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let hasConnected = false;
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(() => {
        hasConnected = true;
      });
    } catch (error) {
      if (!(error instanceof Unavailable) || hasConnected || signal.aborted) throw error;
      if (tries === 0) say(`${error.message} Waiting for it.`);
      await interruptiblePause(RETRY_MS, signal);
      if (signal.aborted) throw error;
    }
  }
}

async function follow(
  { file, rejected, json }: FollowOptions,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<void> {
  await withCore(async (context) => {
    onConnected();
    const path = file === '-' ? null : resolve(file);
    const place = path === null ? null : await importPlace(context.database, path);
    const source = openSource(path, place, rejected);
    const progress = createProgress();
    try {
      await followImport({
        ...{ context, source, signal, file: path, place },
        notice: (text) => say(`${text}.`),
        reject: rejected === undefined ? null : (lines) => keepRejected(rejected, lines),
        onCommit({ records, registered, counts, warnings, line }) {
          for (const { message } of warnings) say(`Warning: ${message}`);
          if (json === true) printJson({ ...counts, records, registered, warnings, line });
          progress.add({ records, registered, line });
        },
      });
    } catch (error) {
      if (error instanceof PlaceTaken)
        throw new Failure(`${file}: another process follows this file. Only one can.`, { cause: error });
      if (!(error instanceof DatasetError)) throw error;
      const before = error.line === null ? '' : '. All lines before it are imported.';
      throw new Failure(`${datasetMessage(error)}${before}`, { cause: error });
    } finally {
      progress.end();
      await source.close();
    }
  });
}

function openSource(
  path: string | null,
  place: ImportPlace | null,
  rejected: string | undefined,
): LineSource {
  if (path === null) {
    say('Importing the lines of standard input as they come.');
    return streamSource(process.stdin);
  }
  say(`Following ${path} from line ${(place?.line ?? 0) + 1}.`);
  const ignored = rejected === undefined ? [] : [resolve(rejected)];
  return fileSource({ file: path, place, ignored, notice: (text) => say(`${text}.`) });
}

/** Appends the lines to the file as they are, so that it can be imported when they are corrected. Says what is wrong. */
async function keepRejected(file: string, lines: readonly RejectedLine[]): Promise<void> {
  const texts = lines.map(({ line: { bytes } }) => {
    const text = bytes.toString();
    return text.endsWith('\n') ? text : `${text}\n`;
  });
  await appendFile(file, texts.join(''), { mode: 0o600, flush: true });
  for (const { error } of lines) say(`${datasetMessage(error)}. The line is in ${file}.`);
}

/** Checks the file for wrong lines at the start, so that a mistake does not end the command hours later. */
async function checkRejected(rejected: string, followed: string): Promise<void> {
  // Each wrong line would be read again.
  if (await isSameFile(rejected, followed))
    throw new UsageError('--rejected must name another file than the one that is followed.');
  try {
    await (await open(rejected, 'a', 0o600)).close();
  } catch (error) {
    throw new UsageError(`--rejected: ${rejected} cannot be written: ${(error as Error).message}`);
  }
}

/** Also under two names. */
async function isSameFile(rejected: string, followed: string): Promise<boolean> {
  if (followed !== '-' && resolve(rejected) === resolve(followed)) return true;
  const one = await stat(rejected).catch(() => null);
  if (one === null || !one.isFile()) return false;
  const other = followed === '-' ? fstatSync(process.stdin.fd) : await stat(followed).catch(() => null);
  return other !== null && one.ino === other.ino && one.dev === other.dev;
}

const PROGRESS_INTERVAL_MS = 10_000;

interface Committed {
  readonly records: number;
  readonly registered: number;
  readonly line: number;
}

/** Says now and then how much was imported: after the first commit, then every ten seconds while lines come. */
function createProgress() {
  let saidAt = Number.NEGATIVE_INFINITY;
  let records = 0;
  let registered = 0;
  let line = 0;
  let hasNews = false;
  let total = 0;
  function tell(): void {
    const events = registered === 0 ? '' : `, ${counted(registered, 'new registration')}`;
    say(`Imported ${counted(records, 'record')}${events}, up to line ${line.toLocaleString('en')}.`);
    saidAt = performance.now();
    [records, registered, hasNews] = [0, 0, false];
  }
  return {
    add(commit: Committed): void {
      records += commit.records;
      registered += commit.registered;
      total += commit.records;
      line = commit.line;
      hasNews = true;
      if (performance.now() - saidAt >= PROGRESS_INTERVAL_MS) tell();
    },
    end(): void {
      if (hasNews) tell();
      say(`Stopped. Imported ${counted(total, 'record')}.`);
    },
  };
}
