import type { CoreOptions, Ports } from '@rollcall/core';
import { fixedClock, memoryLimits, plainPasswords, recordingSender } from '@rollcall/core/testing';
import { createLog, type Log } from '#adapters/system/log.js';
import { assemble } from '#app/assembly.js';
import { readConfig } from '#app/config.js';
import { type Bindings, provideChanged, provideValue } from '#app/container/bindings.js';
import { coreModule } from '#app/container/core.js';
import type { Assembly } from '#app/container.js';
import { memoryStorageModule } from './memory-storage-module.js';
import { type StartedDatabase, startStorage, storageOver } from './storage.js';
import { type StartTestService, type TestService, testNow, testSecretKey } from './test-service.js';

/** The whole service as the container puts it together, with the same stand-ins as a test's service. */
export interface AssembledService extends TestService {
  readonly assembly: Assembly;
}

export interface StartAssembledService extends StartTestService {
  /** Variables of the configuration. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: Log;
  readonly overrides?: Bindings;
}

/** Starts nothing that listens. One override puts it over storage in memory; other storage has a database. */
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
      ...standIns({ clock, webhookSender }),
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
    // Nothing opens it: the storage of the test is open already.
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

function standIns({ clock, webhookSender }: Pick<TestService, 'clock' | 'webhookSender'>): Bindings {
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
    coreOptions: provideChanged(coreModule.coreOptions, (usual) => ({ ...usual, ...settings })),
    ports: provideChanged(coreModule.ports, (usual) => ({ ...usual, ...ports })),
  };
}
