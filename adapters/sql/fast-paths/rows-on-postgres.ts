import type { ExportColumn, ExportFormat } from '@rollcall/core';
import { cellBreaks, formulaSigns } from '@rollcall/core/adapters';

/** Encodes a column for an export, as an SQL expression. */
type Encode = (column: string) => string;

const unchanged: Encode = (column) => column;

const jsonText: Encode = (column) => `coalesce(to_json(${column})::text, 'null')`;

const json: Record<ExportColumn['type'], Encode> = {
  string: jsonText,
  'text or null': jsonText,
  // `E` makes a backslash mean the same whatever `standard_conforming_strings` is.
  instant: (column) => `to_char(${column}, E'"\\\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\\\""')`,
  integer: unchanged,
  'integer or null': (column) => `coalesce(${column}::text, 'null')`,
  price: (column) => `coalesce(${column}, '0')`,
  boolean: (column) => `CASE WHEN ${column} THEN 'true' ELSE 'false' END`,
};

const signs = formulaSigns.join('');
const afterBreak = `([${cellBreaks.join('')}])("*[${signs}])`;

const csvText: Encode = (column) => `CASE WHEN ${column} IS NOT NULL THEN concat('"',
        CASE WHEN ${column} ~ '^[\t\r\n${signs}]' THEN '''' ELSE '' END,
        replace(regexp_replace(${column}, '${afterBreak}', E'\\\\1''\\\\2', 'g'), '"', '""'), '"') END`;

/** Values other than text are written as in JSON. Null is an empty cell. */
const csv: Record<ExportColumn['type'], Encode> = {
  ...json,
  string: csvText,
  'text or null': csvText,
  instant: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  'integer or null': unchanged,
};

/** The row that `copiedRowEncoder` writes, as an SQL expression over the table `meetings`. */
export function postgresRowText(columns: readonly ExportColumn[], form: ExportFormat): string {
  if (form === 'csv') {
    const cells = columns.map(({ key, type }) => csv[type](`meetings.${key}`));
    return `concat(${cells.join(`, ',', `)}, '\r\n')`;
  }
  const [start, end] = form === 'json' ? [',{', '}'] : ['{', '}\n'];
  const members = columns.map(
    ({ as, key, type }, index) => `'${index === 0 ? '' : ','}"${as}":', ${json[type](`meetings.${key}`)}`,
  );
  return `concat('${start}', ${[...members, `'${end}'`].join(', ')})`;
}
