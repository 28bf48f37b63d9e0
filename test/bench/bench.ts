import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { temporaryDirectory } from '../support/app-cli.js';
import { authenticate } from './authenticate.js';
import {
  type BenchOrganization,
  type DatasetFiles,
  facts,
  isSmall,
  smallOrganizations,
  writeDatasets,
} from './data.js';
import { type BenchDatabase, makeDatabase } from './database.js';
import { exports } from './export.js';
import { firstByte } from './first-byte.js';
import { CHANGE_ROUNDS, imports } from './import.js';
import { type ImportFiles, writeImportFiles } from './import-data.js';
import { install } from './install.js';
import { read } from './measure.js';
import type { Bench, DatabaseState, Measurement } from './measurement.js';
import { millionRows } from './million.js';
import { neighbors } from './neighbors.js';
import { deepPage, page } from './page.js';
import { pages } from './pages.js';
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
import { starts } from './starts.js';
import { type Result, resultText, summaryText } from './table.js';
import { upcoming } from './upcoming.js';
import { webhooks } from './webhooks.js';

/**
 * `npm run bench [name …]`: compares the product with its floor, on the same rows and in turn, on both engines. Names
 * are those of measurements and engines; without a name, everything is measured. Small requests and exports are measured
 * twice: right after the load, which has left the database as it is, and after a vacuum. With `--readme`, the verdicts
 * replace those in the tables of README.md and contracts/performance.md. With `--small`, there are a twentieth of the rows, to try
 * the bench itself.
 */
const measurements: readonly Measurement[] = [
  page,
  upcoming,
  authenticate,
  exports,
  firstByte,
  millionRows,
  deepPage,
  imports,
  webhooks,
  neighbors,
  pages,
  starts,
  install,
];
const engines: readonly Engine[] = ['SQLite', 'PostgreSQL'];

/** Longer than any run takes, so that a run that hangs ends. */
const MAX_MINUTES = 90;

const README_OPTION = '--readme';
const options = [README_OPTION, '--small'];
const words = process.argv.slice(2);
const wanted = chosen(words.filter((word) => !options.includes(word)));
if (isSmall && words.includes(README_OPTION)) {
  process.stderr.write('--small says nothing about the goals, so --readme cannot be combined with it\n');
  process.exit(2);
}
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
  const core = isSmall ? null : shareCores();
  say(
    core === null ? 'Servers and clients share the cores.\n' : 'Servers run on core 0, clients on core 1.\n',
  );
  say(`Load by other programs before the run: ${load.toFixed(2)}.\n`);
  const started = performance.now();
  const files = await writeDatasets(directory.path, {
    withMillion: wanted.measurements.some(({ readsMillion }) => readsMillion === true),
  });
  const doesImport = wanted.measurements.some((measurement) => measurement.imports === true);
  const importFiles = doesImport ? await writeImportFiles(directory.path, CHANGE_ROUNDS) : null;
  for (const engine of wanted.engines) {
    await measureOn(engine, { files, importFiles, core });
    await stopAll();
  }
  await report();
  say(`${((performance.now() - started) / 1000).toFixed(0)} s in total.\n`);
}

async function report(): Promise<void> {
  say(summaryText(results));
  const isWhole = words.every((word) => options.includes(word));
  if (words.includes(README_OPTION)) await writeReadme(results, { load, isWhole });
}

interface Loaded {
  readonly files: DatasetFiles;
  readonly importFiles: ImportFiles | null;
  readonly core: number | null;
}

async function measureOn(engine: Engine, { files, importFiles, core }: Loaded): Promise<void> {
  const database = await makeDatabase(engine, directory.path);
  running.push(database.remove);
  const secretKey = 'a secret key of more than 32 characters';
  const served: Served = { engine, url: database.url, cwd: directory.path, secretKey, core };
  say(`\n${engine}\n\n`);
  await importFile(files.base, served);
  if (files.million !== null) await importFile(files.million, served);
  const bench = { ...(await startAll(served, files)), ...benchOn(served, database), imports: importFiles };
  const measure = async (state: DatabaseState, all: readonly Measurement[]): Promise<void> => {
    for (const { run } of all)
      for (const result of await run({ ...bench, state })) {
        results.push({ ...result, work: `${engine}: ${result.work}` });
        say(`${resultText(result)}\n`);
      }
  };
  await measure(
    'loaded',
    wanted.measurements.filter(({ alsoLoaded }) => alsoLoaded === true),
  );
  await database.vacuum();
  await measure('vacuumed', wanted.measurements);
}

function benchOn(
  served: Served,
  databases: BenchDatabase,
): Pick<Bench, 'engine' | 'core' | 'databases' | 'servedOn'> {
  const { engine, core } = served;
  return { engine, core, databases, servedOn: (url) => ({ ...served, url }) };
}

async function startAll(
  served: Served,
  files: DatasetFiles,
): Promise<Pick<Bench, 'product' | 'floor' | 'floorBehindExpress' | 'tokenOf'>> {
  const start = async (starting: Promise<Subject>): Promise<Subject> => {
    const subject = await starting;
    running.push(() => subject.stop());
    return subject;
  };
  const product = await start(startProduct(served));
  const floor = await start(startFloor(served, 'bare'));
  const floorBehindExpress = await start(startFloor(served, 'express'));
  const tokens = new Map<number, string>();
  for (const { id, accessKey } of [...Object.values(facts.organizations), ...smallOrganizations]) {
    if (id === facts.organizations.million.id && files.million === null) continue;
    const json = { access_key: accessKey };
    const { body } = await read(product, { method: 'POST', path: '/api/v2/authenticate', json });
    tokens.set(id, JSON.parse(body.toString()).token);
  }
  const tokenOf = ({ id }: BenchOrganization): string => tokens.get(id) ?? '';
  return { product, floor, floorBehindExpress, tokenOf };
}

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}

function say(text: string): void {
  process.stdout.write(text);
}
