import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { readRecord, updatedRecord, writeRecord } from './record.js';
import { describeMutant, reportLines, tooFewKilled } from './report.js';
import { instrumentCore } from './sources.js';
import { tryMutants } from './try-mutants.js';

/**
 * Tries every mutant of the core, or those of the files whose paths contain an argument. Updates `figures.json` and
 * `survivors.json`. Fails if a survivor is not explained, or if too few of a chapter are killed.
 */
const words = process.argv.slice(2);
const start = performance.now();
const core = instrumentCore();
const numbers = core.mutants.flatMap(({ file }, number) =>
  words.length === 0 || words.some((word) => file.includes(word)) ? [number] : [],
);
const tried = await tryMutants(core, { numbers, threads: availableParallelism() });
const record = updatedRecord(readRecord(), { core, tried });
writeRecord(record);

const files = new Set(tried.map(({ file }) => file));
const figures = Object.fromEntries(Object.entries(record.figures).filter(([file]) => files.has(file)));
const unexplained = record.survivors.filter(({ file, because }) => files.has(file) && because === '');
const seconds = Math.round((performance.now() - start) / 1000);
const lines = [
  ...unexplained.map((survivor) => `Not explained: ${describeMutant(survivor)}`),
  ...reportLines(figures, { files: true }),
  `${tried.length} mutants in ${seconds} s, ${unexplained.length} survivors without an explanation`,
];
process.stdout.write(`${lines.join('\n')}\n`);
const isEnough = tooFewKilled(record.figures).length === 0;
if (unexplained.length > 0 || tried.length === 0 || !isEnough) process.exitCode = 1;
