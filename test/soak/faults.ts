import type { FaultReport } from '../support/fault/audit.js';
import { holdTheDatabase, holdTheOutcome } from '../support/fault/busy.js';
import { fillTheDisk, limitedFiles, smallFileSystem } from '../support/fault/disk.js';
import { canCountFsyncs, countFsyncs, synchronousOfRoles } from '../support/fault/fsync.js';
import { killAndSetTheClockBack, killAtPoints } from '../support/fault/kill.js';
import { type Part, runParts } from '../support/fault/parts.js';
import { serveTwice } from '../support/fault/second-server.js';
import { stopTwice, stopUnderLoad, stopWithStuckReceiver } from '../support/fault/stop.js';
import { holdUpOneReceiver } from '../support/fault/stuck.js';
import { soakSeed as seed } from '../support/soak-program.js';
import { testThroughPooler } from './pooler.js';

/**
 * The crash and fault tests with full counts. They take a quarter of an hour on an idle machine: `npm run test:soak -- faults`.
 * As a program, it takes words from the names of the parts to run: `node test/dist/soak/faults.js disk pooler`.
 * `SOAK_SEED` repeats the random times of an earlier run.
 */
const MINUTE_MS = 60_000;

const parts: readonly Part[] = [
  {
    name: 'kill -9 at every named point',
    maxSeconds: 420,
    run: () => killAtPoints({ rounds: 10, seed, maxMs: 6 * MINUTE_MS }),
  },
  { name: 'kill -9, and the clock is set back', maxSeconds: 60, run: killAndSetTheClockBack },
  { name: 'every connection uses synchronous=FULL', maxSeconds: 30, run: everyRole },
  { name: 'number of fsyncs', maxSeconds: 120, run: fsyncs },
  ...[0, 40, 80, 120, 160, 200].map((after, round) => ({
    name: `stop under load, round ${round + 1}`,
    maxSeconds: 90,
    run: () => stopUnderLoad({ people: 40, delayMs: after, signal: round % 2 === 0 ? 'SIGTERM' : 'SIGINT' }),
  })),
  { name: 'stop with a stuck receiver', maxSeconds: 60, run: stopsWithStuckReceiver },
  { name: 'stop twice', maxSeconds: 60, run: stopsTwice },
  {
    name: 'full disk, simulated by a limit on file sizes',
    maxSeconds: 90,
    run: () => fillTheDisk(limitedFiles()),
  },
  ...[1, 2, 3].map((round) => ({
    name: `full disk, a file system of 8 MB, round ${round}`,
    maxSeconds: 90,
    run: fullFileSystem,
  })),
  {
    name: 'another process holds the write lock',
    maxSeconds: 60,
    run: () => holdTheDatabase({ writers: 50 }),
  },
  ...[1, 2].map((round) => ({
    name: `an outcome while another process holds the write lock, round ${round}`,
    maxSeconds: 60,
    run: holdTheOutcome,
  })),
  {
    name: 'stuck receiver',
    maxSeconds: 90,
    run: () => holdUpOneReceiver({ healthy: 20, events: 3, stuckEvents: 50 }),
  },
  {
    name: 'PostgreSQL behind a transaction pooler',
    maxSeconds: 840,
    run: () => testThroughPooler(pooledTests, { timeoutMs: 13 * MINUTE_MS }),
  },
  { name: 'second server', maxSeconds: 120, run: () => serveTwice({ rounds: 10 }) },
];

const pooledTests = ['contract/postgres', 'http/', 'app/postgres'];

async function everyRole(): Promise<FaultReport> {
  const counts = await synchronousOfRoles();
  const notFull = Object.entries(counts).filter(([role, level]) => level !== (role === 'default' ? 1 : 2));
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
    counts: { 'longest stop': Math.max(...stops.map(({ elapsedMs }) => elapsedMs)) },
    problems: stops.flatMap((stop) => unlike(stop, { code: 0, state: 'failed', maxMs: 20_000 })),
  };
}

async function stopsTwice(): Promise<FaultReport> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const codes = { SIGTERM: 143, SIGINT: 130 } as const;
  const problems: string[] = [];
  let maxElapsedMs = 0;
  for (const first of signals) {
    for (const second of signals) {
      const stop = await stopTwice(first, second);
      maxElapsedMs = Math.max(maxElapsedMs, stop.elapsedMs);
      problems.push(...unlike(stop, { code: codes[second], state: 'sending', maxMs: 2000 }));
      if (!stop.waited) problems.push(`${first} alone ended it at once`);
    }
  }
  return { counts: { stops: 4, 'longest stop': maxElapsedMs }, problems };
}

function unlike(
  stop: Awaited<ReturnType<typeof stopWithStuckReceiver>>,
  expected: { readonly code: number; readonly state: string; readonly maxMs: number },
): readonly string[] {
  const isRight =
    stop.code === expected.code && stop.state === expected.state && stop.elapsedMs <= expected.maxMs;
  return isRight ? [] : [`${JSON.stringify(stop)} instead of ${JSON.stringify(expected)}`];
}

await runParts(parts, { seed });
