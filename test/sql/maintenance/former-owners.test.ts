import assert from 'node:assert/strict';
import { anOrganization, aUser, type Dataset } from '@rollcall/core/testing';
import { eachEngine } from '../../support/each-engine.js';
import { importInto, membership } from '../../support/import-records.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const organizations = [1, 2];
const dataset: Dataset = {
  organizations: organizations.map((id) => anOrganization(id)),
  users: [aUser(1)],
  memberships: organizations.map((id) => ({ organizationId: id, userId: 1, role: 'owner', idpId: null })),
};

eachEngine(
  'The set-up link of an owner ends with an import that makes them an admin',
  dataset,
  async ({ database, storage }) => {
    for (const id of organizations) {
      const [hash, expiresAt] = [`link ${id}`, new Date(at.getTime() + 60_000)];
      await storage.setupLinks.store({ hash, organizationId: id, userId: 1, createdAt: at, expiresAt });
      await storage.sessions.create({
        ...{ hash: `session ${id}`, userId: 1, boundTo: id, startedBy: 'setup-link', sid: hash },
        ...{ createdAt: at, passwordHash: null },
      });
    }
    await importInto(database, [{ ...membership, organization_id: 1, user_id: 1, role: 'admin' }]);
    const left = organizations.map(async (id) => [
      (await storage.setupLinks.of(id))?.hash,
      (await storage.sessions.find(`session ${id}`))?.boundTo,
    ]);
    assert.deepEqual(await Promise.all(left), [
      [undefined, undefined],
      ['link 2', 2],
    ]);
  },
);
