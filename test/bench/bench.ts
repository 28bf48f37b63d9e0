import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { temporaryDirectory } from '../support/app-cli.js';
import { authenticate } from './authenticate.js';
import { type BenchOrganization, type DatasetFiles, facts, writeDatasets } from './data.js';
import { makeDatabase } from './database.js';
import { exports } from './export.js';
import { firstByte } from './first-byte.js';
import { importResult, imports } from './import.js';
import { read } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { millionRows } from './million.js';
import { deepPage, page } from './page.js';
import { writeReadme } from './readme.js';
import {
  type Engine,
  importFile,
  type Served,
  type Subject,
  shareCores,
  startFloor,
  startProduct,
} from './servers.js';
import { type Result, resultText, summaryText } from './table.js';
import { upcoming } from './upcoming.js';
import { webhooks } from './webhooks.js';

/**
 * `npm run bench [name …]`: compares the product with its floor, on the same rows and in turn, on both engines. Names
 * are those of measurements and engines; without a name, everything is measured. With `--readme`, the verdicts replace
 * the table in README.md.
 */
const measurements: readonly Measurement[] = [
  imports,
  exports,
  firstByte,
  millionRows,
  page,
  deepPage,
  upcoming,
  authenticate,
  webhooks,
];
const engines: readonly Engine[] = ['SQLite', 'PostgreSQL'];

/** Longer than any run takes, so that a run that hangs ends. */
const MAX_MINUTES = 10;

const README_OPTION = '--readme';
const words = process.argv.slice(2);
const wanted = chosen(words.filter((word) => word !== README_OPTION));
/** The results so far. */
const results: Result[] = [];
/** The load by other programs before the run. */
const load = loadavg()[0] ?? Number.NaN;
setTimeout(async () => {
  process.stderr.write(`Stopped after ${MAX_MINUTES} minutes\n`);
  await report();
  process.exit(1);
}, MAX_MINUTES * 60_000).unref();

const directory = temporaryDirectory();
/** How to stop what is running; stopped at the end, last started first. */
const running: (() => Promise<void>)[] = [];
process.on('exit', () => rmSync(directory.path, { recursive: true, force: true }));
try {
  await main();
} finally {
  await stopAll();
}
process.exit(0);

/** The measurements and engines that the words name. Ends the process if a word is unknown. */
function chosen(words: readonly string[]): {
  readonly engines: readonly Engine[];
  readonly measurements: readonly Measurement[];
} {
  const named = <Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string): readonly Thing[] => {
    const found = things.filter((thing) => words.includes(nameOf(thing).toLowerCase()));
    return found.length === 0 ? things : found;
  };
  const known = [...measurements, ...engines.map((name) => ({ name }))].map(({ name }) => name.toLowerCase());
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length === 0)
    return { engines: named(engines, (name) => name), measurements: named(measurements, ({ name }) => name) };
  process.stderr.write(
    `Unknown: ${unknown.join(', ')}. Known measurements and engines: ${known.join(', ')}\n`,
  );
  process.exit(2);
}

async function main(): Promise<void> {
  const core = shareCores();
  say(
    core === null ? 'Servers and clients share the cores.\n' : 'Servers run on core 0, clients on core 1.\n',
  );
  say(`Load by other programs before the run: ${load.toFixed(2)}.\n`);
  const started = performance.now();
  const files = await writeDatasets(directory.path, {
    withMillion: wanted.measurements.some(({ readsMillion }) => readsMillion === true),
    withSamples: wanted.measurements.includes(imports),
  });
  for (const engine of wanted.engines) {
    await measureOn(engine, { files, core });
    await stopAll();
  }
  await report();
  say(`${((performance.now() - started) / 1000).toFixed(0)} s in total.\n`);
}

async function report(): Promise<void> {
  say(summaryText(results));
  if (words.includes(README_OPTION)) await writeReadme(results, load);
}

async function measureOn(
  engine: Engine,
  { files, core }: { readonly files: DatasetFiles; readonly core: number | null },
): Promise<void> {
  const database = await makeDatabase(engine, directory.path);
  running.push(database.remove);
  const { url } = database;
  const secretKey = 'a secret key of more than 32 characters';
  const served: Served = { engine, url, cwd: directory.path, secretKey, core };
  say(`\n${engine}\n\n`);
  const keep = (result: Result): void => {
    results.push({ ...result, work: `${engine}: ${result.work}` });
    say(`${resultText(result)}\n`);
  };
  await importFile(files.base, served);
  const million = files.million === null ? null : await importFile(files.million, served);
  if (files.samples !== null && million !== null) {
    const { samples } = files;
    const into = async (name: string): Promise<Served> => ({ ...served, url: await database.another(name) });
    const few = await importFile(samples.few.path, await into('few'));
    const many = await importFile(samples.many.path, await into('many'));
    keep(importResult({ engine, samples, million, few, many }));
  }
  await database.settle();
  const bench = { ...(await startAll(served, files)), core, another: database.another };
  for (const { run } of wanted.measurements) for (const result of await run(bench)) keep(result);
}

async function startAll(served: Served, files: DatasetFiles): Promise<Omit<Bench, 'another' | 'core'>> {
  const start = async (starting: Promise<Subject>): Promise<Subject> => {
    const subject = await starting;
    running.push(() => subject.stop());
    return subject;
  };
  const product = await start(startProduct(served));
  const floor = await start(startFloor(served, 'bare'));
  const floorBehindExpress = await start(startFloor(served, 'express'));
  const tokens = new Map<number, string>();
  for (const { id, accessKey } of Object.values(facts.organizations)) {
    if (id === facts.organizations.million.id && files.million === null) continue;
    const json = { access_key: accessKey };
    const { body } = await read(product, { method: 'POST', path: '/api/v2/authenticate', json });
    tokens.set(id, JSON.parse(body.toString()).token);
  }
  const tokenOf = ({ id }: BenchOrganization): string => tokens.get(id) ?? '';
  return { engine: served.engine, product, floor, floorBehindExpress, tokenOf };
}

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}

function say(text: string): void {
  process.stdout.write(text);
}
