import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/app-cli.js';
import { authenticate } from './authenticate.js';
import { benchLines, facts } from './data.js';
import { exports } from './export.js';
import { firstByte } from './first-byte.js';
import { read } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { page } from './page.js';
import {
  importLines,
  type ServedFile,
  type Subject,
  shareCores,
  startFloor,
  startProduct,
} from './servers.js';
import { type Result, resultText, summaryText } from './table.js';
import { upcoming } from './upcoming.js';

/**
 * `npm run bench [name …]`: the product against its floor, on the same rows, taking turns. Without names
 * everything is measured.
 */
const measurements: readonly Measurement[] = [exports, firstByte, page, upcoming, authenticate];

/** Nothing here takes so long; what hangs does not go on for ever. */
const MOST_MINUTES = 10;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !measurements.some((known) => known.name === name));
if (unknown.length > 0) {
  const known = measurements.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no measurement ${unknown.join(', ')}; there are: ${known}\n`);
  process.exit(2);
}
setTimeout(() => {
  process.stderr.write(`Ended after ${MOST_MINUTES} minutes\n`);
  process.exit(1);
}, MOST_MINUTES * 60_000).unref();

const directory = temporaryDirectory();
const subjects: Subject[] = [];
process.on('exit', () => rmSync(directory.path, { recursive: true, force: true }));
try {
  await main();
} finally {
  await Promise.all(subjects.map((subject) => subject.stop()));
}
process.exit(0);

async function main(): Promise<void> {
  const core = shareCores();
  say(core === null ? 'Servers and load share the cores.\n' : 'Servers on core 0, load on core 1.\n');
  say(`Others on this machine before it began: load ${loadavg()[0]?.toFixed(2)}.\n`);
  const served: ServedFile = {
    file: join(directory.path, 'bench.db'),
    cwd: directory.path,
    secretKey: 'a secret key of more than 32 characters',
    core,
  };
  const started = performance.now();
  await importLines(benchLines(new Date()), served);
  say(`Imported in ${((performance.now() - started) / 1000).toFixed(1)} s.\n\n`);
  const bench = await startAll(served);

  const results: Result[] = [];
  for (const { name, run } of measurements) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const result of await run(bench)) {
      results.push(result);
      say(`${resultText(result)}\n`);
    }
  }
  say(summaryText(results));
  say(`${((performance.now() - started) / 1000).toFixed(0)} s in all.\n`);
}

async function startAll(served: ServedFile): Promise<Bench> {
  const start = async (starting: Promise<Subject>): Promise<Subject> => {
    const subject = await starting;
    subjects.push(subject);
    return subject;
  };
  const product = await start(startProduct(served));
  const floor = await start(startFloor(served, 'bare'));
  const floorBehindExpress = await start(startFloor(served, 'express'));
  const json = { access_key: facts.accessKey };
  const { body } = await read(product, { method: 'POST', path: '/api/v2/authenticate', json });
  const { token } = JSON.parse(body.toString()) as { readonly token: string };
  return { product, floor, floorBehindExpress, token };
}

function say(text: string): void {
  process.stdout.write(text);
}
