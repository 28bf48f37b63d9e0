import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { by, peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

const { uuid } = aUser(3);

describe('setIdpId', () => {
  peopleTest('sets, changes and removes the id, by which the meetings are found', async ({ core }) => {
    const meetings = (idpId: string) => core.listUpcomingMeetings({ organization, idpId });
    const set = await core.setIdpId({ organization, uuid: uuid.toUpperCase(), idpId: 'idp-3' });
    assert.deepEqual([set.user.id, set.idpId], [3, 'idp-3']);
    assert.deepEqual(await core.readUser({ organization, uuid }), set);
    assert.equal((await meetings('idp-3')).totalItems, 0);
    await core.setIdpId({ organization, uuid, idpId: 'other' });
    await assert.rejects(meetings('idp-3'), refused('member-not-found'));
    assert.equal((await core.setIdpId({ organization, uuid, idpId: null })).idpId, null);
    await assert.rejects(meetings('other'), refused('member-not-found'));
    assert.equal((await core.readMember({ organization: { id: 2 }, userId: 3 })).idpId, null);
  });

  peopleTest(
    'refuses ids that another member or a pending invitation has, and malformed ones',
    async ({ core }) => {
      await core.setIdpId({ organization, uuid: aUser(2).uuid, idpId: 'idp-2' });
      const set = (idpId: string | null) => core.setIdpId({ organization, uuid, idpId });
      await assert.rejects(set('idp-2'), refused('invalid-request', 'idpId belongs to another member'));
      const invited = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim', idpId: 'invited' };
      await core.inviteUser({ organization, ...invited });
      const ofInvitation = refused('invalid-request', 'idpId belongs to a pending invitation');
      await assert.rejects(set('invited'), ofInvitation);
      await assert.rejects(set(''), refused('invalid-request', 'idpId must not be empty'));
      await assert.rejects(
        set('x'.repeat(501)),
        refused('invalid-request', 'idpId must have at most 500 characters'),
      );
      await assert.rejects(set('a\0'), refused('invalid-request'));
      for (const spaced of [' a', 'a ', '\u00a0a', 'a\u3000'])
        await assert.rejects(
          set(spaced),
          refused('invalid-request', 'idpId must not begin or end with a space'),
        );
      assert.equal((await set('x'.repeat(500))).idpId?.length, 500);
      const elsewhere = await core.setIdpId({ organization: { id: 2 }, uuid, idpId: 'idp-2' });
      assert.equal(elsewhere.idpId, 'idp-2');
    },
  );

  peopleTest('refuses to replace another id than the one that the caller has seen', async ({ core }) => {
    const set = (idpId: string | null, replaces: string | null) =>
      core.setIdpId({ organization, uuid, idpId, replaces });
    await set('idp-3', null);
    const changed = refused('invalid-request', 'idpId was changed to idp-3 in the meantime');
    await assert.rejects(set('other', null), changed);
    await set(null, 'idp-3');
    const removed = refused('invalid-request', 'idpId was removed in the meantime');
    await assert.rejects(set('other', 'idp-3'), removed);
    assert.equal((await set('other', null)).idpId, 'other');
  });

  peopleTest('refuses unknown and foreign UUIDs in the same words', async ({ core }) => {
    const unknown = refused('member-not-found', 'User not found on Service');
    for (const id of ['00000000-0000-4000-8000-000000000099', aUser(4).uuid, 'x']) {
      await assert.rejects(core.setIdpId({ organization, uuid: id, idpId: 'a' }), unknown);
      await assert.rejects(core.readUser({ organization, uuid: id }), unknown);
      await assert.rejects(core.removeUser({ organization, uuid: id }), unknown);
      await assert.rejects(core.listUserMeetings({ organization, uuid: id }), unknown);
    }
    await assert.rejects(core.readUser({ organization: { id: 2 }, uuid: aUser(2).uuid }), unknown);
  });

  peopleTest('each change is in the audit trail', async ({ core }) => {
    await core.setIdpId({ organization, uuid, idpId: 'idp-3', by });
    await core.setIdpId({ organization, uuid, idpId: 'idp-3', by });
    await core.setIdpId({ organization, uuid, idpId: null, by });
    const { items } = await core.listActivity({ organization });
    assert.deepEqual(
      items.map(({ action, subject, actor }) => [action, subject, actor]),
      [
        ['idp-id-set', 'user-3@example.test: idp-3 → none', by],
        ['idp-id-set', 'user-3@example.test: none → idp-3', by],
      ],
    );
  });
});
