import { type ExportColumn, type ExportForm, formulaBeginnings } from '@rollcall/core';
import { formatTimestamp } from '../postgres/values.js';

/**
 * Makes a row of PostgreSQL's COPY, with exactly these columns, into a row of an export as `Meetings.export`
 * promises it, a comma before it where the form has commas. Both are latin1 of their bytes: what COPY escapes is
 * nearly what JSON escapes, and everything that means something to either is ASCII.
 */
export function rowEncoder(columns: readonly ExportColumn[], form: ExportForm): (row: string) => string {
  if (form === 'csv') return csvEncoder(columns);
  const start = form === 'json' ? ',{' : '{';
  const end = form === 'json' ? '}' : '}\n';
  const keys = columns.map(({ as }, index) => `${index === 0 ? start : ','}"${as}":`);
  const values = columns.map(({ type }) => jsonValues[type]);
  return (row) => {
    const cells = jsonEscaped(row).split('\t');
    let text = '';
    for (let index = 0; index < cells.length; index += 1)
      text += keys[index] + (values[index] as Encode)(cells[index] as string);
    return text + end;
  };
}

type Encode = (cell: string) => string;

const NULL = '\\N';

const jsonText: Encode = (cell) => (cell === NULL ? 'null' : `"${cell}"`);
const asItIs: Encode = (cell) => cell;
const boolean: Encode = (cell) => (cell === 't' ? 'true' : 'false');
const price: Encode = (cell) => (cell === NULL ? '0' : cell);

const jsonValues: Record<ExportColumn['type'], Encode> = {
  string: jsonText,
  'text or null': jsonText,
  instant: (cell) => `"${formatTimestamp(cell)}"`,
  integer: asItIs,
  'integer or null': (cell) => (cell === NULL ? 'null' : cell),
  price,
  boolean,
};

// ── Escapes ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * COPY writes `\b \f \n \r \t \\` as JSON does, `\v`, which JSON has not, and other control characters and quotes as
 * they are. A pair of backslashes is read first: a `v` after it is a letter.
 */
function jsonEscaped(row: string): string {
  const quoted = row.includes('"') ? row.replaceAll('"', '\\"') : row;
  return rare.test(quoted) ? quoted.replace(rares, rareEscape) : quoted;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const rare = /\\v|[\x01-\x08\x0b-\x1f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
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

// ── CSV ────────────────────────────────────────────────────────────────────────────────────────────────────

const beginnings = formulaBeginnings.map((beginning) => Buffer.from(beginning).toString('latin1'));

/** What is not text is written as JSON has it, null as nothing. */
const csvValues: Record<ExportColumn['type'], Encode> = {
  ...jsonValues,
  string: csvText,
  'text or null': csvText,
  instant: formatTimestamp,
  'integer or null': (cell) => (cell === NULL ? '' : cell),
};

function csvText(cell: string): string {
  if (cell === NULL) return '';
  const text = unescaped(cell);
  const isFormula = beginnings.some((beginning) => text.startsWith(beginning));
  return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
}

function csvEncoder(columns: readonly ExportColumn[]): (row: string) => string {
  const values = columns.map(({ type }) => csvValues[type]);
  return (row) => {
    const cells = row.split('\t').map((cell, index) => (values[index] as Encode)(cell));
    return `${cells.join(',')}\r\n`;
  };
}
