import type { Mutant } from './instrument.js';
import type { Figures, FileFigures } from './record.js';
import { chapterOf } from './sources.js';

/** Fewer killed mutants are a failure, in each chapter. */
const MIN_KILLED_PERCENT = 95;

/** Lists the figures of each chapter, and with `files` those of each file, and the total. */
export function reportLines(figures: Figures, { files }: { readonly files: boolean }): readonly string[] {
  const entries = Object.entries(figures);
  return [
    ...(files ? entries.map(([file, figure]) => line(file, figure)) : []),
    ...Object.entries(chaptersOf(figures)).map(([chapter, counts]) => line(chapter, counts)),
    line('The core', sumOf(Object.values(figures))),
  ];
}

/** The chapters, and the whole, of whose mutants too few were killed. Those that ran for ever count as killed. */
export function tooFewKilled(figures: Figures): readonly string[] {
  const all = { ...chaptersOf(figures), 'The core': sumOf(Object.values(figures)) };
  return Object.entries(all)
    .filter(([, counts]) => percentOf(counts) < MIN_KILLED_PERCENT)
    .map(([name, counts]) => line(name, counts));
}

function chaptersOf(figures: Figures): Readonly<Record<string, Counts>> {
  const entries = Object.entries(figures);
  const chapters = [...new Set(entries.map(([file]) => chapterOf(file)))].sort();
  return Object.fromEntries(
    chapters.map((chapter) => {
      const own = entries.filter(([file]) => chapterOf(file) === chapter).map(([, figure]) => figure);
      return [`core/${chapter}`, sumOf(own)];
    }),
  );
}

/** Names a mutant, such as `core/values/ids.ts:7: count > 0 → count >= 0`. */
export function describeMutant({ file, line: number, change }: Mutant): string {
  return `core/${file}:${number}: ${change}`;
}

type Counts = Omit<FileFigures, 'code'>;

function line(name: string, counts: Counts): string {
  const { mutants, killed, timedOut, survived } = counts;
  const results = `${timedOut} of them timed out, ${survived} survived`;
  return `${name}: ${killed + timedOut}/${mutants} killed (${percentOf(counts).toFixed(1)} %), ${results}`;
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
