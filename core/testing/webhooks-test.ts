import { anOrganization } from './dataset.js';
import type { ContractTest } from './expect.js';
import { noon } from './queue-events.js';
import { type StartedStorage, type StartStorage, storageTest } from './start-storage.js';

/** Makes a test that starts with an enabled webhook in each of the organizations 1 and 2. */
export function webhooksTest(
  start: StartStorage,
  name: string,
  work: (started: StartedStorage) => Promise<void>,
): ContractTest {
  return storageTest(start, name, async (started) => {
    await started.load({ organizations: [anOrganization(1), anOrganization(2)] });
    for (const organizationId of [1, 2]) {
      await started.storage.webhooks.configure(organizationId, () => ({
        url: 'https://partner.test/',
        enabled: true,
        events: ['user.registered'],
        encryptedSecret: 'sealed',
        previousSecret: null,
        createdAt: noon,
        updatedAt: noon,
      }));
    }
    await work(started);
  });
}
