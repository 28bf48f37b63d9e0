import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret, type Secrets } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { assemble } from '#app/assembly/assemble.js';
import { ID } from '#app/assembly/identifiers.js';
import { readConfig } from '#app/config.js';
import { openConfiguredDatabase } from '#app/open-configured-database.js';

/**
 * A test program: one instance that sends pending deliveries and serves no requests. It does not use the network: each
 * attempt takes `SENDING_MS`. Every second it prints the number of finished attempts. SIGTERM ends it.
 */
async function main(given: NodeJS.ProcessEnv, sendingMs: number): Promise<void> {
  const config = readConfig(given, () => undefined);
  const log = createLog({ level: 'silent', destination: { write() {} } });
  const database = await openConfiguredDatabase(config, { log });
  const assembly = assemble({ config, database, log });
  let ended = 0;
  const { secrets, webhookSender } = assembly.get(ID.ports);
  Object.assign(secrets, {
    decrypt: () => new Secret('a secret'),
    sign: () => 'a signature',
  } satisfies Partial<Secrets>);
  Object.assign(webhookSender, {
    async send() {
      await pause(sendingMs);
      ended += 1;
      return {
        duration: sendingMs,
        outcome: 'delivered',
        phase: 'answer',
        status: 200,
        reason: 'answered 200',
      };
    },
  });
  const dispatcher = assembly.get(ID.dispatcher);
  dispatcher.start(assembly.get(ID.core).deliverWebhooks);
  const timer = setInterval(() => writeSync(1, `${ended}\n`), 1000);
  process.once('SIGTERM', async () => {
    clearInterval(timer);
    await dispatcher.stop();
    await database.close();
  });
}

if (process.env.SENDING_MS !== undefined) await main(process.env, Number(process.env.SENDING_MS));
