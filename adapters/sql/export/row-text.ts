import type { Engine } from '../engine/database.js';
import { raw, SQL, type SqlText } from '../engine/sql-text.js';
import { postgresRowText } from '../fast-paths/rows-on-postgres.js';
import { sqliteRowText } from '../fast-paths/rows-on-sqlite.js';
import type { ExportRequest } from './export-request.js';

/** SQLite returns bytes, PostgreSQL a text. */
export function bytesOf(encoded: Uint8Array | string): Uint8Array {
  return typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
}

/** The bytes of the first rows. In the form `json` every row starts with a comma, except the first row of an export. */
export function firstBytesOf({ form }: ExportRequest, encoded: Uint8Array | string): Uint8Array {
  return form === 'json' ? bytesOf(encoded).subarray(1) : bytesOf(encoded);
}

const rowTexts: Record<Engine, typeof sqliteRowText> = { sqlite: sqliteRowText, postgres: postgresRowText };

/** One row, as an SQL expression over the table `meetings`. */
export function rowText({ engine, columns, form }: Omit<ExportRequest, 'selection'>): string {
  return rowTexts[engine](columns, form);
}

/** Selects the rows of keys, in their order, as one value, on SQLite. The keys must be sorted and have a LIMIT. */
export function rowsOf(request: ExportRequest, keys: SqlText): SqlText {
  return SQL`SELECT CAST(group_concat(${raw(rowText(request))}, '') AS BLOB) AS encoded
      FROM (${keys}) AS chosen CROSS JOIN meetings ON meetings.id = chosen.id`;
}
