import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { accept, invitationsTest, onlyInvitation } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import { databaseKinds } from '../../support/storage.js';

const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

for (const database of databaseKinds) {
  const serviceTest = invitationsTest(database);

  describe(`renewInvitation over ${database}`, () => {
    serviceTest(
      'gives the invitation a new URL and keeps its UUID; the old URL stops working',
      async (service) => {
        const first = await service.core.inviteUser({ organization, ...dana });
        const { id } = await onlyInvitation(service);
        service.clock.advance(1000);
        const renewed = await service.core.renewInvitation({ organization, invitationId: id, by });
        assert.notEqual(renewed.invitationUrl, first.invitationUrl);
        assert.deepEqual({ ...renewed, invitationUrl: '' }, { ...first, invitationUrl: '' });
        await assert.rejects(accept(service, first.invitationUrl), refused('invitation-revoked'));
        assert.deepEqual(await service.core.inviteUser({ organization, ...dana }), renewed);
        const { items } = await service.core.listInvitations({ organization });
        assert.deepEqual(
          items.map(({ state, inviter, replacedBy }) => [state, inviter?.email, replacedBy]),
          [
            ['pending', aUser(1).email, null],
            ['revoked', undefined, first.uuid],
          ],
        );
        const uuid = items[1]?.userUuid ?? '';
        assert.deepEqual((await service.core.readInvitation({ organization, uuid })).replacedBy, first.uuid);
        await accept(service, renewed.invitationUrl);
        await service.core.issueLoginLink({ organization, uuid: first.uuid });
      },
    );
  });
}
