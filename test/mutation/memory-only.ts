import { memoryStorage } from '@rollcall/core/testing';
import type { StartedDatabase } from '../support/storage.js';

/** Takes the place of `test/support/storage.ts`, so that mutation testing runs the tests over memory alone. */
export const databaseKinds = ['memory'] as const;

export async function startStorage(kind: string): Promise<StartedDatabase> {
  if (kind !== 'memory') throw new Error(`Mutation testing has no ${kind}.`);
  const storage = memoryStorage();
  return { database: null, storage, load: storage.load, stop: async () => {} };
}

export function storageOver(): never {
  throw new Error('Mutation testing has no databases.');
}
