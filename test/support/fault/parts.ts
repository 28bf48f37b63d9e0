import { endPostgres } from '../postgres.js';
import { printLine } from '../soak-program.js';
import { within } from '../wait.js';
import type { FaultReport } from './audit.js';

/** A part of the fault tests that runs with full counts. */
export interface Part {
  readonly name: string;
  /** The time limit in seconds. */
  readonly maxSeconds: number;
  readonly run: () => Promise<FaultReport>;
}

const MAX_PROBLEMS = 20;

/**
 * Runs the parts one at a time, or only those whose name contains one of the arguments. Prints the seed that they use, and
 * the result of each, and ends the process, with 0 if all have passed.
 */
export async function runParts(
  parts: readonly Part[],
  { seed }: { readonly seed?: number } = {},
): Promise<void> {
  const words = process.argv.slice(2);
  const chosen = parts.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  if (seed !== undefined) printLine(`SOAK_SEED=${seed}`);
  let passed = 0;
  for (const part of chosen) if (await runPart(part)) passed += 1;
  const failed = chosen.length - passed;
  printLine(`${passed} passed, ${failed} failed`);
  await endPostgres();
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

async function runPart({ name, maxSeconds, run }: Part): Promise<boolean> {
  const startedAt = performance.now();
  const report = await within(run(), maxSeconds * 1000).catch((error: unknown) => String(error));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const problems = typeof report === 'string' ? [report] : report.problems;
  const counts = typeof report === 'string' ? {} : report.counts;
  const results = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  printLine(`${problems.length === 0 ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
  if (results.length > 0) printLine(`        ${results.join(', ')}`);
  for (const problem of problems.slice(0, MAX_PROBLEMS)) printLine(`        ${problem}`);
  if (problems.length > MAX_PROBLEMS) printLine(`        and ${problems.length - MAX_PROBLEMS} more`);
  return problems.length === 0;
}
