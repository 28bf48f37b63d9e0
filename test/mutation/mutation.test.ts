import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../support/random-numbers.js';
import { changedFiles, keyOf, newFiles, readRecord, type Survivor } from './record.js';
import { describeMutant, reportLines, tooFewKilled } from './report.js';
import { chapterOf, instrumentCore } from './sources.js';
import { tryMutants } from './try-mutants.js';

/** More take too long here. Then the whole has to be tried again with `npm run test:mutation`. */
const MAX_CHANGED_MUTANTS = 250;
const SAMPLE_SIZE = 40;
const SEED = Number(process.env.MUTATION_SEED ?? Date.now() % 1_000_000);

describe('Mutation testing', () => {
  const core = instrumentCore();
  const { figures, survivors } = readRecord();
  const changed = changedFiles(core, figures);
  const numbersOf = (isChosen: (file: string) => boolean): readonly number[] =>
    core.mutants.flatMap(({ file }, number) => (isChosen(file) ? [number] : []));

  test('the tests of each chapter kill enough mutants', (t) => {
    for (const line of reportLines(figures, { files: false })) t.diagnostic(line);
    assert.deepEqual(tooFewKilled(figures), []);
  });

  test('every file with rules has been tried', () => {
    const never = newFiles(core, figures);
    assert.deepEqual(never, [], `Run npm run test:mutation -- ${never.join(' ')}`);
  });

  test('every mutant that survives is explained, and is a mutant of the present code', () => {
    const mutants = new Set(core.mutants.map(keyOf));
    const wrong = survivors.filter((survivor) => survivor.because === '' || !mutants.has(keyOf(survivor)));
    assert.deepEqual(wrong.map(describeMutant), []);
  });

  test('every other mutant of a changed file, and of a sample, is killed', async (t) => {
    const ofChanged = numbersOf((file) => changed.includes(file));
    const words = changed.join(' ');
    assert.ok(ofChanged.length <= MAX_CHANGED_MUTANTS, `Run npm run test:mutation -- ${words}`);
    const others = numbersOf((file) => !changed.includes(file));
    const numbers = [...ofChanged, ...sampleOf(others, (number) => core.mutants[number]?.file ?? '')];
    t.diagnostic(`MUTATION_SEED=${SEED}, changed files: ${words === '' ? 'none' : words}`);
    const tried = await tryMutants(core, { numbers, threads: 2 });
    assert.equal(tried.length, numbers.length);
    const explained = new Set(survivors.map((survivor: Survivor) => keyOf(survivor)));
    const unexpected = tried.filter((one) => one.outcome === 'survived' && !explained.has(keyOf(one)));
    assert.deepEqual(unexpected.map(describeMutant), []);
  });
});

/** Random mutants of one chapter, because the tests of every chapter would take too long. */
function sampleOf(numbers: readonly number[], fileOf: (number: number) => string): readonly number[] {
  const random = randomNumbers(SEED);
  const chapter = chapterOf(fileOf(numbers[random(numbers.length)] ?? 0));
  const candidates = numbers.filter((number) => chapterOf(fileOf(number)) === chapter);
  const sample = new Set<number>();
  while (sample.size < Math.min(SAMPLE_SIZE, candidates.length))
    sample.add(candidates[random(candidates.length)] ?? 0);
  return [...sample];
}
