import type { StoragePorts } from '@rollcall/core';
import { ContainerModule } from 'inversify';
import { ID } from '#app/assembly/identifiers.js';

/** Replaces every binding that needs a database, so that the service runs over storage in memory. */
export function memoryStorageModule(storage: StoragePorts): ContainerModule {
  return new ContainerModule(({ rebind }) => {
    rebind(ID.storage).toConstantValue(storage);
    rebind(ID.isShared).toConstantValue(false);
    rebind(ID.sharedTime).toConstantValue(null);
    rebind(ID.sharedLimits).toConstantValue(null);
    rebind(ID.readiness).toConstantValue(async () => [
      { name: 'database', state: 'ok' },
      { name: 'migrations', state: 'ok' },
    ]);
    rebind(ID.hearing).toConstantValue({ start() {}, stop() {}, hears: () => false });
    rebind(ID.storageMetrics).toConstantValue({
      backlog: async () => ({ pending: 0, sending: 0, held: 0, failed: 0, oldestPending: null }),
      pools: () => [],
    });
    rebind(ID.requestDeadline).toConstantValue((_response, handle) => handle());
    rebind(ID.history).toConstantValue(null);
    rebind(ID.prune).toConstantValue(async () => ({
      sessions: 0,
      loginLinks: 0,
      deliveries: 0,
      events: 0,
      deletions: 0,
      auditEntries: 0,
      invitations: 0,
    }));
    rebind(ID.secretKeyStore).toConstantValue({
      adopt: async () => true,
      recordUse: async () => {},
      needs: async () => [],
      organizationsNeeding: async () => [],
    });
    rebind(ID.adoptDeployment).toConstantValue(async () => ({
      isCopy: false,
      held: 0,
      movedFrom: null,
      recordClaims: async () => {},
      close() {},
    }));
    rebind(ID.imports).toConstantValue({
      start() {},
      run: async () => {
        throw new Error('storage in memory has no imports');
      },
      stop: async () => {},
      kept: async () => null,
      last: async () => null,
      noteDeliveries() {},
    });
    rebind(ID.instanceStore).toConstantValue({
      record: async () => {},
      remove: async () => {},
      list: async () => [],
    });
  });
}
