import type { StoragePorts } from '@rollcall/core';
import { provideValue } from '#app/container/bindings.js';
import type { StorageBindings } from '#app/container/storage.js';

/** Overrides every binding that needs a database, so that the service runs over storage in memory. */
export function memoryStorageModule(storage: StoragePorts): StorageBindings {
  return {
    storage: provideValue(storage),
    isShared: provideValue(false),
    sharedTime: provideValue(null),
    sharedLimits: provideValue(null),
    readiness: provideValue(async () => [
      { name: 'database', state: 'ok' },
      { name: 'migrations', state: 'ok' },
    ]),
    storageMetrics: provideValue({
      backlog: async () => ({ pending: 0, sending: 0, held: 0, failed: 0, oldestPending: null }),
      pools: () => [],
    }),
    requestDeadline: provideValue((_response, handle) => handle()),
    prune: provideValue(async () => ({
      sessions: 0,
      loginLinks: 0,
      deliveries: 0,
      events: 0,
      deletions: 0,
      auditEntries: 0,
      invitations: 0,
    })),
    secretKeyStore: provideValue({
      adopt: async () => true,
      recordUse: async () => {},
      needs: async () => [],
      organizationsNeeding: async () => [],
    }),
    adoptDeployment: provideValue(async () => ({
      isCopy: false,
      held: 0,
      movedFrom: null,
      recordClaims: async () => {},
      close() {},
    })),
    imports: provideValue({
      start() {},
      run: async () => {
        throw new Error('storage in memory has no imports');
      },
      stop: async () => {},
      kept: async () => null,
      last: async () => null,
      noteDeliveries() {},
    }),
    instanceStore: provideValue({ record: async () => {}, remove: async () => {}, list: async () => [] }),
  };
}
