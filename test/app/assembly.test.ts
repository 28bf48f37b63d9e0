import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrganization, memoryStorage, recordingSender } from '@rollcall/core/testing';
import { createLog } from '#adapters/node/system/log.js';
import { assemble, modules } from '#app/assembly.js';
import { readConfig } from '#app/config.js';
import { type Provider, provide, provideValue } from '#app/container/bindings.js';
import { freePort } from '../support/app-cli.js';
import { memoryStorageModule } from '../support/memory-storage-module.js';

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

describe('The container', () => {
  test('has a binding for every name that another binding needs', () => {
    const bound = new Set([
      'config',
      'log',
      'database',
      ...modules.flatMap((bindings) => Object.keys(bindings)),
    ]);
    const needed = modules.flatMap((bindings) =>
      Object.entries(bindings).flatMap(([name, { needs }]: [string, Provider<unknown>]) =>
        needs.map((need) => ({ name, need })),
      ),
    );
    assert.ok(needed.length > 50);
    assert.deepEqual(
      needed.filter(({ need }) => !bound.has(need)),
      [],
    );
  });

  test('creates each value once, when it is first requested', () => {
    let created = 0;
    const assembly = assemble(
      { config: configOn(3000), log },
      {
        ...memoryStorageModule(memoryStorage()),
        ids: provide([], () => {
          created += 1;
          return { uuid: () => 'an id' };
        }),
      },
    );
    assert.equal(created, 0);
    assert.equal(assembly.get('ports').ids, assembly.get('ids'));
    assert.equal(assembly.get('core'), assembly.get('core'));
    assert.equal(created, 1);
  });

  test('has no metrics if the configuration does not enable them', () => {
    const assembly = assemble({ config: configOn(3000), log }, memoryStorageModule(memoryStorage()));
    assert.equal(assembly.get('metrics'), null);
  });

  test('passes an override to everything that needs the adapter', async () => {
    const storage = memoryStorage();
    const webhookSender = recordingSender();
    const assembly = assemble(
      { config: configOn(3000), log },
      { ...memoryStorageModule(storage), webhookSender: provideValue(webhookSender) },
    );
    await storage.load({ organizations: [anOrganization(1)] });
    const core = assembly.get('core');
    const organization = { id: 1, name: 'Northwind Wellness' };
    const webhook = { url: 'https://partner.test/', enabled: true, events: ['user.registered'] };
    await core.configureWebhook({ organization, how: 'set', webhook });
    await core.testWebhook({ organization });
    assert.equal(webhookSender.sent.length, 1);
  });

  test('runs the whole service on in-memory storage with one override and no database', async () => {
    const port = await freePort();
    const service = assemble({ config: configOn(port), log }, memoryStorageModule(memoryStorage())).get(
      'service',
    );
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
