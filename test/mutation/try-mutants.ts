import { basename } from 'node:path';
import { bundleTests } from './bundle.js';
import type { Mutant } from './instrument.js';
import { createPool } from './pool.js';
import { chapterOf, coreTests, type InstrumentedCore, isTestOf, mayTest } from './sources.js';
import type { Coverage, MeasuredTest, Outcome } from './trial.js';

export interface TriedMutant extends Mutant {
  readonly outcome: Outcome;
}

/** Runs the tests of its chapter with each of these mutants, given by their numbers. Keeps their order. */
export async function tryMutants(
  core: InstrumentedCore,
  { numbers, threads }: { readonly numbers: readonly number[]; readonly threads: number },
): Promise<readonly TriedMutant[]> {
  const chosen = numbers.flatMap((number) => {
    const mutant = core.mutants[number];
    return mutant === undefined ? [] : [{ ...mutant, number }];
  });
  const chapters = [...new Set(chosen.map(({ file }) => chapterOf(file)))];
  const files = coreTests().filter((test) => chapters.some((chapter) => mayTest(chapter, test)));
  const pool = createPool({ bundle: await bundleTests(files, core.files), threads });
  try {
    const coverages = (await Promise.all(files.map((file) => pool.measure(file)))).flat();
    const reaching = byMutant(coverages);
    const kills = new Map<string, number>();
    return await Promise.all(
      chosen.map(async ({ number, ...mutant }) => {
        let tests: readonly MeasuredTest[] = [];
        const { outcome, by } = await pool.verdictOn(number, () => {
          tests = testsOf(mutant, { reaching: reaching.get(number) ?? [], kills });
          return tests;
        });
        const killer = tests[by];
        if (killer !== undefined) kills.set(pair(mutant, killer), (kills.get(pair(mutant, killer)) ?? 0) + 1);
        return { ...mutant, outcome };
      }),
    );
  } finally {
    await pool.close();
  }
}

/** The tests that run the code of each mutant. */
function byMutant(coverages: readonly Coverage[]): ReadonlyMap<number, readonly MeasuredTest[]> {
  const tests = new Map<number, MeasuredTest[]>();
  for (const { test, reached } of coverages) {
    for (const number of reached) {
      const known = tests.get(number);
      if (known === undefined) tests.set(number, [test]);
      else known.push(test);
    }
  }
  return tests;
}

interface Candidates {
  readonly reaching: readonly MeasuredTest[];
  /** How many mutants of a file each test has killed. */
  readonly kills: ReadonlyMap<string, number>;
}

/**
 * The tests of the mutant's chapter, those most likely to fail first: they have killed mutants of the same file, or have
 * its name, or are quick.
 */
function testsOf(mutant: Mutant, { reaching, kills }: Candidates): readonly MeasuredTest[] {
  const name = basename(mutant.file, '.ts');
  const rank = (test: MeasuredTest): number => {
    const named = basename(test.file, '.test.ts') === name ? 0 : 1e9;
    return test.steps + named - 1e10 * (kills.get(pair(mutant, test)) ?? 0);
  };
  return reaching
    .filter((test) => isTestOf(chapterOf(mutant.file), test))
    .sort((one, other) => rank(one) - rank(other));
}

function pair({ file }: Mutant, test: MeasuredTest): string {
  return `${file} ${test.file} ${test.index}`;
}
