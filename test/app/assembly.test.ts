import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoragePorts } from '@rollcall/core';
import { anOrganization, memoryStorage, recordingSender } from '@rollcall/core/testing';
import type { Container } from 'inversify';
import { createLog } from '#adapters/node/system/log.js';
import { assemble } from '#app/assembly/assemble.js';
import { ID } from '#app/assembly/identifiers.js';
import { readConfig } from '#app/config.js';
import { eventName } from '#core/testing/subscribe.js';
import { freePort } from '../support/app-cli.js';
import { memoryStorageModule } from '../support/memory-storage-module.js';
import { startStorage } from '../support/storage.js';

const log = createLog({ level: 'silent' });

const configOn = (port: number) =>
  readConfig(
    {
      PORT: String(port),
      DATABASE_URL: 'sqlite:rollcall.db',
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
    },
    () => undefined,
  );

function assembleOver(storage: StoragePorts, port = 3000): Container {
  const container = assemble({ config: configOn(port), log });
  container.load(memoryStorageModule(storage));
  return container;
}

describe('The container', () => {
  test('has a value for every name, and needs no other', async (t) => {
    const { database, stop } = await startStorage('sqlite');
    t.after(stop);
    assert.ok(database !== null);
    const container = assemble({ config: configOn(3000), log, database });
    for (const id of Object.values(ID)) container.get<unknown>(id);
  });

  test('creates each value once, when it is first requested', () => {
    let created = 0;
    const assembly = assembleOver(memoryStorage());
    assembly.rebind(ID.ids).toDynamicValue(() => {
      created += 1;
      return { uuid: () => 'an id' };
    });
    assert.equal(created, 0);
    assert.equal(assembly.get(ID.ports).ids, assembly.get(ID.ids));
    assert.equal(assembly.get(ID.core), assembly.get(ID.core));
    assert.equal(created, 1);
  });

  test('has no metrics if the configuration does not enable them', () => {
    assert.equal(assembleOver(memoryStorage()).get(ID.metrics), null);
  });

  test('passes an override to everything that needs the adapter', async () => {
    const storage = memoryStorage();
    const webhookSender = recordingSender();
    const assembly = assembleOver(storage);
    assembly.rebind(ID.webhookSender).toConstantValue(webhookSender);
    await storage.load({ organizations: [anOrganization(1)] });
    const core = assembly.get(ID.core);
    const organization = { id: 1, name: 'Northwind Wellness' };
    const webhook = { url: 'https://partner.test/', enabled: true, events: [eventName] };
    await core.configureWebhook({ organization, how: 'set', webhook });
    await core.testWebhook({ organization });
    assert.equal(webhookSender.sent.length, 1);
  });

  test('runs the whole service on in-memory storage with one override and no database', async () => {
    const port = await freePort();
    const service = assembleOver(memoryStorage(), port).get(ID.service);
    await service.start();
    try {
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      const page = await fetch(`http://127.0.0.1:${port}/sign-in`);
      assert.deepEqual([ready.status, page.status], [200, 200]);
    } finally {
      await service.stop();
    }
    await assert.rejects(fetch(`http://127.0.0.1:${port}/readyz`));
  });
});
