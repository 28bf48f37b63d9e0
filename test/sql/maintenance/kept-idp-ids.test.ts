import assert from 'node:assert/strict';
import { anOrganization, aUser, type Dataset, testUuid } from '@rollcall/core/testing';
import { changeOf, instead } from '#core/testing/new-directory-person.js';
import { eachEngine } from '../../support/each-engine.js';
import { importInto, membership } from '../../support/import-records.js';

const people = [1, 2];
const dataset: Dataset = {
  organizations: [anOrganization(1)],
  users: people.map((id) => aUser(id)),
  memberships: people.map((userId) => ({ organizationId: 1, userId, role: 'member', idpId: null })),
};

eachEngine(
  'An import leaves the idp_id to the directory that keeps it',
  dataset,
  async ({ database, storage }) => {
    const kept = { ...changeOf(1), uuid: testUuid(1) };
    const written = await storage.directory.change(kept, instead({ externalId: 'ext-1' }));
    assert.equal(typeof written, 'object');
    const records = people.map((user_id) => ({ ...membership, user_id, idp_id: `platform-${user_id}` }));
    for (const _ of ['once', 'again']) await importInto(database, records);
    const found = await Promise.all(
      people.map(async (userId) => (await storage.members.byUserId({ organizationId: 1, userId }))?.idpId),
    );
    assert.deepEqual(found, ['ext-1', 'platform-2']);
  },
);
