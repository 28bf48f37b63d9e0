import type { Container } from 'inversify';
import { ID } from './assembly/identifiers.js';
import { openServedDatabase, type ServeDatabase } from './served-database.js';
import type { Service } from './service.js';

export interface StartService extends ServeDatabase {
  /** Replaces adapters before the first is created. */
  readonly override?: (container: Container) => void;
  /** The id of this run of the process, if its log lines already have one. */
  readonly instanceId?: string;
}

/** A service that was started. Stopping it closes the database too. */
export type StartedService = Pick<Service, 'stop' | 'errorTracker'>;

/** Opens the database and starts the service over it. If any step fails, the steps before it are undone. */
export async function startService({
  override,
  instanceId,
  ...options
}: StartService): Promise<StartedService> {
  const { config, log } = options;
  const opening = openServedDatabase(options);
  // Loaded while PostgreSQL answers: it is most of what a start loads.
  const loading = import('./assembly/assemble.js');
  // Thrown below, when the database can be closed.
  loading.catch(() => {});
  const { database, close } = await opening;
  try {
    const { assemble } = await loading;
    const container = assemble({ config, log, database });
    if (instanceId !== undefined) container.rebind(ID.instanceId).toConstantValue(instanceId);
    override?.(container);
    const service = container.get(ID.service);
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
