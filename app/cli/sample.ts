import { once } from 'node:events';
import { readLocations } from '../config/locations.js';
import { processEnvironment } from '../config.js';
import { startOfDay } from '../sample/days.js';
import type { SampleRecord } from '../sample/sample-record.js';
import { trialDataset } from '../sample/trial-dataset.js';
import { outputClosed } from '../terminal.js';
import { UsageError } from '../usage-error.js';

export interface SampleOptions {
  readonly meetings: number;
  readonly members: number;
  readonly organizations: number;
  /** By default, five for each meeting, or fewer if there are too few members. */
  readonly registrations?: number;
  readonly seed: number;
  /** By default, the last midnight (UTC). */
  readonly now?: Date;
}

/** The approximate number of characters that are written at once. */
const CHUNK_CHARACTERS = 64 * 1024;

export async function sampleCommand({ registrations, now, ...size }: SampleOptions): Promise<void> {
  const max = size.meetings * size.members;
  if (registrations !== undefined && registrations > max) {
    throw new UsageError(
      `--registrations must be at most ${max}, one for each member (${size.members}) in each meeting (${size.meetings}).`,
    );
  }
  const records = trialDataset({
    ...size,
    registrations: registrations ?? Math.min(5 * size.meetings, max),
    now: now ?? startOfDay(new Date()),
    locations: readLocations(processEnvironment),
  });
  for (const chunk of linesOf(records)) {
    if (outputClosed.aborted) return;
    await write(chunk);
  }
}

/** Waits for a slow reader, unless it stops reading. */
async function write(chunk: string): Promise<void> {
  if (process.stdout.write(chunk)) return;
  await once(process.stdout, 'drain').catch((error: unknown) => {
    if (!outputClosed.aborted) throw error;
  });
}

function* linesOf(records: Iterable<SampleRecord>): Generator<string> {
  let lines = '';
  for (const record of records) {
    lines += `${JSON.stringify(record)}\n`;
    if (lines.length < CHUNK_CHARACTERS) continue;
    yield lines;
    lines = '';
  }
  if (lines !== '') yield lines;
}
