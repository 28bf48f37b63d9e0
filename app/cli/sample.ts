import { once } from 'node:events';
import { processEnvironment, readLocations } from '../config.js';
import { type SampleRecord, startOfDay } from '../sample.js';
import { trialDataset } from '../trial-dataset.js';
import { UsageError } from '../usage-error.js';

export interface SampleOptions {
  readonly meetings: number;
  readonly members: number;
  readonly organizations: number;
  /** Left out: five a meeting, as far as there are members. */
  readonly registrations?: number;
  readonly seed: number;
  /** Left out: the midnight (UTC) before. */
  readonly now?: Date;
}

/** Bytes (nearly) that are written at once. */
const CHUNK = 64 * 1024;

export async function sampleCommand({ registrations, now, ...size }: SampleOptions): Promise<void> {
  const most = size.meetings * size.members;
  if (registrations !== undefined && registrations > most) {
    throw new UsageError(
      `--registrations must be at most ${most}: ${size.members} members have one seat each in ${size.meetings} meetings.`,
    );
  }
  const records = trialDataset({
    ...size,
    registrations: registrations ?? Math.min(5 * size.meetings, most),
    now: now ?? startOfDay(new Date()),
    locations: readLocations(processEnvironment),
  });
  for (const chunk of linesOf(records)) await write(chunk);
}

/** No faster than whoever reads. */
async function write(chunk: string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}

function* linesOf(records: Iterable<SampleRecord>): Generator<string> {
  let lines = '';
  for (const record of records) {
    lines += `${JSON.stringify(record)}\n`;
    if (lines.length < CHUNK) continue;
    yield lines;
    lines = '';
  }
  if (lines !== '') yield lines;
}
