import type { Core, Ports } from '@rollcall/core';
import { createLog, type Log } from '#adapters/node/system/log.js';
import { ID } from '#app/assembly/identifiers.js';
import { readConfig } from '#app/config.js';
import { startService } from '#app/start-service.js';

interface StartCore {
  /** Left out, nothing is logged. */
  readonly log?: Log;
  /** Changes the ports before they are used. */
  readonly change?: (ports: Ports) => void;
}

/** Starts the product in this process, and gives its core. */
export async function startCore(environment: NodeJS.ProcessEnv, { log, change }: StartCore = {}) {
  const started: { core?: Core } = {};
  const service = await startService({
    config: readConfig(environment, () => undefined),
    log: log ?? createLog({ level: 'silent', destination: { write() {} } }),
    migrate: true,
    override: (container) =>
      container.rebind(ID.preparation).toConstantValue(async () => {
        started.core = container.get(ID.core);
        change?.(container.get(ID.ports));
      }),
  });
  if (started.core === undefined) throw new Error('the service was not prepared');
  return { service, core: started.core };
}
