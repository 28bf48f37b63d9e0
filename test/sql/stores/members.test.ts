import assert from 'node:assert/strict';
import { anOrganization, aUser, type Dataset, testUuid } from '@rollcall/core/testing';
import { eachEngine } from '../../support/each-engine.js';

const at = new Date('2026-11-20T12:00:00.000Z');

const dataset: Dataset = {
  organizations: [anOrganization(1)],
  users: [aUser(1), aUser(2)],
  memberships: [{ organizationId: 1, userId: 2, role: 'member', idpId: null }],
};

// Today every writer refuses such an id. Earlier releases did not.
eachEngine(
  'a person joins without the idp_id of their invitation if another member has it',
  dataset,
  async ({ database, storage }) => {
    const { invitations, members } = storage;
    const { email, firstName, lastName } = aUser(1);
    const invited = {
      ...{ id: testUuid(10), organizationId: 1, userUuid: testUuid(11), email, firstName, lastName },
      ...{ idpId: 'taken', keyId: 'key', invitedBy: null, createdAt: at },
      ...({ role: 'member', expiresAt: null } as const),
    } as const;
    await invitations.findOrCreatePending(invited);
    await database.write((sql) => sql.run(`UPDATE memberships SET idp_id = 'taken' WHERE user_id = 2`, []));

    const member = await members.register({
      organizationId: 1,
      user: { id: 1 },
      uuid: null,
      role: 'member',
      idpId: null,
      invitationId: null,
      at,
    });
    assert.deepEqual(member, {
      organizationId: 1,
      user: aUser(1),
      uuid: invited.userUuid,
      role: 'member',
      idpId: null,
      joinedAt: at,
    });
    assert.deepEqual(await members.byUserId({ organizationId: 1, userId: 1 }), member);
    assert.deepEqual((await invitations.byId(invited.id))?.acceptedAt, at);
  },
);
