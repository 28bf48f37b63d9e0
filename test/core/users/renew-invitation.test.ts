import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Actor, Refusal } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { accept, invitationsTest, onlyInvitation } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';

const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

describe('renewInvitation', () => {
  invitationsTest(
    'gives the invitation a new URL and keeps its UUID; the old URL stops working',
    async (service) => {
      const first = await service.core.inviteUser({ organization, ...dana });
      const { id } = await onlyInvitation(service);
      service.clock.advance(1000);
      const renewed = await service.core.renewInvitation({ organization, invitationId: id, by });
      assert.notEqual(renewed.invitationUrl, first.invitationUrl);
      const { firstName, lastName, email, uuid: id2, invitationUrl } = renewed;
      const shown = { firstName, lastName, email, uuid: id2, invitationUrl };
      assert.deepEqual({ ...shown, invitationUrl: '', isNew: true }, { ...first, invitationUrl: '' });
      assert.deepEqual([renewed.state, renewed.userUuid, renewed.revokedAt], ['pending', first.uuid, null]);
      await assert.rejects(accept(service, first.invitationUrl), refused('invitation-revoked'));
      assert.deepEqual(await service.core.inviteUser({ organization, ...dana }), { ...shown, isNew: false });
      const { items: listed } = await service.core.listInvitations({ organization });
      const { items } = await service.core.findInvitations({ organization });
      assert.deepEqual(
        listed.map(({ state, inviter }) => [state, inviter?.email]),
        [['pending', aUser(1).email]],
      );
      assert.deepEqual(
        items.map(({ state, replacedBy }) => [state, replacedBy]),
        [
          ['pending', null],
          ['revoked', first.uuid],
        ],
      );
      const uuid = items[1]?.userUuid ?? '';
      assert.deepEqual((await service.core.readInvitation({ organization, uuid })).replacedBy, first.uuid);
      await accept(service, renewed.invitationUrl);
      await service.core.issueLoginLink({ organization, uuid: first.uuid });
    },
  );

  invitationsTest('corrects the names and the idpId, found by the UUID of the user', async (service) => {
    const { uuid } = await service.core.inviteUser({ organization, ...dana, idpId: 'd-1' });
    const correction = { firstName: 'Dána', lastName: 'Kimm', idpId: 'd-2' };
    const renewed = await service.core.renewInvitation({
      organization,
      uuid: uuid.toUpperCase(),
      ...correction,
    });
    const { firstName, lastName, idpId } = renewed;
    assert.deepEqual({ firstName, lastName, idpId }, correction);
    const same = await service.core.renewInvitation({ organization, uuid });
    assert.deepEqual([same.firstName, same.lastName, same.idpId], ['Dána', 'Kimm', 'd-2']);
    const without = await service.core.renewInvitation({ organization, uuid, idpId: null });
    assert.equal(without.idpId, null);
    const { items } = await service.core.listActivity({ organization, size: 3 });
    assert.deepEqual(
      items.map(({ subject }) => subject?.replace(dana.email, 'dana')),
      ['dana: d-2 → no ID', 'dana', 'dana: Dana Kim → Dána Kimm, d-1 → d-2'],
    );
  });

  invitationsTest(
    'renews a revoked invitation, unless its address has been invited again',
    async (service) => {
      const { uuid } = await service.core.inviteUser({ organization, ...dana });
      await service.core.revokeInvitation({ organization, uuid });
      const renewed = await service.core.renewInvitation({ organization, uuid });
      assert.deepEqual([renewed.uuid, renewed.state], [uuid, 'pending']);
      await service.core.revokeInvitation({ organization, uuid });
      await service.core.inviteUser({ organization, ...dana });
      await assert.rejects(
        service.core.renewInvitation({ organization, uuid }),
        /^Refusal: This invitation was replaced by a newer one$/,
      );
    },
  );

  invitationsTest('refuses wrong names and an idpId that belongs to another', async (service) => {
    const { uuid } = await service.core.inviteUser({ organization, ...dana });
    await service.core.inviteUser({ organization, ...dana, email: 'kim@example.test', idpId: 'k-1' });
    const refusal = async (correction: object) => {
      try {
        await service.core.renewInvitation({ organization, uuid, ...correction });
      } catch (error) {
        return error instanceof Refusal && error.texts();
      }
      return 'renewed';
    };
    assert.deepEqual(await refusal({ firstName: '', lastName: null, idpId: ' ' }), [
      'firstName must not be empty',
      'lastName must be a string',
      'idpId must not be empty',
    ]);
    assert.deepEqual(await refusal({ idpId: 'k-1' }), ['idpId belongs to a pending invitation']);
    assert.equal((await service.core.readInvitation({ organization, uuid })).state, 'pending');
  });
});
