import { lookAtPlans } from '../support/plans.js';
import { recordedSuites } from '../support/statements.js';

/**
 * How both engines would run every statement of the ports over a million meetings: nothing may read a table that
 * grows from end to end, or sort what grows with an organization. As a program:
 * `node test/dist/soak/plans.js [meetings]`; `TEST_POSTGRES_URL` names a server, else it starts its own.
 */
const [meetings = 1_000_000] = process.argv.slice(2).map(Number);

for (const engine of ['sqlite', 'postgres'] as const) {
  const { suites, texts } = recordedSuites(engine);
  for (const { run } of suites) await run();
  const report = await lookAtPlans(engine, texts, { meetings, seqscan: 'on' });
  process.stdout.write(`${JSON.stringify({ engine, meetings, ...report }, null, 2)}\n`);
  if (report.growing.length > 0) process.exitCode = 1;
}
