import { oneLine } from '@rollcall/core/adapters';
import { styled } from '../terminal.js';

/** Lines with aligned columns, below a heading. */
export function table(head: readonly string[], texts: readonly (readonly string[])[]): readonly string[] {
  // A line break or an escape sequence in a name must not change the terminal.
  const rows = texts.map((cells) => cells.map(oneLine));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd();
  return [styled('bold', line(head)), ...rows.map(line)];
}

/** The width of a text on a terminal, in columns. East Asian letters and emoji take two. */
function widthOf(text: string): number {
  const letters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)];
  return letters.reduce(
    (sum, { segment }) =>
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/u.test(
        segment,
      )
        ? 2
        : 1),
    0,
  );
}
