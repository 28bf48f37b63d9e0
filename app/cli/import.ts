import { createReadStream, statSync } from 'node:fs';
import type { ImportStep } from '@rollcall/sql/maintenance';
import { datasetRules } from '../dataset/dataset-rules.js';
import { type ImportResult, runImport } from '../dataset/run-import.js';
import { Failure } from '../failure.js';
import { isTerminal, print, printJson, say } from '../terminal.js';
import { counted, speedText } from './count-text.js';
import { createProgress, type Progress } from './progress.js';
import { withCore } from './with-core.js';

export interface ImportOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly json?: boolean;
}

export async function importCommand({ file, json }: ImportOptions): Promise<void> {
  const size = sizeOf(file);
  await withCore(async (context) => {
    const progress = createProgress({ total: size, verb: 'Read' });
    const start = performance.now();
    let applying = start;
    let applied: number | null = null;
    try {
      const result = await runImport({
        database: context.database,
        source: withProgress(bytesOf(file), progress),
        rules: datasetRules(context),
        ids: context.ports.ids,
        at: context.clock.now(),
        origin: { source: 'command-line', from: null },
        progress: progress.records,
        onStep: (step) => {
          if (step === 'vacuum') applied = performance.now();
          else applying = performance.now();
          progress.step(steps[step]);
        },
      });
      progress.end();
      const end = performance.now();
      const { records } = result;
      const speed = speedOf({ records, all: end - start, applying: (applied ?? end) - applying });
      for (const { message } of result.warnings) say(`Warning: ${message}`);
      if (json === true) printJson(toJson(result, speed));
      else printCounts(result, speed);
    } catch (error) {
      progress.end();
      throw readableError(error, file);
    }
  });
}

/** Null when the size is not known in advance. */
function sizeOf(file: string): number | null {
  if (file === '-') {
    if (isTerminal.stdin())
      throw new Failure('Standard input is a terminal: pipe a dataset into it, or name a file.');
    return null;
  }
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new Failure(`${file} is a directory, not a dataset.`);
    return stats.isFile() ? stats.size : null;
  } catch (error) {
    throw readableError(error, file);
  }
}

function bytesOf(file: string): AsyncIterable<Uint8Array> {
  return file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 });
}

async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    yield chunk;
    bytes += chunk.length;
    progress.done(bytes);
  }
}

/** An error of the file system in words. */
function readableError(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || error instanceof Failure) return error;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'the file does not exist',
    EACCES: 'this user may not read the file',
    EISDIR: 'it is a directory, not a file',
  };
  return new Failure(`${file}: ${reasons[code ?? ''] ?? `the file cannot be read (${code})`}.`);
}

const steps: Readonly<Record<ImportStep, string>> = {
  check: 'Checking …',
  apply: 'Applying … (a running server can read; its writes wait, and are answered 503 after 5 s)',
  vacuum: 'Vacuuming … (a running server can read and write)',
};

interface Speed {
  readonly records: number;
  readonly seconds: number;
  readonly records_per_second: number;
  /** The part of `seconds` in which other writes were blocked. */
  readonly apply_seconds: number;
}

/** Converts durations in milliseconds to seconds. */
function speedOf({
  records,
  all,
  applying,
}: Readonly<Record<'records' | 'all' | 'applying', number>>): Speed {
  const rounded = (milliseconds: number): number => Math.round(milliseconds / 10) / 100;
  return {
    records,
    seconds: rounded(all),
    records_per_second: Math.round((records / Math.max(all, 1)) * 1000),
    apply_seconds: rounded(applying),
  };
}

function toJson({ counts, registered, warnings }: ImportResult, speed: Speed) {
  return { ...counts, registered, warnings, ...speed };
}

function printCounts({ counts, registered }: ImportResult, speed: Speed): void {
  const { records, seconds, records_per_second, apply_seconds } = speed;
  const done = Object.entries(counts).filter(([, { stored, removed }]) => stored + removed > 0);
  // The import does not check whether a record is new or changes anything.
  if (done.length > 0) say('Imported. Stored records may be new, changed or the same as before:');
  else say('Imported: there was nothing to store or to remove.');
  for (const [kind, { stored, removed }] of done) {
    const gone = removed === 0 ? '' : `  ${removed} removed`;
    print(`${kind.padEnd(15)} ${String(stored).padStart(9)} stored${gone}`);
  }
  if (registered > 0) say(`${counted(registered, 'new registration')}, each with an event.`);
  say(speedText('record', { count: records, seconds, perSecond: records_per_second }));
  if (apply_seconds >= 1) say(`Other writes were blocked for the last ${apply_seconds} s.`);
}
