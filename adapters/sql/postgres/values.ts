import pg from 'pg';
import type { SqlValue } from '../engine/database.js';

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** Parsers for values as both engines return them: integers as numbers, timestamps as ISO text with milliseconds. */
export function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (type === INT8) return parseInteger;
  if (type === TIMESTAMPTZ) return formatTimestamp;
  return pg.types.getTypeParser(type, format as 'text');
}

/** Turns the server's `2026-11-20 18:00:00.5+00` into `2026-11-20T18:00:00.500Z`. The session's settings fix the former. */
function formatTimestamp(text: string): string {
  const end = text.length - '+00'.length;
  if (text.charAt(10) !== ' ' || !text.endsWith('+00'))
    throw new Error(`the timestamp ${text} is not in the expected form`);
  const fraction = end > 19 ? text.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

function parseInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`the number ${text} is too large`);
  return number;
}

/** A value in PostgreSQL's text form. */
export function encodeValue(value: SqlValue): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
}

/** A value as SQL text, for statements that take no parameters. */
export function literal(value: SqlValue): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw new Error('bytes have no literal');
}
