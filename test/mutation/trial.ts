import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import { switchName } from './instrument.js';
import { root } from './sources.js';

/** A test, and what it took without a mutant. */
export interface MeasuredTest {
  readonly file: string;
  /** The position in the file. */
  readonly index: number;
  readonly name: string;
  readonly milliseconds: number;
  /** How often it ran code of a mutant. */
  readonly steps: number;
}

/** A test, and the numbers of the mutants whose code it ran. */
export interface Coverage {
  readonly test: MeasuredTest;
  readonly reached: readonly number[];
}

export type Outcome = 'killed' | 'survived' | 'timed out';

export interface Verdict {
  readonly outcome: Outcome;
  /** The position of the test that failed in the list of tests, or -1. */
  readonly by: number;
}

/** Ends code that runs for ever because of a mutant. */
class EndlessError extends Error {}

/** A test that runs no code of a mutant for so many intervals waits for ever. On a busy machine, time alone says nothing. */
const MAX_IDLE_INTERVALS = 3;
const INTERVAL_MS = 500;
/** A test with a mutant may take so many more steps than without, and 20 times as many. */
const MAX_EXTRA_STEPS = 20_000;

type RunFiles = Readonly<Record<string, () => void>>;

/** Decides for each number whether that mutant is on. */
type Switch = (mutant: number) => boolean;

interface LoadedTest {
  readonly name: string;
  readonly run: () => unknown;
}

/**
 * Runs tests of a bundle in this thread. For each mutant the bundle is executed anew, so that a mutant in a constant takes
 * effect, and nothing that a mutant left behind reaches another.
 */
export function createTrials(bundle: string) {
  const body = compileFunction(bundle, ['require', 'module', 'exports', switchName], {
    filename: 'mutation-bundle.js',
  }) as (require: (name: string) => unknown, module: object, exports: RunFiles, on: Switch) => void;

  /** Executes the test file, which declares its tests. */
  const load = (file: string, on: Switch): readonly LoadedTest[] => {
    const tests: LoadedTest[] = [];
    const module = { exports: {} as RunFiles };
    const framework = testFramework(tests);
    body((name) => (name === 'node:test' ? framework : requireHere(name)), module, module.exports, on);
    module.exports[file]?.();
    return tests;
  };

  return {
    /** Runs each test of the file without a mutant. Throws the error of a test that fails. */
    async measure(file: string): Promise<readonly Coverage[]> {
      const names = load(file, () => false).map(({ name }) => name);
      const coverages: Coverage[] = [];
      for (const [index, name] of names.entries()) {
        const reached = new Set<number>();
        let steps = 0;
        const test = load(file, (mutant) => {
          reached.add(mutant);
          steps += 1;
          return false;
        })[index];
        const start = performance.now();
        const failure = await failureOf(
          () => test?.run(),
          () => steps,
        );
        if (failure !== null) throw new Error(`${file}: ${name}`, { cause: failure.error });
        const milliseconds = performance.now() - start;
        coverages.push({ test: { file, index, name, milliseconds, steps }, reached: [...reached] });
      }
      return coverages;
    },

    /** Runs the tests with the mutant until one fails. */
    async verdictOn(mutant: number, tests: readonly MeasuredTest[]): Promise<Verdict> {
      let taken = 0;
      let maxSteps = 0;
      const on: Switch = (number) => {
        taken += 1;
        if (taken > maxSteps) throw new EndlessError();
        return number === mutant;
      };
      const loaded = new Map<string, readonly LoadedTest[]>();
      const testsOf = (file: string): readonly LoadedTest[] => {
        const known = loaded.get(file) ?? load(file, on);
        loaded.set(file, known);
        return known;
      };
      for (const [by, { file, index, steps }] of tests.entries()) {
        taken = 0;
        maxSteps = MAX_EXTRA_STEPS + 20 * steps;
        const failure = await failureOf(
          () => testsOf(file)[index]?.run(),
          () => taken,
        );
        if (taken > maxSteps || failure?.error instanceof EndlessError) return { outcome: 'timed out', by };
        if (failure !== null) return { outcome: 'killed', by };
      }
      return { outcome: 'survived', by: -1 };
    },
  };
}

const requireHere = createRequire(join(root, 'package.json'));

/** The parts of `node:test` that tests of the core use. It collects their tests, and runs none. */
function testFramework(tests: LoadedTest[]): object {
  const groups: string[] = [];
  const context = new Proxy(
    {},
    {
      get() {
        throw new Error('Mutation testing has no context for tests: see test/mutation/trial.ts.');
      },
    },
  );
  return {
    describe(name: string, declare: () => void): void {
      groups.push(name);
      declare();
      groups.pop();
    },
    test(name: string, run: (context: object) => unknown): void {
      tests.push({ name: [...groups, name].join(' > '), run: () => run(context) });
    },
  };
}

/** Rejections of the running test that nothing has handled. */
let unhandled: unknown[] = [];

/** Makes rejections that nothing handles fail the running test, as `node:test` does. */
export function watchRejections(): void {
  process.on('unhandledRejection', (error) => unhandled.push(error));
}

/** Returns the error of the work, or null if it succeeds. `stepsOf` shows whether it makes progress. */
async function failureOf(
  work: () => unknown,
  stepsOf: () => number,
): Promise<{ readonly error: unknown } | null> {
  let timer: NodeJS.Timeout | undefined;
  let idle = 0;
  let last = -1;
  unhandled = [];
  try {
    await new Promise((resolve, reject) => {
      timer = setInterval(() => {
        idle = stepsOf() === last ? idle + 1 : 0;
        last = stepsOf();
        if (idle === MAX_IDLE_INTERVALS) reject(new EndlessError());
      }, INTERVAL_MS);
      (async () => work())().then(resolve, reject);
    });
    // Rejections are reported when everything else has been done.
    await setImmediate();
    return unhandled.length === 0 ? null : { error: unhandled[0] };
  } catch (error) {
    await setImmediate();
    return { error };
  } finally {
    clearInterval(timer);
  }
}
