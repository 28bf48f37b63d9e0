import { join } from 'node:path';
import { openDatabase } from '#adapters/sql/index.js';
import { transferDatabase } from '#adapters/sql/maintenance/index.js';
import { temporaryDirectory } from '../support/app-cli.js';
import {
  fillLargeOrganization,
  type LargeKeys,
  type LargeOrganization,
} from '../support/large-organization.js';
import { isSmall } from './data.js';
import type { Bench } from './measurement.js';

export const largeSize: LargeOrganization = isSmall
  ? { meetings: 5_000, people: 1_000, upcoming: 500, logged: 2_000 }
  : { meetings: 100_000, people: 20_000, upcoming: 1_000, logged: 50_000 };

/** Another database of the same engine, with a large and a small organization. */
export async function largeDatabase(
  { engine, databases }: Pick<Bench, 'engine'> & { readonly databases: Pick<Bench['databases'], 'another'> },
  name: string,
): Promise<{ readonly url: string; readonly keys: LargeKeys }> {
  const directory = temporaryDirectory();
  try {
    const url = await databases.another(name);
    const database = await openDatabase(
      engine === 'SQLite' ? url : `sqlite:${join(directory.path, `${name}.db`)}`,
      { serves: false },
    );
    try {
      await database.migrate();
      const keys = await fillLargeOrganization(database, largeSize);
      if (engine === 'SQLite') return { url, keys };
      const target = await openDatabase(url, { serves: false });
      try {
        await target.migrate();
        await transferDatabase({ from: database, to: target });
      } finally {
        await target.close();
      }
      return { url, keys };
    } finally {
      await database.close();
    }
  } finally {
    directory.remove();
  }
}
