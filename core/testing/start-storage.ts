import type { StoragePorts } from '../ports.js';
import type { Dataset } from './dataset.js';
import type { ContractTest } from './expect.js';

/** An empty storage of its own for one test. */
export interface StartedStorage {
  readonly storage: StoragePorts;
  /** Adds the records, or replaces those with the same key. */
  load(dataset: Dataset): Promise<void>;
  stop(): Promise<void>;
}

export type StartStorage = () => Promise<StartedStorage>;

/** Makes a test of one port from its name without the port, and what it does with a fresh storage. */
export type MakeTest = (name: string, work: (started: StartedStorage) => Promise<void>) => ContractTest;

/** A test that gets a storage of its own, which is stopped whatever happens. */
export function storageTest(
  start: StartStorage,
  name: string,
  work: (started: StartedStorage) => Promise<void>,
): ContractTest {
  return {
    name,
    async run() {
      const started = await start();
      try {
        await work(started);
      } finally {
        await started.stop();
      }
    },
  };
}
