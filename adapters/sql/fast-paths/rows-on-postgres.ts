import type { ExportColumn, ExportForm } from '@rollcall/core';
import { formulaBeginnings } from '@rollcall/core/adapters';
import { formatTimestamp } from '../postgres/format-timestamp.js';

/** Encodes one value for an export in both ways that are needed: rows of COPY in a full export, SQL for a page. */
interface ValueEncoder {
  /** Encodes a cell in COPY's text format. For JSON, the cell already has JSON's escapes. */
  readonly ofCopy: (cell: string) => string;
  /** Encodes the same value as an SQL expression over the column. */
  readonly inSql: (column: string) => string;
}

const NULL = '\\N';

const unchanged = (text: string): string => text;

const jsonText: ValueEncoder = {
  ofCopy: (cell) => (cell === NULL ? 'null' : `"${cell}"`),
  inSql: (column) => `coalesce(to_json(${column})::text, 'null')`,
};

const json: Record<ExportColumn['type'], ValueEncoder> = {
  string: jsonText,
  'text or null': jsonText,
  instant: {
    ofCopy: (cell) => `"${formatTimestamp(cell)}"`,
    inSql: (column) => `to_char(${column}, '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`,
  },
  integer: { ofCopy: unchanged, inSql: unchanged },
  'integer or null': {
    ofCopy: (cell) => (cell === NULL ? 'null' : cell),
    inSql: (column) => `coalesce(${column}::text, 'null')`,
  },
  price: {
    ofCopy: (cell) => (cell === NULL ? '0' : cell),
    inSql: (column) => `coalesce(${column}, '0')`,
  },
  boolean: {
    ofCopy: (cell) => (cell === 't' ? 'true' : 'false'),
    inSql: (column) => `CASE WHEN ${column} THEN 'true' ELSE 'false' END`,
  },
};

const formulaBytes = formulaBeginnings.map((beginning) => Buffer.from(beginning).toString('latin1'));
const formulaTexts = formulaBeginnings.map((beginning) => `'${beginning}'`).join(', ');

const csvText: ValueEncoder = {
  ofCopy(cell) {
    if (cell === NULL) return '';
    const text = unescaped(cell);
    const isFormula = formulaBytes.some((beginning) => text.startsWith(beginning));
    return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
  },
  inSql: (column) => `CASE WHEN ${column} IS NOT NULL THEN concat('"',
        CASE WHEN substr(${column}, 1, 1) IN (${formulaTexts}) THEN '''' ELSE '' END, replace(${column}, '"', '""'), '"') END`,
};

/** Values other than text are written as in JSON. Null is an empty cell. */
const csv: Record<ExportColumn['type'], ValueEncoder> = {
  ...json,
  string: csvText,
  'text or null': csvText,
  instant: {
    ofCopy: formatTimestamp,
    inSql: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
  'integer or null': { ofCopy: (cell) => (cell === NULL ? '' : cell), inSql: unchanged },
};

/**
 * Returns an encoder that turns a row of COPY with exactly these columns into a row of an export, as `Meetings.export`
 * promises it. In the form `json` the row starts with a comma. Both rows are latin1 of their bytes: every character
 * that has a meaning in COPY or in JSON is ASCII, and COPY escapes nearly as JSON does.
 */
export function copiedRowEncoder(
  columns: readonly ExportColumn[],
  form: ExportForm,
): (row: string) => string {
  if (form === 'csv') return copiedCsvEncoder(columns);
  const [start, end] = form === 'json' ? [',{', '}'] : ['{', '}\n'];
  const keys = columns.map(({ as }, index) => `${index === 0 ? start : ','}"${as}":`);
  const values = columns.map(({ type }) => json[type].ofCopy);
  return (row) => {
    const cells = jsonEscaped(row).split('\t');
    let text = '';
    for (let index = 0; index < cells.length; index += 1)
      text += keys[index] + (values[index] as Encode)(cells[index] as string);
    return text + end;
  };
}

type Encode = ValueEncoder['ofCopy'];

function copiedCsvEncoder(columns: readonly ExportColumn[]): (row: string) => string {
  const values = columns.map(({ type }) => csv[type].ofCopy);
  return (row) => {
    const cells = row.split('\t').map((cell, index) => (values[index] as Encode)(cell));
    return `${cells.join(',')}\r\n`;
  };
}

/** The row that `copiedRowEncoder` returns, as an SQL expression over the table `meetings`. */
export function postgresRowText(columns: readonly ExportColumn[], form: ExportForm): string {
  if (form === 'csv') {
    const cells = columns.map(({ key, type }) => csv[type].inSql(`meetings.${key}`));
    return `concat(${cells.join(`, ',', `)}, '\r\n')`;
  }
  const [start, end] = form === 'json' ? [',{', '}'] : ['{', '}\n'];
  const members = columns.map(
    ({ as, key, type }, index) =>
      `'${index === 0 ? '' : ','}"${as}":', ${json[type].inSql(`meetings.${key}`)}`,
  );
  return `concat('${start}', ${[...members, `'${end}'`].join(', ')})`;
}

// ── Escapes ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * COPY writes `\b \f \n \r \t \\` as JSON does. It also writes `\v`, which JSON does not have, and leaves quotes and
 * other control characters as they are. A pair of backslashes is matched first, because a `v` after it is a letter.
 */
function jsonEscaped(row: string): string {
  const quoted = row.includes('"') ? row.replaceAll('"', '\\"') : row;
  return rare.test(quoted) ? quoted.replace(rares, rareEscape) : quoted;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
const rare = /\\v|[\x01-\x08\x0b-\x1f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
const rares = /\\\\|\\v|[\x01-\x08\x0b-\x1f]/g;

function rareEscape(found: string): string {
  if (found === '\\\\') return found;
  const code = found === '\\v' ? 0x0b : found.charCodeAt(0);
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

const escapes: Readonly<Record<string, string>> = {
  '\\\\': '\\',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\v': '\v',
};

function unescaped(cell: string): string {
  return cell.includes('\\') ? cell.replace(/\\./g, (found) => escapes[found] ?? found) : cell;
}
