import type { Database, Sql } from '../engine/database.js';

/** How far a file has been imported. */
export interface ImportPlace {
  /** Differs for another file at the same path. */
  readonly identity: string;
  /** The number of bytes that are imported. */
  readonly position: number;
  /** The number of lines that are imported. */
  readonly line: number;
}

/** Returns the place in the file at this path, or null if it was never imported. */
export async function importPlace(
  { read }: Pick<Database, 'read'>,
  file: string,
): Promise<ImportPlace | null> {
  const row = await read.get<ImportPlace>(
    'SELECT identity, position, line FROM import_places WHERE file = ?',
    [file],
  );
  return row === undefined ? null : { identity: row.identity, position: row.position, line: row.line };
}

/** Stores the place, in the transaction of the import. */
export async function storeImportPlace(
  sql: Sql,
  { file, at, identity, position, line }: ImportPlace & { readonly file: string; readonly at: Date },
): Promise<void> {
  await sql.run(
    `INSERT INTO import_places (file, identity, position, line, updated_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (file) DO UPDATE SET identity = excluded.identity, position = excluded.position,
      line = excluded.line, updated_at = excluded.updated_at`,
    [file, identity, position, line, at],
  );
}
