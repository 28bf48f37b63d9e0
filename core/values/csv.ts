/** A spreadsheet could run a text that starts with one of these as a formula, so CSV puts an apostrophe before it. */
export const formulaBeginnings: readonly string[] = [...'=+-@\t\r\n＝＋－＠'];

/** The first line of a CSV file, after a byte order mark from which spreadsheets recognize UTF-8. */
export function csvHeading(labels: readonly string[]): string {
  return `\ufeff${labels.map((label) => `"${label}"`).join(',')}\r\n`;
}

/** A text in quotes that no spreadsheet runs. */
export function csvText(text: string): string {
  const isFormula = formulaBeginnings.some((beginning) => text.startsWith(beginning));
  return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
}

/** A line of texts and times. Null is an empty field. */
export function csvLine(values: readonly (string | Date | null)[]): string {
  const fields = values.map((value) => {
    if (value === null) return '';
    return typeof value === 'string' ? csvText(value) : value.toISOString();
  });
  return `${fields.join(',')}\r\n`;
}
