import type { StoragePorts } from '../ports.js';
import type { Dataset } from './dataset.js';
import { type ContractTest, promise } from './expect.js';

/** An empty storage for one test. */
export interface StartedStorage {
  /** The ports under test, all over the same data. */
  readonly storage: StoragePorts;
  /** Adds the records, or replaces those with the same key. */
  load(dataset: Dataset): Promise<void>;
  /** Called once when the test has ended, even if it failed. Close connections and delete the data here. */
  stop(): Promise<void>;
}

/** Called once for each test. The storages of two tests share no data. */
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
