import type { Ports } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { ID } from '#app/assembly/identifiers.js';
import { readConfig } from '#app/config.js';
import { type StartedService, startService } from '#app/start-service.js';
import { prepareSite, unfinished } from '../support/fault/service.js';
import { type Answer, startReceiver } from '../support/receiver.js';
import { type Cluster, SECRET_KEY } from './cluster.js';

/** One instance on an SQLite file, in this process, with something wrong in its ports. */
export async function brokenCluster({
  organizations,
  answer,
  breakPorts,
}: {
  readonly organizations: number;
  readonly answer: Answer;
  readonly breakPorts: (ports: Ports) => void;
}): Promise<Cluster> {
  const receiver = await startReceiver({ answer });
  const site = await prepareSite({
    webhookUrls: Array(organizations).fill(null),
    authority: receiver.authority,
  });
  let service: StartedService | null = null;
  return {
    instances: [
      {
        url: site.url,
        operatorUrl: null,
        async start() {
          service = await startService({
            config: readConfig({ ...site.env, PAGE_LIMIT: '0' }, () => undefined),
            log: createLog({ level: 'silent', destination: { write() {} } }),
            migrate: true,
            override: (container) =>
              container
                .rebind(ID.preparation)
                .toConstantValue(async () => breakPorts(container.get(ID.ports))),
          });
        },
        async stop() {
          await service?.stop();
        },
        freeze: () => undefined,
        thaw: () => undefined,
        errors: () => [],
      },
    ],
    publicUrl: site.url,
    secretKey: SECRET_KEY,
    receiver,
    organizations: site.organizations,
    embedded: site.embedded,
    unfinished: async () => unfinished(site.file),
    ageAbandonedClaims: async () => {},
    storedText: async () => '',
    disk: null,
    lock: null,
    database: null,
    async remove() {
      await site.remove();
      await receiver.stop();
    },
  };
}
