import { claimPages, readsTooMuch } from '../support/claim-pages.js';
import { isGrowing, type PageRun } from '../support/export-page-runs.js';
import { examinePlans } from '../support/plans.js';
import { endPostgres } from '../support/postgres.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { recordedSuites } from '../support/statements.js';

/**
 * Checks the plans of both engines for every statement of the ports over a million meetings: no statement may scan a
 * whole table that grows, or sort rows whose number grows with an organization. PostgreSQL also runs pages. As a program:
 * `node test/dist/soak/query-plans.js [meetings]`. `TEST_POSTGRES_URL` names a server; without it, the program starts its own.
 */
const [meetings = 1_000_000] = process.argv.slice(2).map(Number);
const options = { meetings, seqscan: 'on', perPage: 50 } as const;
/** Milliseconds that a page of past meetings may take. Their total comes from a counter. */
const MAX_PAGE_MS = { first: 3, any: 40 };

function isSlow({ page, milliseconds }: PageRun): boolean {
  if (!page.startsWith('past, page')) return false;
  return milliseconds > (page === 'past, page 1' ? MAX_PAGE_MS.first : MAX_PAGE_MS.any);
}

async function checkPlans(engine: 'sqlite' | 'postgres'): Promise<void> {
  const { suites, ...recorded } = recordedSuites(engine);
  for (const { run } of suites) await run();
  const report = await examinePlans(engine, recorded, options);
  const wrongPages = report.pages.filter((run) => isGrowing(run) || isSlow(run));
  process.stdout.write(`${JSON.stringify({ engine, meetings, ...report, wrongPages }, null, 2)}\n`);
  if (report.growing.length > 0 || wrongPages.length > 0) process.exitCode = 1;
}

/** A claim reads few organizations, however many wait. */
async function checkClaims(): Promise<void> {
  const organizations = 10_000;
  const pages = await claimPages(organizations);
  process.stdout.write(`${JSON.stringify({ claims: { organizations, pages } }, null, 2)}\n`);
  if (readsTooMuch(pages)) process.exitCode = 1;
}

const existingUrl = process.env.TEST_POSTGRES_URL;
const server =
  existingUrl === undefined ? await startPostgresServer({ settings: ['shared_buffers=512MB'] }) : null;
process.env.TEST_POSTGRES_URL = existingUrl ?? server?.url();
try {
  await checkPlans('sqlite');
  await checkPlans('postgres');
  await checkClaims();
} finally {
  await endPostgres();
  await server?.remove();
}
