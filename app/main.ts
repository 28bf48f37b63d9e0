import { assemble } from './assembly.js';
import { type Bindings, provideValue } from './container/bindings.js';
import { openServedDatabase, type ServeDatabase } from './served-database.js';
import type { Service } from './service.js';

export interface StartService extends ServeDatabase {
  /** Adapters that replace the usual ones. */
  readonly overrides?: Bindings;
  /** The id of this run of the process, if its log lines already have one. */
  readonly instanceId?: string;
}

/** A service that was started. Stopping it closes the database too. */
export type StartedService = Pick<Service, 'stop' | 'errorTracker'>;

/** Opens the database and starts the service over it. If any step fails, the steps before it are undone. */
export async function startService({
  overrides,
  instanceId,
  ...options
}: StartService): Promise<StartedService> {
  const { config, log } = options;
  const identity = instanceId === undefined ? {} : { instanceId: provideValue(instanceId) };
  const { database, close } = await openServedDatabase(options);
  try {
    const service = assemble({ config, log, database }, { ...identity, ...overrides }).get('service');
    await service.start();
    return {
      errorTracker: service.errorTracker,
      async stop() {
        await service.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
