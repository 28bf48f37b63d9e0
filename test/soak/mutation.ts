import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { describeMutant, scoresOf } from '../mutation/report.js';
import { instrumentCore } from '../mutation/sources.js';
import { tryMutants } from '../mutation/try-mutants.js';

/**
 * Tries every mutant of the core, or those of the files whose paths contain an argument, and lists those that no test
 * notices. Fails if too few of a chapter are killed.
 */
const words = process.argv.slice(2);
const start = performance.now();
const core = instrumentCore();
const numbers = core.mutants.flatMap(({ file }, number) =>
  words.length === 0 || words.some((word) => file.includes(word)) ? [number] : [],
);
const tried = await tryMutants(core, { numbers, threads: availableParallelism() });
const survivors = tried.filter(({ outcome }) => outcome === 'survived');
const scores = scoresOf(tried);
const seconds = Math.round((performance.now() - start) / 1000);
const lines = [
  ...survivors.map((survivor) => `Survived: ${describeMutant(survivor)}`),
  ...scores.map(({ text }) => text),
  `${tried.length} mutants in ${seconds} s`,
];
process.stdout.write(`${lines.join('\n')}\n`);
if (tried.length === 0 || !scores.every(({ isEnough }) => isEnough)) process.exitCode = 1;
