import { chapterOf } from './sources.js';
import type { TriedMutant } from './try-mutants.js';

/** Fewer killed mutants are a failure, in each chapter. */
const MIN_KILLED_PERCENT = 95;

export interface Score {
  /** A file, a chapter or the whole. */
  readonly name: string;
  readonly text: string;
  readonly isEnough: boolean;
}

/** The scores of the files, of the chapters and of all together. */
export function scoresOf(tried: readonly TriedMutant[]): readonly Score[] {
  const names = (of: (mutant: TriedMutant) => string): readonly string[] =>
    [...new Set(tried.map(of))].sort();
  return [
    ...names(({ file }) => file).map((file) => ({
      ...scoreOf(
        `core/${file}`,
        tried.filter((mutant) => mutant.file === file),
      ),
      isEnough: true,
    })),
    ...names(({ file }) => chapterOf(file)).map((chapter) =>
      scoreOf(
        `core/${chapter}`,
        tried.filter(({ file }) => chapterOf(file) === chapter),
      ),
    ),
    scoreOf('The core', tried),
  ];
}

/** A mutant with which the code ran for ever counts as killed. */
function scoreOf(name: string, mutants: readonly TriedMutant[]): Score {
  const count = (outcome: TriedMutant['outcome']): number =>
    mutants.filter((mutant) => mutant.outcome === outcome).length;
  const killed = mutants.length - count('survived');
  const percent = (killed / mutants.length) * 100;
  const rest = `${count('timed out')} of them timed out, ${count('survived')} survived`;
  const text = `${name}: ${killed}/${mutants.length} killed (${percent.toFixed(1)} %), ${rest}`;
  return { name, text, isEnough: percent >= MIN_KILLED_PERCENT };
}

/** Names a mutant, such as `core/values/ids.ts:7: count > 0 → count >= 0`. */
export function describeMutant({ file, line, change }: TriedMutant): string {
  return `core/${file}:${line}: ${change}`;
}
