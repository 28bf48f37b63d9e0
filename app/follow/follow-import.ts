import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Sql } from '@rollcall/sql';
import {
  DatasetError,
  extendImport,
  type ImportCounts,
  type ImportPlace,
  type LoggedImport,
  logImport,
  storeImportPlace,
} from '@rollcall/sql/maintenance';
import type { CommandContext } from '../command-context.js';
import { DatasetErrors } from '../dataset/dataset-errors.js';
import { datasetRules } from '../dataset/dataset-rules.js';
import { type ImportResult, runImport } from '../dataset/run-import.js';
import type { FollowedLine, LineSource } from './line-source.js';

export interface FollowImport {
  readonly context: CommandContext;
  readonly source: LineSource;
  /** The path under which the place is stored. Null when the source cannot be read again. */
  readonly file: string | null;
  /** The place that is stored for the file. Null: none. */
  readonly place: ImportPlace | null;
  /** Stops after what was read. */
  readonly signal: AbortSignal;
  /** Called after each commit, with its result and the number of its last line. */
  readonly onCommit: (result: ImportResult & { readonly line: number }) => void;
  /** Keeps lines that are wrong. They are then left out. Null: a wrong line ends the import. */
  readonly reject: ((rejected: readonly RejectedLine[]) => Promise<void>) | null;
  /** Tells the operator that the database is away, and when it is back. */
  readonly notice: (text: string) => void;
}

export interface RejectedLine {
  readonly line: FollowedLine;
  readonly error: DatasetError;
}

const MAX_LINES = 5_000;
const MAX_MS = 1_000;
const POLL_MS = 100;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

/**
 * Imports lines as they come, a commit for each second or each 5,000 lines. Each commit stores its place in its
 * transaction. While the database is away, it waits. Returns when the source has ended or the signal is aborted. Throws
 * the `DatasetError` of a wrong line, after the lines before it are stored, and `PlaceTaken` if another process follows the
 * file.
 */
export async function followImport(options: FollowImport): Promise<void> {
  const { source, signal, file, place } = options;
  const run: Run = { log: runLog(), place: file === null ? null : placeKeeper(file, place) };
  while (!signal.aborted && !source.isEnded()) {
    for (const lines of consecutive(await nextLines(source, signal))) await commitLines(options, lines, run);
  }
}

/** Waits for a line, and then for others, for at most a second. */
async function nextLines(source: LineSource, signal: AbortSignal): Promise<readonly FollowedLine[]> {
  const lines: FollowedLine[] = [];
  let firstAt = Number.POSITIVE_INFINITY;
  for (;;) {
    const read = await source.read(MAX_LINES - lines.length);
    lines.push(...read);
    if (lines.length > 0) firstAt = Math.min(firstAt, performance.now());
    const isDue = lines.length >= MAX_LINES || performance.now() - firstAt >= MAX_MS;
    if (isDue || source.isEnded() || signal.aborted) return lines;
    if (read.length === 0) await interruptiblePause(POLL_MS, signal);
  }
}

/** Splits lines where another file begins, so that each part has consecutive numbers. */
function consecutive(lines: readonly FollowedLine[]): readonly (readonly FollowedLine[])[] {
  const parts: FollowedLine[][] = [];
  for (const line of lines) {
    const part = parts.at(-1);
    if (part !== undefined && part.at(-1)?.number === line.number - 1) part.push(line);
    else parts.push([line]);
  }
  return parts;
}

/** Stores lines. Those that are wrong are rejected and left out, or end the import. */
async function commitLines(options: FollowImport, all: readonly FollowedLine[], run: Run): Promise<void> {
  const { reject } = options;
  let lines = all;
  for (;;) {
    const wrong = await commit(options, lines, run);
    if (wrong.length === 0) return;
    if (reject === null) throw await storeBefore(options, { lines, wrong, run });
    await reject(wrong);
    const numbers = new Set(wrong.map(({ line }) => line.number));
    // An empty line in its place keeps the numbers of the others.
    lines = lines.map((line) => (numbers.has(line.number) ? { ...line, bytes: EMPTY_LINE } : line));
  }
}

/**
 * Stores the lines before the first wrong one. Storing fewer lines can find an earlier one that is wrong: lines that
 * cannot be read are found first, and those that contradict what is stored only without them. Returns its error.
 */
async function storeBefore(
  options: FollowImport,
  {
    lines,
    wrong,
    run,
  }: {
    readonly lines: readonly FollowedLine[];
    readonly wrong: readonly RejectedLine[];
    readonly run: Run;
  },
): Promise<DatasetError | undefined> {
  const [first] = [...wrong].sort((one, other) => one.line.number - other.line.number);
  if (first === undefined) return undefined;
  const before = lines.filter(({ number }) => number < first.line.number);
  const earlier = before.length === 0 ? [] : await commit(options, before, run);
  return earlier.length === 0 ? first.error : storeBefore(options, { lines: before, wrong: earlier, run });
}

const EMPTY_LINE = Buffer.from('\n');

/** Stores all lines, or none of them and returns those that are wrong. Waits while the database is away. */
async function commit(
  { context, signal, onCommit, notice }: FollowImport,
  lines: readonly FollowedLine[],
  { log, place }: Run,
): Promise<readonly RejectedLine[]> {
  const last = lines.at(-1);
  if (last === undefined) return [];
  let isAway = false;
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
    try {
      const result = await runImport({
        database: context.database,
        // Lines from the middle of a file, which can begin with any bytes.
        ...{ source: bytesOf(lines), isPlain: true },
        rules: datasetRules(context),
        ids: context.ports.ids,
        at: context.clock.now(),
        origin: { source: 'command-line', from: null },
        firstLine: lines[0]?.number ?? 1,
        async log(sql, entry) {
          await log.record(sql, entry);
          if (last.place !== null) await place?.store(sql, { ...last.place, at: entry.endedAt });
        },
      });
      log.committed();
      place?.committed();
      if (isAway) notice('The database is back');
      onCommit({ ...result, line: last.number });
      return [];
    } catch (error) {
      if (error instanceof DatasetError) {
        log.refused();
        return wrongLines(error, lines);
      }
      if (!(error instanceof Unavailable) || signal.aborted) throw error;
      if (!isAway) notice(`The database is away (${error.message}). Waiting`);
      isAway = true;
      await interruptiblePause(wait, signal);
    }
  }
}

async function* bytesOf(lines: readonly FollowedLine[]): AsyncGenerator<Uint8Array> {
  yield Buffer.concat(lines.map(({ bytes }) => bytes));
}

/** The lines that an error names. Throws the error if it names none. */
function wrongLines(error: DatasetError, lines: readonly FollowedLine[]): readonly RejectedLine[] {
  const errors = error instanceof DatasetErrors ? error.reported : [error];
  const wrong = errors.flatMap((one) => {
    const line = lines.find(({ number }) => number === one.line);
    return line === undefined ? [] : [{ line, error: one }];
  });
  if (wrong.length === 0) throw error;
  return wrong;
}

/** What a run remembers of its commits. */
interface Run {
  readonly log: ReturnType<typeof runLog>;
  /** Null when the source cannot be read again. */
  readonly place: ReturnType<typeof placeKeeper> | null;
}

/** Stores places in a file, each only over the one before. Null for `stored`: there is none. */
function placeKeeper(file: string, stored: ImportPlace | null) {
  let known = stored;
  /** Places of commits whose answer was lost: any of them may be stored. */
  let doubtful: readonly ImportPlace[] = [];
  let next = stored;
  return {
    async store(sql: Sql, { at, ...place }: ImportPlace & { readonly at: Date }): Promise<void> {
      await storeImportPlace(sql, { file, at, expected: [known, ...doubtful], ...place });
      next = place;
      const isNew = doubtful.every(
        ({ identity, position }) => identity !== place.identity || position !== place.position,
      );
      if (isNew) doubtful = [...doubtful, place];
    },
    committed(): void {
      known = next;
      doubtful = [];
    },
  };
}

interface LoggedRun {
  readonly id: number;
  readonly beganAt: Date;
  readonly records: number;
  readonly counts: ImportCounts | null;
}

/** The log of imports has one entry for the commits of a run, until a line is wrong. */
function runLog() {
  let run: LoggedRun | null = null;
  /** What becomes of `run` with the current commit. */
  let next: LoggedRun | null = null;
  return {
    async record(sql: Sql, entry: LoggedImport): Promise<void> {
      const { beganAt = entry.beganAt, records = 0, counts = null } = run ?? {};
      const total = {
        beganAt,
        records: records + entry.records,
        counts: sumOf(counts, entry.counts),
      };
      if (run !== null && (await extendImport(sql, { ...entry, ...total, id: run.id })))
        next = { ...total, id: run.id };
      else next = { ...total, id: await logImport(sql, { ...entry, ...total }) };
    },
    committed(): void {
      run = next;
    },
    refused(): void {
      run = null;
    },
  };
}

function sumOf(one: ImportCounts | null, other: ImportCounts | null): ImportCounts | null {
  if (one === null || other === null) return one ?? other;
  const kinds = Object.keys(one) as (keyof ImportCounts)[];
  const sums = kinds.map((kind) => [
    kind,
    { stored: one[kind].stored + other[kind].stored, removed: one[kind].removed + other[kind].removed },
  ]);
  return Object.fromEntries(sums) as ImportCounts;
}

/** Ends early when the signal is aborted. */
export async function interruptiblePause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => undefined);
}
