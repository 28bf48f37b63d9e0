import { tryExports } from '../support/export-trial.js';
import { startPostgresServer } from '../support/postgres-server.js';

/**
 * Exports a million rows to slow readers, to readers who leave early, and to eight readers at once, while an import
 * changes the last rows.
 * As a program: `node test/dist/soak/exports.js [meetings]`.
 */
const [meetings = 1_000_000] = process.argv.slice(2).map(Number);

/** Megabytes of memory that eight slow readers may add. */
const MAX_ADDED_MB = 64;

for (const engine of ['sqlite', 'postgres'] as const) {
  const server = engine === 'postgres' ? await startPostgresServer({ durable: true }) : null;
  try {
    const trial = await tryExports({ meetings, ...(server === null ? {} : { url: server.url() }) });
    const { before, beforeEach, eight, namesAfter, ...rest } = trial;
    const isRight = {
      complete: before.isComplete,
      snapshots: eight.every(({ hash, isComplete }, at) => isComplete && hash === beforeEach[at]?.hash),
      changes: namesAfter.length === meetings && namesAfter.slice(-2).join() === 'Changed,Added',
      memory: !(trial.added > MAX_ADDED_MB),
      connections: trial.left === eight.length && trial.exitCode === 0,
    };
    process.stdout.write(
      `${JSON.stringify({ engine, meetings, bytes: before.bytes, ...rest, isRight }, null, 2)}\n`,
    );
    if (Object.values(isRight).includes(false)) process.exitCode = 1;
  } finally {
    await server?.remove();
  }
}
