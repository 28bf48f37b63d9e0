import type { Mutant } from './instrument.js';
import type { Figures, FileFigures } from './record.js';
import { chapterOf } from './sources.js';

/** Fewer killed mutants are a failure. */
export const MIN_KILLED_PERCENT = 95;

/** Lists the figures of each chapter, and with `files` those of each file, and the total. */
export function reportLines(figures: Figures, { files }: { readonly files: boolean }): readonly string[] {
  const entries = Object.entries(figures);
  const chapters = [...new Set(entries.map(([file]) => chapterOf(file)))].sort();
  return [
    ...(files ? entries.map(([file, figure]) => line(file, figure)) : []),
    ...chapters.map((chapter) => {
      const own = entries.filter(([file]) => chapterOf(file) === chapter).map(([, figure]) => figure);
      return line(`core/${chapter}`, sumOf(own));
    }),
    line('The core', sumOf(Object.values(figures))),
  ];
}

/** How many mutants of all files were killed, in percent. Those that ran for ever count as killed. */
export function killedPercent(figures: Figures): number {
  return percentOf(sumOf(Object.values(figures)));
}

/** Names a mutant, such as `core/values/ids.ts:7: count > 0 → count >= 0`. */
export function describeMutant({ file, line: number, change }: Mutant): string {
  return `core/${file}:${number}: ${change}`;
}

type Counts = Omit<FileFigures, 'code'>;

function line(name: string, counts: Counts): string {
  const { mutants, killed, timedOut, survived } = counts;
  const results = `${killed} killed, ${timedOut} timed out, ${survived} survived`;
  return `${name}: ${mutants} mutants, ${results} (${percentOf(counts).toFixed(1)} % killed)`;
}

function percentOf({ mutants, killed, timedOut }: Counts): number {
  return mutants === 0 ? 100 : ((killed + timedOut) / mutants) * 100;
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = (name: keyof Counts): number => all.reduce((total, counts) => total + counts[name], 0);
  return {
    ...{ mutants: sum('mutants'), killed: sum('killed') },
    ...{ timedOut: sum('timedOut'), survived: sum('survived') },
  };
}
