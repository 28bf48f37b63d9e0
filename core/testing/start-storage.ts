import type { StoragePorts } from '../ports.js';
import type { Dataset } from './dataset.js';
import { type ContractTest, promise } from './expect.js';

/** An empty storage for one test. */
export interface StartedStorage {
  readonly storage: StoragePorts;
  /** Adds the records, or replaces those with the same key. */
  load(dataset: Dataset): Promise<void>;
  stop(): Promise<void>;
}

export type StartStorage = () => Promise<StartedStorage>;

/** Makes a test of one port. `name` does not name the port; `work` gets an empty storage. */
export type MakeTest = (name: string, work: (started: StartedStorage) => Promise<void>) => ContractTest;

/** Makes a test that gets its own storage, which is stopped even if the test fails. */
export function storageTest(
  start: StartStorage,
  name: string,
  work: (started: StartedStorage) => Promise<void>,
): ContractTest {
  return promise(name, async () => {
    const started = await start();
    try {
      await work(started);
    } finally {
      await started.stop();
    }
  });
}
