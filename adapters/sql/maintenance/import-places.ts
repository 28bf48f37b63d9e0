import type { Database, Sql } from '../engine/database.js';
import { execute } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';

/** How far a file has been imported. */
export interface ImportPlace {
  /** Differs for another file at the same path. */
  readonly identity: string;
  /** The number of bytes that are imported. */
  readonly position: number;
  /** The number of lines that are imported. */
  readonly line: number;
}

const storedPlace = storedIn('import_places', { identity: 'text', position: 'whole', line: 'whole' });

/** Returns the place in the file at this path, or null if it was never imported. */
export function importPlace({ read }: Pick<Database, 'read'>, file: string): Promise<ImportPlace | null> {
  return storedPlace.first(read)`FROM import_places WHERE file = ${file}`;
}

/** Another process has stored a place in the file meanwhile. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

export interface StorePlace extends ImportPlace {
  readonly file: string;
  readonly at: Date;
  /** The places that may be stored now. Null: none. */
  readonly expected: readonly (ImportPlace | null)[];
}

/**
 * Stores the place, in the transaction of the import. Throws `PlaceTaken` if another one is stored than is expected, so
 * that of two processes that read the same file, the slower one does not store old records over new ones.
 */
export async function storeImportPlace(sql: Sql, place: StorePlace): Promise<void> {
  const { file, at, expected, identity, position, line } = place;
  for (const before of expected) {
    const { changes } =
      before === null
        ? await execute(sql)`INSERT INTO import_places (file, identity, position, line, updated_at)
            VALUES (${file}, ${identity}, ${position}, ${line}, ${at})
            ON CONFLICT (file) DO NOTHING`
        : await execute(sql)`UPDATE import_places
            SET identity = ${identity}, position = ${position}, line = ${line}, updated_at = ${at}
            WHERE file = ${file} AND identity = ${before.identity} AND position = ${before.position}`;
    if (changes === 1) return;
  }
  throw new PlaceTaken(`Another process has stored a place in ${file}`);
}
