import {
  ALL_MEETINGS,
  CHANGED_LINES,
  HEAVY_MEETINGS,
  type ImportFile,
  type ImportFiles,
  LIGHT_MEETINGS,
} from './import-data.js';
import { afterStart, median } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { type Imported, importFile, importWithFloor, migrate, type Served } from './servers.js';
import type { Result } from './table.js';

const ROUNDS = 5;
export const CHANGE_ROUNDS = 5;
/** Megabytes that the import may take more than an import of half the records. */
const MAX_ADDED_MB = 32;
const MIGRATED = 'migrated';

/** Goal 11: importing, compared with a floor that only parses and stores, and a few changes to much data. */
export const imports: Measurement = {
  name: 'import',
  imports: true,
  async run(bench) {
    const files = bench.imports;
    if (files === null) throw new Error('the files to import are missing');
    await migrate(bench.servedOn(await bench.databases.another(MIGRATED)));
    const light = `Import of ${LIGHT_MEETINGS.toLocaleString('en')} meetings of 705 bytes`;
    const heavy = `Import of ${HEAVY_MEETINGS.toLocaleString('en')} meetings with long descriptions`;
    return [
      await compare(bench, { work: light, file: files.light, empty: files.empty, atLeast: 0.95 }),
      await compare(bench, { work: heavy, file: files.heavy, empty: files.empty, atLeast: 0.85 }),
      await memory(bench, files),
      await changedLines(bench, files),
    ];
  },
};

/** Runs the work with an empty migrated database, which is deleted afterwards. */
async function withEmpty<T>(
  { databases, servedOn }: Bench,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const name = 'imported';
  const url = await databases.copy(MIGRATED, name);
  try {
    return await work(servedOn(url));
  } finally {
    await databases.drop(name);
  }
}

/** What both ways have stored must be the same. */
const storedText = `SELECT (SELECT count(*) FROM meetings) AS meetings, (SELECT count(*) FROM registrations) AS registrations,
  (SELECT max(end_time) FROM registrations) AS ends, (SELECT sum(length(meeting_description)) FROM meetings) AS letters,
  (SELECT meetings FROM complete_meeting_counts) AS complete`;

const ways = { product: importFile, floor: importWithFloor } as const;
type Way = keyof typeof ways;

async function compare(
  bench: Bench,
  {
    work,
    file,
    empty,
    atLeast,
  }: { readonly work: string; readonly file: ImportFile; readonly empty: string; readonly atLeast: number },
): Promise<Result> {
  const stored = new Set<string>();
  const once = (way: Way, path: string): Promise<Imported> =>
    withEmpty(bench, async (served) => {
      const imported = await ways[way](path, served);
      if (path !== empty) stored.add(JSON.stringify(await bench.databases.rows('imported', storedText)));
      return imported;
    });
  const starts = { product: [await once('product', empty)], floor: [await once('floor', empty)] };
  const runs: Record<Way, Imported[]> = { product: [], floor: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of round % 2 === 0 ? (['product', 'floor'] as const) : (['floor', 'product'] as const))
      runs[way].push(await once(way, file.path));
    starts.product.push(await once('product', empty));
    starts.floor.push(await once('floor', empty));
  }
  if (stored.size !== 1) throw new Error(`${work}: the stored rows differ: ${[...stored].join(' and ')}`);
  const elapsed = (all: readonly Imported[]): readonly number[] => all.map(({ elapsedMs }) => elapsedMs);
  const ours = afterStart(elapsed(runs.product), elapsed(starts.product));
  const theirs = afterStart(elapsed(runs.floor), elapsed(starts.floor));
  const rate = (times: readonly number[]): string => ((file.records / median(times)) * 1000).toFixed(0);
  return {
    work,
    rate: 'requests',
    measured: [],
    verdicts: [
      {
        figure: 'of the records a second of the floor',
        value: median(theirs.map((time, round) => time / (ours[round] ?? Number.NaN))),
        goal: { atLeast },
      },
    ],
    remarks: [
      `${file.records.toLocaleString('en')} records; ${rate(ours)} a second, the floor ${rate(theirs)}; CPU ${cpuText(runs.product)}, the floor ${cpuText(runs.floor)}; ${ROUNDS} rounds`,
      `without the start of the program, ${median(elapsed(starts.product)).toFixed(0)} ms, of the floor ${median(elapsed(starts.floor)).toFixed(0)} ms`,
    ],
  };
}

function cpuText(runs: readonly Imported[]): string {
  return `${(median(runs.map(({ cpu }) => cpu)) / 1000).toFixed(1)} s`;
}

/** The memory of an import does not grow with its file. */
async function memory(bench: Bench, { samples }: ImportFiles): Promise<Result> {
  const few = await withEmpty(bench, (served) => importFile(samples.few.path, served));
  const many = await withEmpty(bench, (served) => importFile(samples.many.path, served));
  const rate = (samples.many.records / many.elapsedMs) * 1000;
  return {
    work: 'Memory of an import',
    rate: 'requests',
    measured: [],
    verdicts: [
      {
        figure: 'more than for half the records',
        value: many.peak - few.peak,
        goal: { atMost: MAX_ADDED_MB },
        unit: ' MB',
      },
    ],
    remarks: [
      `${samples.many.records.toLocaleString('en')} records of rollcall sample: ${many.peak.toFixed(0)} MB, ${rate.toFixed(0)} a second with the start of the program`,
    ],
  };
}

/** A few changes to much data, without the start of the program. */
async function changedLines(bench: Bench, files: ImportFiles): Promise<Result> {
  const times = await withEmpty(bench, async (served) => {
    await importFile(files.light.path, served);
    await importFile(files.more.path, served);
    await importFile(files.empty, served);
    const starts: number[] = [];
    const changes: number[] = [];
    for (const file of files.changes) {
      starts.push((await importFile(files.empty, served)).elapsedMs);
      changes.push((await importFile(file, served)).elapsedMs);
    }
    // Some are below zero: a change may take less than starts differ.
    return { starts, changes: changes.map((time) => time - median(starts)) };
  });
  return {
    work: `Import of ${CHANGED_LINES} changed lines into ${ALL_MEETINGS.toLocaleString('en')} meetings`,
    rate: 'requests',
    measured: [],
    verdicts: [
      { figure: 'after the start', value: median(times.changes), goal: { atMost: 300 }, unit: ' ms' },
    ],
    remarks: [
      `the start ${median(times.starts).toFixed(0)} ms; at worst ${Math.max(...times.changes).toFixed(0)} ms after it; ${files.changes.length} rounds`,
    ],
  };
}
