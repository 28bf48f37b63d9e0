import { fixedClock, memoryLimits, plainPasswords, recordingSender } from '@rollcall/core/testing';
import type { Container } from 'inversify';
import { createLog, type Log } from '#adapters/node/system/log.js';
import { assemble } from '#app/assembly/assemble.js';
import { ID } from '#app/assembly/identifiers.js';
import { readConfig } from '#app/config.js';
import { memoryStorageModule } from './memory-storage-module.js';
import { startStorage, storageOver } from './storage.js';
import { type StartTestService, type TestService, testNow, testSecretKey } from './test-service.js';

export interface StartAssembledService extends StartTestService {
  /** Variables of the configuration. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** The adapters that stay as the service has them, instead of a test double. */
  readonly real?: readonly (keyof Doubles)[];
  readonly override?: (container: Container) => void;
}

/**
 * Assembles the whole service without listening on a port, with the same test doubles as `startTestService`. `override` comes
 * after them.
 */
export async function startAssembledService({
  database = 'memory',
  environment = {},
  log = createLog({ level: 'silent' }),
  settings = {},
  ports = {},
  real = [],
  override,
}: StartAssembledService) {
  const started =
    typeof database === 'string'
      ? await startStorage(database)
      : storageOver({ database, stop: async () => {} });
  const clock = fixedClock(testNow);
  const webhookSender = recordingSender();
  const assembly = assemble({
    config: testConfig(environment),
    log,
    ...(started.database !== null && { database: started.database }),
  });
  if (started.database === null) assembly.load(memoryStorageModule(started.storage));
  else assembly.rebind(ID.storage).toConstantValue(started.storage);
  const doubles = testDoubles({ clock, webhookSender });
  for (const name of Object.keys(doubles) as (keyof Doubles)[])
    if (!real.includes(name)) assembly.rebind<unknown>(ID[name]).toConstantValue(doubles[name]);
  assembly.onActivation(ID.coreOptions, (_, defaults) => ({ ...defaults, ...settings }));
  assembly.onActivation(ID.ports, (_, defaults) => ({ ...defaults, ...ports }));
  override?.(assembly);
  return {
    assembly,
    core: assembly.get(ID.core),
    ports: assembly.get(ID.ports),
    keyring: assembly.get(ID.keyring),
    ...{ clock, webhookSender, database: started.database, load: started.load },
    async stop(): Promise<void> {
      // Its last calls would come after the database has another test.
      await assembly.get(ID.callLog).stop();
      await started.stop();
    },
  };
}

function testConfig(environment: Readonly<Record<string, string>>) {
  const variables = {
    SECRET_KEY: testSecretKey,
    // Never opened, because the storage of the test is used instead.
    DATABASE_URL: 'sqlite:rollcall.db',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    PAGE_LIMIT: '0',
    FEED_LIMIT: '0',
  };
  return readConfig({ ...variables, ...environment }, () => undefined);
}

type Doubles = ReturnType<typeof testDoubles>;

function testDoubles({ clock, webhookSender }: Pick<TestService, 'clock' | 'webhookSender'>) {
  return {
    clock: { ...clock, measure: async () => {}, aheadMs: () => null },
    limits: memoryLimits(clock),
    visitCounts: memoryLimits(clock),
    passwords: plainPasswords(),
    webhookSender,
    dispatcher: { wake() {}, start() {}, stop: async () => {} },
    securityLog: { record() {}, flush() {} },
  };
}
