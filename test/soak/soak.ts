import type { FaultReport } from '../support/fault/audit.js';
import { holdTheDatabase, holdTheOutcome } from '../support/fault/busy.js';
import { fillTheDisk, limitedFiles, smallFileSystem } from '../support/fault/disk.js';
import { canCountFsyncs, countFsyncs, synchronousOfRoles } from '../support/fault/fsync.js';
import {
  killAndSetTheClockBack,
  killAtPoints,
  killTheSameDelivery,
  killWhileServing,
} from '../support/fault/kill.js';
import { type Part, runParts } from '../support/fault/parts.js';
import { testThroughPooler } from '../support/fault/pooler.js';
import { serveTwice } from '../support/fault/second.js';
import { type Stopped, stopTwice, stopUnderLoad, stopWithStuckReceiver } from '../support/fault/stop.js';
import { holdUpOneReceiver } from '../support/fault/stuck.js';

/**
 * The crash and fault tests with full counts, a quarter of an hour on a machine that is not busy: `npm run test:soak`, or with words of
 * the names of some parts. `SOAK_SEED` repeats the random times of an earlier run.
 */
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);
const MINUTE = 60_000;

const parts: readonly Part[] = [
  {
    name: 'kill -9 of the server while people register',
    longest: 800,
    run: () => killWhileServing({ kills: 200, seed, longest: 12 * MINUTE }),
  },
  {
    name: 'kill -9 at every named point',
    longest: 420,
    run: () => killAtPoints({ rounds: 10, seed, longest: 6 * MINUTE }),
  },
  { name: 'kill -9 three times in the same delivery', longest: 60, run: killTheSameDelivery },
  { name: 'kill -9 and a clock that is set back', longest: 60, run: killAndSetTheClockBack },
  { name: 'synchronous=FULL on every connection', longest: 30, run: everyRole },
  { name: 'fsyncs counted', longest: 120, run: fsyncs },
  ...[0, 40, 80, 120, 160, 200].map((after, round) => ({
    name: `stop under load, round ${round + 1}`,
    longest: 90,
    run: () => stopUnderLoad({ people: 40, after, signal: round % 2 === 0 ? 'SIGTERM' : 'SIGINT' }),
  })),
  { name: 'stop with a stuck receiver', longest: 60, run: stopsWithStuckReceiver },
  { name: 'stop twice', longest: 60, run: stopsTwice },
  {
    name: 'full disk, by a limit on the size of files',
    longest: 90,
    run: () => fillTheDisk(limitedFiles()),
  },
  ...[1, 2, 3].map((round) => ({
    name: `full disk, a file system of 8 MB, round ${round}`,
    longest: 90,
    run: fullFileSystem,
  })),
  {
    name: 'database held by another process',
    longest: 60,
    run: () => holdTheDatabase({ writers: 50 }),
  },
  ...[1, 2].map((round) => ({
    name: `outcome while the database is held, round ${round}`,
    longest: 60,
    run: holdTheOutcome,
  })),
  {
    name: 'stuck receiver',
    longest: 90,
    run: () => holdUpOneReceiver({ healthy: 20, events: 3, stuckEvents: 50 }),
  },
  {
    name: 'PostgreSQL behind a pooler of transactions',
    longest: 840,
    run: () => testThroughPooler(pooledTests, { longest: 13 * MINUTE }),
  },
  { name: 'second server', longest: 120, run: () => serveTwice({ rounds: 10 }) },
];

const pooledTests = ['contract/postgres.test', 'http/', 'app/postgres.test'];

async function everyRole(): Promise<FaultReport> {
  const counts = await synchronousOfRoles();
  const notFull = Object.entries(counts).filter(([role, level]) => level !== (role === 'untold' ? 1 : 2));
  return { counts, problems: notFull.map(([role, level]) => `${role} reads ${level}`) };
}

async function fsyncs(): Promise<FaultReport> {
  if (await canCountFsyncs()) return countFsyncs({ writes: 500 });
  return { counts: {}, problems: ['strace cannot be run here; install it (apt-get install strace)'] };
}

async function fullFileSystem(): Promise<FaultReport> {
  const disk = smallFileSystem();
  if (disk !== null) return fillTheDisk(disk);
  return { counts: {}, problems: ['no file system can be mounted here: run it as root'] };
}

async function stopsWithStuckReceiver(): Promise<FaultReport> {
  const stops = await Promise.all([stopWithStuckReceiver('SIGTERM'), stopWithStuckReceiver('SIGINT')]);
  return {
    counts: { 'longest stop': Math.max(...stops.map(({ took }) => took)) },
    problems: stops.flatMap((stop) => unlike(stop, { code: 0, state: 'failed', longest: 20_000 })),
  };
}

async function stopsTwice(): Promise<FaultReport> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const codes = { SIGTERM: 143, SIGINT: 130 } as const;
  const problems: string[] = [];
  let longest = 0;
  for (const first of signals) {
    for (const second of signals) {
      const stop = await stopTwice(first, second);
      longest = Math.max(longest, stop.took);
      problems.push(...unlike(stop, { code: codes[second], state: 'sending', longest: 2000 }));
      if (!stop.waited) problems.push(`${first} alone ended it at once`);
    }
  }
  return { counts: { stops: 4, 'longest stop': longest }, problems };
}

function unlike(
  stop: Stopped,
  expected: { readonly code: number; readonly state: string; readonly longest: number },
): readonly string[] {
  const isRight =
    stop.code === expected.code && stop.state === expected.state && stop.took <= expected.longest;
  return isRight ? [] : [`${JSON.stringify(stop)} in the place of ${JSON.stringify(expected)}`];
}

await runParts(parts, [`SOAK_SEED=${seed}`]);
