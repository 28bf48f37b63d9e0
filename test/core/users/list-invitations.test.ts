import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor, ListedState, ListInvitations } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { accept, invitationsTest, onlyInvitation } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { tokenOf } from '../../support/core/refused.js';

const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

describe('listInvitations', () => {
  invitationsTest(
    'lists invitations by state, with the inviter, and with the URL while it works',
    async (service) => {
      const invited = await service.core.inviteUser({ organization, ...dana, by });
      const listed = await onlyInvitation(service);
      assert.deepEqual(
        [listed.state, listed.email, listed.userUuid, listed.invitationUrl, listed.inviter?.email],
        ['pending', dana.email, invited.uuid, invited.invitationUrl, aUser(1).email],
      );
      await accept(service, invited.invitationUrl);
      const accepted = await onlyInvitation(service);
      assert.deepEqual([accepted.state, accepted.invitationUrl], ['accepted', null]);
      const counts = [];
      for (const state of ['pending', 'accepted', 'revoked'] as const) {
        counts.push((await service.core.listInvitations({ organization, state })).totalItems);
      }
      assert.deepEqual(counts, [0, 1, 0]);
      assert.equal((await service.core.listInvitations({ organization: { id: 2 } })).totalItems, 0);
    },
  );

  invitationsTest('lists invitations in pages', async (service) => {
    for (let number = 1; number <= 5; number += 1) {
      service.clock.advance(1000);
      await service.core.inviteUser({ organization, ...dana, email: `p${number}@example.test` });
    }
    const page = await service.core.listInvitations({ organization, page: 2, size: 2 });
    assert.deepEqual(
      [page.items.map(({ email }) => email[1]), page.totalItems, page.totalPages],
      [['3', '2'], 5, 3],
    );
    assert.equal((await service.core.listInvitations({ organization })).size, 50);
    const listed = async (request: Partial<ListInvitations>) => {
      const { items } = await service.core.listInvitations({ organization, ...request });
      return items.map(({ email }) => email[1]).join('');
    };
    service.clock.advance(1000);
    await service.core.inviteUser({ organization, ...dana, email: 'p6@example.test', firstName: 'Ada' });
    assert.equal(await listed({ order: 'newest', search: 'DANA kim' }), '54321');
    assert.equal(await listed({ order: 'oldest', search: 'p @example' }), '123456');
    assert.equal((await listed({ order: 'name' }))[0], '6');
    assert.equal(await listed({ search: 'p3@' }), '3');
    const unknown = /^TypeError: order must be one of newest, oldest, name$/;
    await assert.rejects(listed({ order: 'role' as never }), unknown);
  });

  invitationsTest(
    'a revoked invitation counts as replaced only by a later one that is not revoked',
    async (service) => {
      const replacements = async () =>
        (await service.core.findInvitations({ organization })).items.map(({ replacedBy }) => replacedBy);
      const counts = async () => {
        const count = async (state: ListedState) =>
          (await service.core.findInvitations({ organization, state })).items.length;
        return [await count('revoked'), await count('replaced')];
      };
      for (let number = 1; number <= 2; number += 1) {
        await service.core.inviteUser({ organization, ...dana });
        const { items } = await service.core.listInvitations({ organization, state: 'pending' });
        service.clock.advance(1000);
        await service.core.revokeInvitation({ organization, invitationId: items[0]?.id ?? '' });
        service.clock.advance(1000);
      }
      assert.deepEqual(await replacements(), [null, null]);
      assert.deepEqual(await counts(), [2, 0]);
      const { uuid, invitationUrl } = await service.core.inviteUser({ organization, ...dana });
      assert.deepEqual(await replacements(), [null, uuid, uuid]);
      assert.deepEqual(await counts(), [0, 2]);
      await accept(service, invitationUrl);
      assert.deepEqual(await replacements(), [null, uuid, uuid]);
      assert.deepEqual(await counts(), [0, 2]);
    },
  );

  invitationsTest('each change of an invitation is in the audit trail, without its URL', async (service) => {
    await service.core.inviteUser({ organization, ...dana, by });
    await service.core.inviteUser({ organization, ...dana, by });
    const renewed = await service.core.renewInvitation({
      organization,
      invitationId: (await onlyInvitation(service)).id,
      by,
    });
    const { items } = await service.core.listInvitations({ organization, state: 'pending' });
    await service.core.revokeInvitation({ organization, invitationId: items[0]?.id ?? '' });
    const activity = await service.core.listActivity({ organization });
    assert.deepEqual(
      activity.items.map(({ action, subject, actor }) => [action, subject, actor.who.kind]),
      [
        ['invitation-revoked', dana.email, 'program'],
        ['invitation-renewed', dana.email, 'user'],
        ['user-invited', dana.email, 'user'],
      ],
    );
    assert.ok(!JSON.stringify(activity).includes(tokenOf(renewed.invitationUrl)));
  });
});
