import {
  type RunSequences,
  runSequences,
  startForSequences,
} from '../property/state-machine/run-sequences.js';
import { endPostgres } from '../support/postgres.js';
import { printLine } from '../support/soak-program.js';
import { type DatabaseKind, databaseKinds } from '../support/storage.js';

/**
 * Random calls of two organizations against the model, with other seeds each time: `npm run test:soak -- state-machine`.
 * Ends after `STATE_MACHINE_MINUTES` (10), a third of them on each storage. A failure is printed as a script.
 */
const minutes = Number(process.env.STATE_MACHINE_MINUTES ?? 10);
const maxMs = (minutes * 60_000) / databaseKinds.length;
/** A service has this many sequences, so that its database stays small. */
const SEQUENCES = 200;
const STEPS = 80;

for (const database of databaseKinds) await soak(database);
await endPostgres();

async function soak(database: DatabaseKind): Promise<void> {
  const until = performance.now() + maxMs;
  let [sequences, calls] = [0, 0];
  const answers = new Set<string>();
  let seed = Date.now() % 1_000_000_000;
  let isFailed = false;
  while (!isFailed && performance.now() < until) {
    seed += 1;
    const service = await startForSequences(database);
    try {
      const given: Omit<RunSequences, 'service'> = { database, seed, sequences: SEQUENCES, steps: STEPS };
      const ran = await runSequences({ ...given, service, maxMs: until - performance.now() });
      sequences += ran.sequences;
      for (const [answer, count] of ran.calls) {
        answers.add(answer);
        calls += count;
      }
      const { failure } = ran;
      if (failure !== null) printLine(`FAILED  ${failure.why}\n\n${failure.script}`);
      for (const { error } of service.reports) printLine(`REPORTED  ${String(error)}`);
      isFailed = failure !== null || service.reports.length > 0;
    } finally {
      await service.stop();
    }
  }
  printLine(`${database}: ${sequences} sequences, ${calls} calls, ${answers.size} kinds of answers`);
  if (isFailed || sequences === 0) process.exitCode = 1;
}
