import { test } from 'node:test';
import type { Dataset } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { type StartedDatabase, startStorage } from './storage.js';

/** A test over each engine, in a database of its own that has the dataset at first. */
export function eachEngine(
  name: string,
  dataset: Dataset,
  work: (given: Pick<StartedDatabase, 'storage'> & { readonly database: Database }) => Promise<void>,
): void {
  for (const engine of ['sqlite', 'postgres'] as const)
    test(`${name}, over ${engine}`, async (t) => {
      const { database, storage, load, stop } = await startStorage(engine);
      t.after(stop);
      if (database === null) throw new Error('there is no database');
      await load(dataset);
      await work({ database, storage });
    });
}
