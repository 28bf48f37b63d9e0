import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { RIGHT_AFTER_THE_LOAD } from './measurement.js';
import { isMet, type Result, type Verdict, valueText } from './table.js';

const README = new URL('../../../README.md', import.meta.url);
const BEGIN = '<!-- what npm run bench -- --readme wrote -->';
const END = '<!-- until here -->';
const ALL_FIGURES = new URL('../../../contracts/performance.md', import.meta.url);

const SOME_ARE_OLDER = '. Some rows are from earlier runs, perhaps on another machine';

/** README.md quotes the first figure of each of these. */
const quoted = [
  'Export of 100,000 rows, 18 columns',
  'First byte of 1,000,000 rows',
  'Page 1 of 1,000, with the total',
  'Upcoming, 25 of 5,000 registrations',
  'Authenticate',
  'Import of',
];

/**
 * Replaces the verdicts of an earlier run: all of them in contracts/performance.md, some in README.md. After a run of
 * single measurements, the rows of the others stay. `load` is the load by other programs on the machine.
 */
export async function writeReadme(
  results: readonly Result[],
  { load, isWhole }: { readonly load: number; readonly isWhole: boolean },
): Promise<void> {
  const where = isWhole ? machineText(load) : `${machineText(load)}${SOME_ARE_OLDER}`;
  const measured = linesOf(results);
  const lines = isWhole ? measured : mergeLines(linesIn(await readFile(ALL_FIGURES, 'utf8')), measured);
  const first = quoted.flatMap(
    (name) =>
      lines.find(({ work }) => work === name) ?? lines.find(({ work }) => work.startsWith(name)) ?? [],
  );
  await replaceBetweenMarkers(README, `${where}:\n\n${tableOf(first)}`);
  await replaceBetweenMarkers(ALL_FIGURES, `${where}:\n\n${tableOf(lines)}`);
}

async function replaceBetweenMarkers(file: URL, content: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.split(BEGIN)[0], text.split(END)[1]];
  if (before === undefined || after === undefined || !text.includes(BEGIN))
    throw new Error(`${file.pathname} has no markers for the table`);
  await writeFile(file, `${before}${BEGIN}\n${content}\n${END}${after}`);
}

function machineText(load: number): string {
  const model = cpus()[0]?.model.trim();
  return `On ${model}, one core for the server, Node ${process.versions.node}, while other programs caused a load of ${load.toFixed(1)}`;
}

/** A row of the table. The keys of the maps are engines. */
export interface Line {
  readonly work: string;
  readonly figure: string;
  readonly goals: Map<string, string>;
  readonly values: Map<string, string>;
}

/** Of work that has one line, the worst figure counts: the slowest of all pages, the worse state of the database. */
export function linesOf(results: readonly Result[]): readonly Line[] {
  const lines: (Omit<Line, 'goals' | 'values'> & { readonly worst: Map<string, Verdict> })[] = [];
  for (const { work, verdicts } of results) {
    const { engine, rest } = split(work);
    for (const verdict of verdicts) {
      const { figure } = verdict;
      const name = lineOf(rest);
      const known = lines.find((line) => line.work === name && line.figure === figure);
      const line = known ?? { work: name, figure, worst: new Map<string, Verdict>() };
      if (known === undefined) lines.push(line);
      line.worst.set(engine, worse(verdict, line.worst.get(engine)));
    }
  }
  return lines.map(({ worst, ...line }) => ({
    ...line,
    goals: mapValues(worst, goalText),
    values: mapValues(worst, (verdict) => `${valueText(verdict)}${isMet(verdict) ? '' : ' **missed**'}`),
  }));
}

function lineOf(work: string): string {
  return work.startsWith('Page, ')
    ? 'Pages and downloads, the slowest'
    : work.replace(RIGHT_AFTER_THE_LOAD, '');
}

/** A figure that could not be measured is the worst. */
function worse(one: Verdict, other: Verdict | undefined): Verdict {
  if (other === undefined || Number.isNaN(one.value)) return one;
  const isWorse = 'atLeast' in one.goal ? one.value < other.value : one.value > other.value;
  return isWorse ? one : other;
}

function mapValues(
  verdicts: ReadonlyMap<string, Verdict>,
  text: (verdict: Verdict) => string,
): Map<string, string> {
  return new Map([...verdicts].map(([engine, verdict]) => [engine, text(verdict)]));
}

/** The lines of the table between the markers. */
export function linesIn(document: string): readonly Line[] {
  const table = document.split(BEGIN)[1]?.split(END)[0] ?? '';
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
  const [[, , , ...engines] = [], , ...others] = rows;
  return others.map(([work = '', figure = '', goal = '', ...values]) => {
    const goals = goal.split(', ');
    return {
      ...{ work, figure },
      goals: new Map(engines.map((engine, index) => [engine, goals[index] ?? goals[0] ?? ''])),
      values: new Map(engines.map((engine, index) => [engine, (values[index] ?? '').trim()])),
    };
  });
}

/** The earlier lines with the new figures, and the lines that are new. */
export function mergeLines(earlier: readonly Line[], measured: readonly Line[]): readonly Line[] {
  const sameAs = (line: Line) => (other: Line) => other.work === line.work && other.figure === line.figure;
  const kept = earlier.map((line) => {
    const fresh = measured.find(sameAs(line));
    if (fresh === undefined) return line;
    return {
      ...line,
      goals: new Map([...line.goals, ...fresh.goals]),
      values: new Map([...line.values, ...fresh.values]),
    };
  });
  return [...kept, ...measured.filter((line) => !earlier.some(sameAs(line)))];
}

/** A Markdown table with a column for each engine. */
export function tableOf(lines: readonly Line[]): string {
  const engines = [...new Set(lines.flatMap(({ values }) => [...values.keys()]))];
  const rows = lines.map(({ work, figure, goals, values }) => [
    work,
    figure,
    [...new Set(goals.values())].join(', '),
    ...engines.map((engine) => values.get(engine) ?? ''),
  ]);
  const head = ['Work', 'Figure', 'Goal', ...engines];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Splits `SQLite: Webhooks`. */
function split(work: string): { readonly engine: string; readonly rest: string } {
  const end = work.indexOf(': ');
  return { engine: work.slice(0, end), rest: work.slice(end + 2) };
}

function goalText({ goal, unit = '' }: Verdict): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}${unit}` : `≤ ${goal.atMost}${unit}`;
}
