import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SampleRecord } from '#app/sample/sample-record.js';
import { rollcall } from '../support/app-cli.js';
import { HEAVY_ROW_BYTES, meeting, person, ROW_BYTES, rows, seat, USERS, writeDataset } from './data.js';

/** A dataset for `rollcall import`. */
export interface ImportFile {
  readonly path: string;
  readonly records: number;
}

export interface ImportFiles {
  readonly empty: string;
  /** An organization, its members, and meetings with one registration each. */
  readonly light: ImportFile;
  /** The same with long descriptions. */
  readonly heavy: ImportFile;
  /** More light meetings, which need the organization of `light`. */
  readonly more: ImportFile;
  /** Changes to a few of the meetings of `light`. Each file changes them again. */
  readonly changes: readonly string[];
  /** The output of `rollcall sample`, a meeting and five registrations again and again; and half of it. */
  readonly samples: { readonly many: ImportFile; readonly few: ImportFile };
}

export const LIGHT_MEETINGS = rows(60_000);
export const HEAVY_MEETINGS = rows(12_000);
/** The meetings of `light` and `more`. */
export const ALL_MEETINGS = rows(200_000);
export const CHANGED_LINES = 50;
/** So many that half of them fill the memory that an import uses. */
const SAMPLE_MEETINGS = rows(160_000);
const MINUTE_MS = 60_000;

interface Loaded {
  readonly firstId: number;
  readonly meetings: number;
  readonly bytes: number;
}

export async function writeImportFiles(folder: string, changes: number): Promise<ImportFiles> {
  const now = new Date();
  const write = async (name: string, records: Iterable<SampleRecord>): Promise<ImportFile> => {
    let count = 0;
    function* counted(): Generator<SampleRecord> {
      for (const record of records) {
        count += 1;
        yield record;
      }
    }
    const path = await writeDataset(join(folder, `${name}.ndjson`), counted());
    return { path, records: count };
  };
  const light: Loaded = { firstId: 1, meetings: LIGHT_MEETINGS, bytes: ROW_BYTES };
  const more: Loaded = { ...light, firstId: 1 + LIGHT_MEETINGS, meetings: ALL_MEETINGS - LIGHT_MEETINGS };
  const heavy: Loaded = { firstId: 1, meetings: HEAVY_MEETINGS, bytes: HEAVY_ROW_BYTES };
  const changed: string[] = [];
  for (let change = 1; change <= changes; change += 1)
    changed.push((await write(`changes-${change}`, changedMeetings(light, change, now))).path);
  return {
    empty: (await write('empty', [])).path,
    light: await write('light', firstLoad(light, now)),
    heavy: await write('heavy', firstLoad(heavy, now)),
    more: await write('more', meetings(more, now)),
    changes: changed,
    samples: {
      many: await writeSample(folder, SAMPLE_MEETINGS),
      few: await writeSample(folder, SAMPLE_MEETINGS / 2),
    },
  };
}

function* firstLoad(loaded: Loaded, now: Date): Generator<SampleRecord> {
  yield { kind: 'organization', id: 1, name: 'Northwind Wellness', eap: false };
  for (let id = 1; id <= USERS; id += 1) yield* person(id, { idpId: `idp-${id}`, organization: 1, now });
  yield* meetings(loaded, now);
}

function* meetings(loaded: Loaded, now: Date): Generator<SampleRecord> {
  for (let index = 0; index < loaded.meetings; index += 1) {
    const start = startOf(loaded, index, now);
    yield importedMeeting(loaded, index, start);
    yield seat(loaded.firstId + index, 1 + (index % USERS), start - MINUTE_MS);
  }
}

function startOf({ meetings }: Loaded, index: number, now: Date): number {
  return Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - 5 * MINUTE_MS * (meetings - index);
}

function importedMeeting({ firstId, bytes }: Loaded, index: number, start: number): SampleRecord {
  return meeting({ id: firstId + index, organizationId: 1, start, status: 'complete', bytes });
}

/** Meetings from all over the dataset with other names. */
function* changedMeetings(light: Loaded, change: number, now: Date): Generator<SampleRecord> {
  for (let line = 0; line < CHANGED_LINES; line += 1) {
    const index = Math.floor((line * light.meetings) / CHANGED_LINES);
    const record = importedMeeting(light, index, startOf(light, index, now));
    yield { ...record, name: `Changed ${change} times, ${line}` };
  }
}

const LINE_FEED = 0x0a;

async function writeSample(folder: string, meetings: number): Promise<ImportFile> {
  const path = join(folder, `sample-${meetings}.ndjson`);
  const child = spawn(process.execPath, [rollcall, 'sample', '--meetings', String(meetings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let records = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) records += 1;
  });
  await pipeline(child.stdout, createWriteStream(path));
  return { path, records };
}
