import { type Cluster, postgresCluster, sqliteCluster } from '../histories/cluster.js';
import {
  crashDatabase,
  type Fault,
  fillDatabaseDisk,
  fillDisk,
  freeze,
  holdDatabase,
  kill,
  longFreeze,
  restart,
} from '../histories/disturb.js';
import { limitedPlan } from '../histories/limited-plan.js';
import type { PlanRun } from '../histories/plan-run.js';
import {
  answerWith,
  type HistoriesReport,
  type RunHistories,
  runHistories,
} from '../histories/run-histories.js';
import type { Pace } from '../simulation/plan.js';
import { smallFileSystem } from '../support/fault/disk.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { printLine, soakSeed } from '../support/soak-program.js';

/**
 * What clients of real instances see while these are killed, frozen and restarted, checked as the simulation is: three
 * instances on PostgreSQL, and one on SQLite, five minutes each: `npm run test:soak -- histories`. As a program, it takes
 * the minutes in all, and the engines: `node test/dist/soak/histories.js 2 sqlite`. `SOAK_SEED` repeats the plans of an
 * earlier run, but not what the machine made of them.
 */
const MINUTES = 10;
const AT_ONCE = 6;
/** More than the data and the log of any run. */
const DATABASE_DISK_BYTES = 384 * 1024 * 1024;
/** Plans take at least so long, so no more can be carried out in the time. */
const SHORTEST_PLAN_S = 4;

const pace: Pace = { latencies: [30, 100, 300], spans: [2_000, 6_000, 15_000] };

const words = process.argv.slice(2);
const minutes = Number(words.find((word) => Number(word) > 0) ?? MINUTES);
const engines = (['postgres', 'sqlite'] as const).filter(
  (engine) => !words.some((word) => word === 'postgres' || word === 'sqlite') || words.includes(engine),
);

const faults: Readonly<Record<(typeof engines)[number], readonly Fault[]>> = {
  postgres: [kill, kill, kill, freeze, freeze, restart, crashDatabase, longFreeze, fillDatabaseDisk],
  sqlite: [kill, kill, freeze, freeze, restart, fillDisk, holdDatabase],
};

for (const [index, engine] of engines.entries()) {
  const seed = soakSeed + index;
  const seconds = (minutes * 60) / engines.length;
  printLine(`${engine}: seed ${seed}, ${seconds} s`);
  const { counts, failures } = await run(engine, seed, seconds);
  printLine(
    `        ${Object.entries(counts)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ')}`,
  );
  for (const { broken, story } of failures) {
    printLine(`FAILED  ${broken}`);
    for (const line of story) printLine(`        ${line}`);
  }
  printLine(
    failures.length === 0 ? '        every promise was kept' : `        ${failures.length} broken promises`,
  );
  if (failures.length > 0 || counts.done === 0) process.exitCode = 1;
}
process.exit();

async function run(
  engine: (typeof engines)[number],
  seed: number,
  seconds: number,
): Promise<HistoriesReport> {
  const plans = Math.ceil((seconds * AT_ONCE) / SHORTEST_PLAN_S);
  const runs = new Map<number, PlanRun>();
  const options: RunHistories = {
    seed,
    plans,
    atOnce: AT_ONCE,
    seconds,
    planOf: (ofSeed) => limitedPlan(ofSeed, { pace, maxMs: 25_000 }),
    faults: faults[engine],
    between: [3_000, 10_000],
    waits: true,
  };
  const site = { organizations: 2 * plans, answer: answerWith(runs) };
  if (engine === 'sqlite') return runOn(await sqliteCluster(site));
  const disk = smallFileSystem(DATABASE_DISK_BYTES);
  if (disk === null) printLine('        the disk of PostgreSQL is never full: no right to mount a small one');
  const server = await startPostgresServer({
    durable: true,
    ...(disk && { folder: disk.directory, settings: ['max_wal_size=64MB'] }),
  });
  try {
    return await runOn(await postgresCluster({ server, disk, ...site }));
  } finally {
    await server.remove();
    disk?.remove();
  }

  async function runOn(cluster: Cluster): Promise<HistoriesReport> {
    try {
      return await runHistories(cluster, runs, options);
    } finally {
      await cluster.remove();
    }
  }
}
