import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './instrument.js';
import { type InstrumentedCore, root } from './sources.js';
import type { TriedMutant } from './try-mutants.js';

/** The last results of a file of the core. */
export interface FileFigures {
  /** The hash of the code that was tried. */
  readonly code: string;
  readonly mutants: number;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
}

/** By the path of the file below `core`. */
export type Figures = Readonly<Record<string, FileFigures>>;

/** A mutant that no test notices. */
export interface Survivor extends Mutant {
  /** Why nothing is wrong with that. Empty: nobody has explained it. */
  readonly because: string;
}

/** The results that are kept in Git. */
export interface MutationRecord {
  readonly figures: Figures;
  readonly survivors: readonly Survivor[];
}

const folder = join(root, 'test', 'mutation');
const figuresPath = join(folder, 'figures.json');
const survivorsPath = join(folder, 'survivors.json');

export function readRecord(): MutationRecord {
  return {
    figures: JSON.parse(readFileSync(figuresPath, 'utf8')) as Figures,
    survivors: JSON.parse(readFileSync(survivorsPath, 'utf8')) as readonly Survivor[],
  };
}

/** One line for each file, so that two changes of the core seldom conflict. */
export function writeRecord({ figures, survivors }: MutationRecord): void {
  const lines = Object.entries(figures).map(([file, figure]) => {
    const fields = Object.entries(figure).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
    return `  ${JSON.stringify(file)}: { ${fields.join(', ')} }`;
  });
  writeFileSync(figuresPath, `{\n${lines.join(',\n')}\n}\n`);
  writeFileSync(survivorsPath, `${JSON.stringify(survivors, null, 2)}\n`);
}

/** The record after these mutants were tried, which are all of the mutants of their files. */
export function updatedRecord(
  { figures, survivors }: MutationRecord,
  { core, tried }: { readonly core: InstrumentedCore; readonly tried: readonly TriedMutant[] },
): MutationRecord {
  const explained = new Map(survivors.map((survivor) => [keyOf(survivor), survivor.because]));
  const triedFiles = new Set(tried.map(({ file }) => file));
  const lasting = survivors.filter(({ file }) => !triedFiles.has(file));
  const fresh = tried
    .filter(({ outcome }) => outcome === 'survived')
    .map(({ outcome: _, ...mutant }) => ({ ...mutant, because: explained.get(keyOf(mutant)) ?? '' }));
  const files = core.files.filter(({ file }) => core.mutants.some((mutant) => mutant.file === file));
  return {
    figures: Object.fromEntries(
      files.flatMap(({ file, code }) => {
        const known = triedFiles.has(file) ? figuresOf(tried, { file, code }) : figures[file];
        return known === undefined ? [] : [[file, known]];
      }),
    ),
    survivors: files.flatMap(({ file }) => [...lasting, ...fresh].filter((one) => one.file === file)),
  };
}

function figuresOf(
  tried: readonly TriedMutant[],
  { file, code }: { readonly file: string; readonly code: string },
): FileFigures {
  const own = tried.filter((mutant) => mutant.file === file);
  const count = (outcome: TriedMutant['outcome']): number =>
    own.filter((mutant) => mutant.outcome === outcome).length;
  return {
    ...{ code, mutants: own.length, killed: count('killed') },
    ...{ timedOut: count('timed out'), survived: count('survived') },
  };
}

/** The files whose code has changed since their mutants were tried. */
export function changedFiles(core: InstrumentedCore, figures: Figures): readonly string[] {
  return core.files
    .filter(({ file, code }) => figures[file] !== undefined && figures[file].code !== code)
    .map(({ file }) => file);
}

/** The files with mutants that were never tried. */
export function newFiles(core: InstrumentedCore, figures: Figures): readonly string[] {
  const files = new Set(core.mutants.map(({ file }) => file));
  return [...files].filter((file) => figures[file] === undefined);
}

/** Tells mutants apart. Edits of other lines do not change it. */
export function keyOf({ file, code, change }: Mutant): string {
  return `${file}\n${code}\n${change}`;
}
