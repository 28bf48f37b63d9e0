import { anOrganization } from './dataset.js';
import type { ContractTest } from './expect.js';
import { type StartedStorage, type StartStorage, storageTest } from './start-storage.js';
import { subscribe } from './subscribe.js';

/** Makes a test that starts with an enabled webhook in each of the organizations 1 and 2. */
export function webhooksTest(
  start: StartStorage,
  name: string,
  work: (started: StartedStorage) => Promise<void>,
): ContractTest {
  return storageTest(start, name, async (started) => {
    await started.load({ organizations: [anOrganization(1), anOrganization(2)] });
    await subscribe(started.storage, [1, 2]);
    await work(started);
  });
}
