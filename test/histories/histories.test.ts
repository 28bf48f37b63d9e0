import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgresServer } from '../support/postgres-server.js';
import { type Cluster, postgresCluster, sqliteCluster } from './cluster.js';
import { type Fault, fillDisk, freeze, holdDatabase, kill, restart, shortened } from './disturb.js';
import { limitedPlan } from './limited-plan.js';
import type { PlanRun } from './plan-run.js';
import { answerWith, type HistoriesReport, type PlansByNumber, runHistories } from './run-histories.js';

/** Each run has its own seed, which is printed with the counts. They are small; `npm run test:soak -- histories` has more. */
const seed = Date.now() % 1_000_000;
const PLANS = 5;
const ORGANIZATIONS = 2 * PLANS;
const pace = { latencies: [30, 60, 120], spans: [500, 1_500, 3_000] } as const;

async function run(
  cluster: Cluster,
  runs: PlansByNumber,
  faults: readonly Fault[],
): Promise<HistoriesReport> {
  try {
    return await runHistories(cluster, runs, {
      seed,
      plans: PLANS,
      atOnce: PLANS,
      seconds: 10,
      planOf: (ofPlan) => limitedPlan(ofPlan, { pace, maxMs: 5_000 }),
      faults: faults.map(shortened),
      between: [800, 1_800],
      waits: false,
    });
  } finally {
    await cluster.remove();
  }
}

function isKept({ counts, failures }: HistoriesReport): void {
  assert.ok((counts.done ?? 0) > 0, JSON.stringify(counts));
  const lines = failures.flatMap(({ broken, story }) => [broken, ...story.map((line) => `    ${line}`)]);
  assert.equal(lines.join('\n'), '', `seed ${seed}`);
}

test('What clients of two instances on PostgreSQL saw while these were killed and frozen breaks no promise', {
  timeout: 240_000,
}, async (t) => {
  const runs = new Map<number, PlanRun>();
  const server = await startPostgresServer({ durable: true });
  try {
    const cluster = await postgresCluster({
      server,
      organizations: ORGANIZATIONS,
      answer: answerWith(runs),
      instances: 2,
    });
    const report = await run(cluster, runs, [kill, freeze, restart]);
    t.diagnostic(`seed ${seed}: ${JSON.stringify(report.counts)}`);
    isKept(report);
  } finally {
    await server.remove();
  }
});

test('What clients of an instance on SQLite saw while it was killed and frozen, and its disk was full, breaks no promise', {
  timeout: 240_000,
}, async (t) => {
  const runs = new Map<number, PlanRun>();
  const cluster = await sqliteCluster({ organizations: ORGANIZATIONS, answer: answerWith(runs) });
  const report = await run(cluster, runs, [kill, freeze, restart, fillDisk, holdDatabase]);
  t.diagnostic(`seed ${seed}: ${JSON.stringify(report.counts)}`);
  isKept(report);
});
