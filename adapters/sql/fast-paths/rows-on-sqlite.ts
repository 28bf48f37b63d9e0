import type { ExportColumn, ExportFormat } from '@rollcall/core';
import { cellBreaks, formulaSigns } from '@rollcall/core/adapters';

/** Encodes a value as an SQL expression over its column, for `%s` of SQLite's `format`. */
type Encode = (column: string) => string;

const jsonText: Encode = (column) => `json_quote(${column})`;

const json: Record<ExportColumn['type'], Encode> = {
  string: jsonText,
  'text or null': jsonText,
  instant: (column) => column,
  integer: (column) => column,
  'integer or null': (column) => `coalesce(${column}, 'null')`,
  price: (column) => `coalesce(${column}, '0')`,
  boolean: (column) => `iif(${column}, 'true', 'false')`,
};

/** The place of a value in the format of a row. */
const places: Record<ExportColumn['type'], string> = {
  string: '%s',
  'text or null': '%s',
  instant: '"%s"',
  integer: '%d',
  'integer or null': '%s',
  price: '%s',
  boolean: '%s',
};

const beginnings = ['\t', '\r', '\n', ...formulaSigns].map((sign) => `'${sign}'`).join(', ');
/** Texts in which a formula may follow a break. They are few, so calling JavaScript for them costs little. */
const afterBreak = `*[${cellBreaks.join('')}]["${formulaSigns.join('')}]*`;

const csvText: Encode = (column) => `CASE WHEN ${column} GLOB '${afterBreak}' THEN csv_text(${column})
        WHEN ${column} IS NOT NULL THEN concat('"',
        CASE WHEN substr(${column}, 1, 1) IN (${beginnings}) THEN '''' ELSE '' END, replace(${column}, '"', '""'), '"') END`;

/** Values other than text are written as in JSON. Null is an empty cell. */
const csv: Record<ExportColumn['type'], Encode> = {
  ...json,
  string: csvText,
  'text or null': csvText,
  'integer or null': (column) => column,
};

/**
 * SQLite makes one text of the rows, because building them with `JSON.stringify` takes four times as long.
 *
 * A row of an export, as `Meetings.export` promises it, as an SQL expression over the table `meetings`. In the form
 * `json` the row starts with a comma. `format` is somewhat faster than `concat`.
 */
export function sqliteRowText(columns: readonly ExportColumn[], form: ExportFormat): string {
  if (form === 'csv') {
    const cells = columns.map(({ key, type }) => csv[type](`meetings.${key}`));
    return `format('${cells.map(() => '%s').join(',')}\r\n', ${cells.join(', ')})`;
  }
  const [start, end] = form === 'json' ? [',{', '}'] : ['{', '}\n'];
  const members = columns.map(({ as, type }) => `"${as}":${places[type]}`);
  const values = columns.map(({ key, type }) => json[type](`meetings.${key}`));
  return `format('${start}${members.join(',')}${end}', ${values.join(', ')})`;
}
