import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { membership, ndjson, rules } from '../../support/import-records.js';
import { startStorage } from '../../support/storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');

for (const engine of ['sqlite', 'postgres'] as const)
  test(`The set-up link of an owner ends with an import that makes them an admin, over ${engine}`, async () => {
    const { database, storage, load, stop } = await startStorage(engine);
    try {
      assert.ok(database);
      const organizations = [1, 2];
      await load({
        organizations: organizations.map((id) => anOrganization(id)),
        users: [aUser(1)],
        memberships: organizations.map((id) => ({
          ...{ organizationId: id, userId: 1, role: 'owner', idpId: null },
        })),
      });
      for (const id of organizations) {
        const [hash, expiresAt] = [`link ${id}`, new Date(at.getTime() + 60_000)];
        await storage.setupLinks.store({ hash, organizationId: id, userId: 1, createdAt: at, expiresAt });
        await storage.sessions.create({
          ...{ hash: `session ${id}`, userId: 1, boundTo: id, startedBy: 'setup-link', sid: hash },
          ...{ createdAt: at, passwordHash: null },
        });
      }
      const record = { ...membership, organization_id: 1, user_id: 1, role: 'admin' };
      await loadDataset({ database, source: Readable.from([Buffer.from(ndjson(record))]), rules, at });
      const left = organizations.map(async (id) => [
        (await storage.setupLinks.of(id))?.hash,
        (await storage.sessions.find(`session ${id}`))?.boundTo,
      ]);
      assert.deepEqual(await Promise.all(left), [
        [undefined, undefined],
        ['link 2', 2],
      ]);
    } finally {
      await stop();
    }
  });
