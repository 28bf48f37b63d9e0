import { randomIds } from '@rollcall/node';
import { createLog } from '@rollcall/node/log';
import { exposureWarnings } from '../config/exposure.js';
import { processEnvironment, readConfig } from '../config.js';
import { shutdownOnSignals } from '../shutdown.js';
import { startService } from '../start-service.js';
import { say } from '../terminal.js';
import { machineTimeZoneData, timeZoneData } from '../time-zone-data.js';
import { revision } from '../version.js';

export async function serveCommand(options: {
  readonly migrate: boolean;
  readonly json?: boolean;
}): Promise<void> {
  const config = readConfig(processEnvironment, say);
  const instanceId = randomIds.uuid();
  const log = createLog({
    level: config.logLevel,
    facts: { instance: instanceId, revision: revision() },
    ...(options.json === true && { pretty: false }),
  });
  for (const warning of exposureWarnings(processEnvironment, config)) log.warn(warning);
  const service = await startService({ config, log, migrate: options.migrate, instanceId });
  shutdownOnSignals(service, log);
  const { host, port, publicUrl } = config;
  const zones = { timeZoneData, machineTimeZoneData: await machineTimeZoneData() };
  log.info({ host, port, publicUrl, ...zones }, 'Listening');
}
