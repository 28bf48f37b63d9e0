import type { CoreOptions, Ports } from '@rollcall/core';
import { fixedClock, memoryLimits, plainPasswords, recordingSender } from '@rollcall/core/testing';
import { createLog, type Log } from '#adapters/node/system/log.js';
import { assemble } from '#app/assembly.js';
import { readConfig } from '#app/config.js';
import { type Bindings, provideChanged, provideValue } from '#app/container/bindings.js';
import { coreModule } from '#app/container/core.js';
import type { Assembly } from '#app/container.js';
import { memoryStorageModule } from './memory-storage-module.js';
import { type StartedDatabase, startStorage, storageOver } from './storage.js';
import { type StartTestService, type TestService, testNow, testSecretKey } from './test-service.js';

/** The whole service as the container assembles it, with the same test doubles as `startTestService`. */
export interface AssembledService extends TestService {
  readonly assembly: Assembly;
}

export interface StartAssembledService extends StartTestService {
  /** Variables of the configuration. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: Log;
  readonly overrides?: Bindings;
}

/** Assembles the service without listening on a port. Overrides replace the storage and the ports. */
export async function startAssembledService({
  database,
  environment = {},
  log = createLog({ level: 'silent' }),
  settings = {},
  ports = {},
  overrides = {},
}: StartAssembledService): Promise<AssembledService> {
  const started =
    typeof database === 'string'
      ? await startStorage(database)
      : storageOver({ database, stop: async () => {} });
  const clock = fixedClock(testNow);
  const webhookSender = recordingSender();
  const assembly = assemble(
    {
      config: testConfig(environment),
      log,
      ...(started.database !== null && { database: started.database }),
    },
    {
      ...storageOverride(started),
      ...testDoubles({ clock, webhookSender }),
      ...changed({ settings, ports }),
      ...overrides,
    },
  );
  return {
    assembly,
    core: assembly.get('core'),
    ports: assembly.get('ports'),
    keyring: assembly.get('keyring'),
    clock,
    webhookSender,
    database: started.database,
    load: started.load,
    stop: started.stop,
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

function storageOverride({ database, storage }: StartedDatabase): Bindings {
  return database === null ? memoryStorageModule(storage) : { storage: provideValue(storage) };
}

function testDoubles({ clock, webhookSender }: Pick<TestService, 'clock' | 'webhookSender'>): Bindings {
  return {
    clock: provideValue({ ...clock, measure: async () => {}, aheadMs: () => null }),
    limits: provideValue(memoryLimits(clock)),
    visitCounts: provideValue(memoryLimits(clock)),
    passwords: provideValue(plainPasswords()),
    webhookSender: provideValue(webhookSender),
    dispatcher: provideValue({ wake() {}, start() {}, stop: async () => {} }),
    securityLog: provideValue({ record() {}, flush() {} }),
  };
}

function changed({
  settings,
  ports,
}: {
  readonly settings: Partial<CoreOptions>;
  readonly ports: Partial<Ports>;
}): Bindings {
  return {
    coreOptions: provideChanged(coreModule.coreOptions, (defaults) => ({ ...defaults, ...settings })),
    ports: provideChanged(coreModule.ports, (defaults) => ({ ...defaults, ...ports })),
  };
}
