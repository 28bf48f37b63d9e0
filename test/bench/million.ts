import { setTimeout as pause } from 'node:timers/promises';
import { type BenchOrganization, facts } from './data.js';
import { exportPath } from './export.js';
import {
  type BenchRequest,
  cpuPerRequest,
  type Measured,
  median,
  medianRatio,
  quantile,
  type Round,
  rates,
  readOnce,
  readSlowly,
  readUntil,
} from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { startOthers } from './others.js';
import type { LoopDelay } from './probe.js';
import type { Subject } from './servers.js';
import type { Verdict } from './table.js';

const ROUNDS = 3;
const SLOW_READER_MS = 4_000;
const EIGHT_READERS_MS = 6_000;
const SETTLE_MS = 300;
const SLOW_BYTES_A_SECOND = 2e6;

const { tenth, large, million } = facts.organizations;

/** Goals 3, 4 and 5: an export of a million rows, the memory that it takes, and how much it delays other clients. */
export const millionRows: Measurement = {
  name: 'million',
  readsMillion: true,
  async run(bench) {
    const { product, floor } = bench;
    const few = await peakOf(product, () => readOnce(product, exportRequest(bench, tenth)));
    const ours = await readRounds(bench, product);
    const theirs = await readRounds(bench, floor);
    const slow = await slowReader(bench, product);
    const eight = await eightAtOnce(bench, product);
    const one = ours.measured.peak;
    return [
      {
        work: `Export of ${million.meetings.toLocaleString('en')} rows`,
        rate: 'megabytes',
        measured: [ours.measured, theirs.measured],
        verdicts: [
          atLeast(`of the rows a second at ${large.meetings.toLocaleString('en')}`, ours.ofFewer, 0.9),
          atMost(`peak over that of ${tenth.meetings.toLocaleString('en')} rows`, one - few, 32, ' MB'),
          ...latencies(ours.others, 15, 50),
        ],
        remarks: [
          `${medianRatio(ours.measured, theirs.measured, rates.megabytes).toFixed(2)} of the floor's throughput, ${(1 / medianRatio(ours.measured, theirs.measured, cpuPerRequest)).toFixed(2)} by CPU; ${ROUNDS} rounds`,
          `event loop late by p99 ${ours.delay.p99.toFixed(1)} ms, at most ${ours.delay.max.toFixed(1)} ms (the floor: ${theirs.delay.p99.toFixed(1)} and ${theirs.delay.max.toFixed(1)} ms)`,
          `during the floor's export p99 of others ${quantile(theirs.others, 0.99).toFixed(1)} ms, at most ${quantile(theirs.others, 1).toFixed(1)} ms`,
        ],
      },
      {
        work: 'A reader of 2 MB/s',
        rate: 'megabytes',
        measured: [],
        verdicts: [atMost('peak over an idle server', slow, 10, ' MB')],
      },
      {
        work: 'Eight exports at once, of three organizations, left in the middle',
        rate: 'megabytes',
        measured: [],
        verdicts: [
          atMost('peak over one export', eight.peak - one, 64, ' MB'),
          atMost('p99 of others', quantile(eight.others, 0.99), 50, ' ms'),
        ],
        remarks: [
          `${eight.megabytes.toFixed(0)} MB/s together; others at most ${quantile(eight.others, 1).toFixed(1)} ms; event loop late by at most ${eight.delay.max.toFixed(1)} ms`,
        ],
      },
    ];
  },
};

function exportRequest({ tokenOf }: Bench, organization: BenchOrganization): BenchRequest {
  return { method: 'GET', path: exportPath(organization), token: tokenOf(organization) };
}

function smallRequests({ tokenOf }: Bench): readonly BenchRequest[] {
  const path = `/api/v2/organizations/${large.id}/members/${facts.members.short.idpId}/upcoming_meetings?items=10`;
  return [
    { method: 'GET', path, token: tokenOf(large) },
    { method: 'POST', path: '/api/v2/authenticate', json: { access_key: large.accessKey } },
  ];
}

async function peakOf(subject: Subject, work: () => Promise<unknown>): Promise<number> {
  await work();
  subject.resetPeak();
  await work();
  return subject.peak();
}

interface ReadRounds {
  readonly measured: Measured;
  /** Rows a second of a million rows, divided by those of a hundred thousand. */
  readonly ofFewer: number;
  readonly others: readonly number[];
  readonly delay: LoopDelay;
}

async function readRounds(bench: Bench, subject: Subject): Promise<ReadRounds> {
  const rounds: Round[] = [];
  const fewer: number[] = [];
  const latencies: number[] = [];
  await readOnce(subject, exportRequest(bench, large));
  subject.resetPeak();
  await subject.loopDelay();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { bytes, elapsedMs } = await withOthers(bench, subject, () =>
      readOnce(subject, exportRequest(bench, large)),
    );
    fewer.push(bytes / elapsedMs);
    const before = subject.cpu();
    const read = await withOthers(bench, subject, () => readOnce(subject, exportRequest(bench, million)));
    rounds.push({ ...read, cpu: subject.cpu() - before });
    latencies.push(...read.others);
  }
  const many = median(rounds.map(({ bytes, elapsedMs }) => bytes / elapsedMs));
  return {
    measured: { subject, rounds, peak: subject.peak() },
    ofFewer: many / median(fewer),
    others: latencies,
    delay: await subject.loopDelay(),
  };
}

/** Does the work, and measures how long other clients wait for small answers meanwhile. */
async function withOthers<T>(
  bench: Bench,
  { port }: Subject,
  work: () => Promise<T>,
): Promise<T & { readonly others: readonly number[] }> {
  const others = await startOthers(port, smallRequests(bench));
  const done = await work();
  return { ...done, others: await others.stop() };
}

/** The megabytes that a slow reader adds. */
async function slowReader(bench: Bench, subject: Subject): Promise<number> {
  await pause(SETTLE_MS);
  subject.resetPeak();
  const before = subject.peak();
  await readSlowly(subject, exportRequest(bench, million), {
    milliseconds: SLOW_READER_MS,
    bytesASecond: SLOW_BYTES_A_SECOND,
  });
  const added = subject.peak() - before;
  await pause(SETTLE_MS);
  return added;
}

/** The service serves three exports of one organization at once. */
const readers = [million, million, million, large, large, large, tenth, tenth];

/** Reads the export again and again, because the smaller ones end soon. */
async function readAgain(subject: Subject, request: BenchRequest, until: number): Promise<number> {
  let bytes = 0;
  while (performance.now() < until) bytes += await readUntil(subject, request, until);
  return bytes;
}

async function eightAtOnce(
  bench: Bench,
  subject: Subject,
): Promise<{
  readonly peak: number;
  readonly megabytes: number;
  readonly others: readonly number[];
  readonly delay: LoopDelay;
}> {
  subject.resetPeak();
  await subject.loopDelay();
  const { others, bytes } = await withOthers(bench, subject, async () => {
    const until = performance.now() + EIGHT_READERS_MS;
    const read = await Promise.all(
      readers.map((organization) => readAgain(subject, exportRequest(bench, organization), until)),
    );
    return { bytes: read.reduce((sum, length) => sum + length, 0) };
  });
  const delay = await subject.loopDelay();
  return { peak: subject.peak(), megabytes: bytes / 1e3 / EIGHT_READERS_MS, others, delay };
}

function latencies(others: readonly number[], p99: number, max: number): readonly Verdict[] {
  return [
    atMost('p99 of others', quantile(others, 0.99), p99, ' ms'),
    atMost('at most of others', quantile(others, 1), max, ' ms'),
  ];
}

function atLeast(figure: string, value: number, goal: number): Verdict {
  return { figure, value, goal: { atLeast: goal } };
}

function atMost(figure: string, value: number, goal: number, unit: string): Verdict {
  return { figure, value, goal: { atMost: goal }, unit };
}
