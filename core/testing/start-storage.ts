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

/** The ports that a test gets, all over the same data, and what adds records to it. */
export interface TestStorage extends StoragePorts {
  load(dataset: Dataset): Promise<void>;
}

/** Makes a test of one port. `name` does not name the port. */
export type MakeTest = (name: string, work: (storage: TestStorage) => Promise<void>) => ContractTest;

/**
 * Makes the tests of one port. Each gets its own storage, prepared as given, which is stopped even if the test fails.
 */
export function storageTests(
  start: StartStorage,
  port: string,
  prepare: (storage: TestStorage) => Promise<void> = async () => {},
): MakeTest {
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
  return (name, work) => {
    const test = async (storage: TestStorage): Promise<void> => {
      await prepare(storage);
      await work(storage);
    };
    // A storage in memory keeps every promise, so the test gets to its end there.
    const needs = async (): Promise<readonly StorageMethod[]> => {
      const used = new Set<StorageMethod>();
      await test(recordingStorage(used));
      return [...used].sort();
    };
    const missing = async ({ storage }: StartedStorage<PartOfStorage>): Promise<readonly StorageMethod[]> =>
      lackedBy(storage, storageMethods()).length === 0 ? [] : lackedBy(storage, await needs());
    const run = (): Promise<void> =>
      inStorage(async (started) => {
        const lacked = await missing(started);
        if (lacked.length > 0) throw new Error(`The storage lacks ${lacked.join(', ')}`);
        const { storage, load } = started as StartedStorage;
        await test({ ...storage, load });
      });
    return { ...promise(`${port}: ${name}`, run), needs, missing: () => inStorage(missing) };
  };
}
