/** A spreadsheet could run a cell that starts with one of these as a formula, so CSV puts an apostrophe before it. */
export const formulaSigns: readonly string[] = [...'=+@＝＋－＠-'];

/** Where a spreadsheet does not split at commas, a text may go on in a new cell after one of these. */
export const cellBreaks: readonly string[] = [...';\t\r\n'];

const beginning = new RegExp(`^[\t\r\n${formulaSigns.join('')}]`);
const afterBreak = new RegExp(`[${cellBreaks.join('')}](?="*[${formulaSigns.join('')}])`, 'g');

/** The first line of a CSV file, after a byte order mark from which spreadsheets recognize UTF-8. */
export function csvHeading(labels: readonly string[]): string {
  return `\ufeff${labels.map((label) => `"${label}"`).join(',')}\r\n`;
}

/** A text in quotes that no spreadsheet runs, wherever it splits. */
export function csvText(text: string): string {
  const guarded = text.replace(afterBreak, "$&'").replaceAll('"', '""');
  return `"${beginning.test(text) ? "'" : ''}${guarded}"`;
}

/** A line of texts and times. Null is an empty field. */
export function csvLine(values: readonly (string | Date | null)[]): string {
  const fields = values.map((value) => {
    if (value === null) return '';
    return typeof value === 'string' ? csvText(value) : value.toISOString();
  });
  return `${fields.join(',')}\r\n`;
}
