import { mostSorted, type PageRun } from '../support/page-runs.js';
import { lookAtPlans } from '../support/plans.js';
import { recordedSuites } from '../support/statements.js';

/**
 * How both engines would run every statement of the ports over a million meetings: nothing may read a table that
 * grows from end to end, or sort what grows with an organization. As a program:
 * `node test/dist/soak/plans.js [meetings]`; `TEST_POSTGRES_URL` names a server, else it starts its own.
 */
const [meetings = 1_000_000] = process.argv.slice(2).map(Number);
const perPage = 50;
/** Milliseconds that a page of the past ones may take, of which there are counts: the first, and the farthest from both ends. */
const LONGEST_FIRST = 3;
const LONGEST = 40;

function isSlow({ page, milliseconds }: PageRun): boolean {
  return /^past, page 1$/.test(page)
    ? milliseconds > LONGEST_FIRST
    : /^past, page/.test(page) && milliseconds > LONGEST;
}

for (const engine of ['sqlite', 'postgres'] as const) {
  const { suites, ...recorded } = recordedSuites(engine);
  for (const { run } of suites) await run();
  const report = await lookAtPlans(engine, recorded, { meetings, seqscan: 'on', perPage });
  process.stdout.write(`${JSON.stringify({ engine, meetings, ...report }, null, 2)}\n`);
  const isWrong = (run: PageRun) =>
    run.sorted > mostSorted({ perPage }) || run.scans.length > 0 || isSlow(run);
  if (report.growing.length > 0 || report.pages.some(isWrong)) process.exitCode = 1;
}
