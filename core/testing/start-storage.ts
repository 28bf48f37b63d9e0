import type { StoragePorts } from '../ports.js';
import type { Dataset } from './dataset.js';
import { type ContractTest, promise } from './expect.js';
import {
  lackedBy,
  type PartOfStorage,
  recordingStorage,
  type StorageMethod,
  storageMethods,
} from './part-of-storage.js';

/** An empty storage for one test. */
export interface StartedStorage<Storage = StoragePorts> {
  /** The ports under test, all over the same data. */
  readonly storage: Storage;
  /** Adds the records, or replaces those with the same key. */
  load(dataset: Dataset): Promise<void>;
  /** Called once when the test has ended, even if it failed. Close connections and delete the data here. */
  stop(): Promise<void>;
}

/** Called once for each test. The storages of two tests share no data. */
export type StartStorage = () => Promise<StartedStorage<PartOfStorage>>;

/** Makes a test of one port. `name` does not name the port; `work` gets an empty storage. */
export type MakeTest = (name: string, work: (started: StartedStorage) => Promise<void>) => ContractTest;

/** Makes a test that gets its own storage, which is stopped even if the test fails. */
export function storageTest(
  start: StartStorage,
  name: string,
  work: (started: StartedStorage) => Promise<void>,
): ContractTest {
  const inStorage = async <Result>(
    use: (started: StartedStorage<PartOfStorage>) => Promise<Result>,
  ): Promise<Result> => {
    const started = await start();
    try {
      return await use(started);
    } finally {
      await started.stop();
    }
  };
  // A storage in memory keeps every promise, so the test gets to its end there.
  const needs = async (): Promise<readonly StorageMethod[]> => {
    const used = new Set<StorageMethod>();
    const { load, ...storage } = recordingStorage(used);
    await work({ storage, load, stop: async () => {} });
    return [...used].sort();
  };
  const missing = async ({ storage }: StartedStorage<PartOfStorage>): Promise<readonly StorageMethod[]> =>
    lackedBy(storage, storageMethods()).length === 0 ? [] : lackedBy(storage, await needs());
  const run = (): Promise<void> =>
    inStorage(async (started) => {
      const lacked = await missing(started);
      if (lacked.length > 0) throw new Error(`The storage lacks ${lacked.join(', ')}`);
      await work(started as StartedStorage);
    });
  return { ...promise(name, run), needs, missing: () => inStorage(missing) };
}
