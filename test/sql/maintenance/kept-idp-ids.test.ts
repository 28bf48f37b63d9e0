import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { changeOf, instead } from '#core/testing/new-directory-person.js';
import { membership, ndjson, rules } from '../../support/import-records.js';
import { startStorage } from '../../support/storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');

for (const engine of ['sqlite', 'postgres'] as const)
  test(`An import leaves the idp_id to the directory that keeps it, over ${engine}`, async () => {
    const { database, storage, load, stop } = await startStorage(engine);
    try {
      assert.ok(database);
      const people = [1, 2];
      const idpId = null;
      await load({
        organizations: [anOrganization(1)],
        users: people.map((id) => aUser(id)),
        memberships: people.map((userId) => ({ organizationId: 1, userId, role: 'member', idpId })),
      });
      const kept = { ...changeOf(1), uuid: testUuid(1) };
      const written = await storage.directory.change(kept, instead({ externalId: 'ext-1' }));
      assert.equal(typeof written, 'object');
      const records = people.map((user_id) => ({ ...membership, user_id, idp_id: `platform-${user_id}` }));
      for (const _ of ['once', 'again']) {
        const source = Readable.from([Buffer.from(ndjson(...records))]);
        await loadDataset({ database, source, rules, at });
      }
      const found = await Promise.all(
        people.map(async (userId) => (await storage.members.byUserId({ organizationId: 1, userId }))?.idpId),
      );
      assert.deepEqual(found, ['ext-1', 'platform-2']);
    } finally {
      await stop();
    }
  });
