import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { accept, invitationsTest, onlyInvitation } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { refused, tokenOf } from '../../support/core/refused.js';

const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

describe('revokeInvitation', () => {
  invitationsTest(
    'a revoked invitation cannot be accepted, and the address can be invited again',
    async (service) => {
      const { invitationUrl, uuid } = await service.core.inviteUser({ organization, ...dana });
      const { id } = await onlyInvitation(service);
      await service.core.revokeInvitation({ organization, invitationId: id.toUpperCase(), by });
      await assert.rejects(accept(service, invitationUrl), refused('invitation-revoked'));
      await assert.rejects(
        service.core.readPendingInvitation({ token: tokenOf(invitationUrl) }),
        refused('invitation-revoked'),
      );
      const again = await service.core.inviteUser({ organization, ...dana });
      assert.notEqual(again.invitationUrl, invitationUrl);
      assert.notEqual(again.uuid, uuid);
      const revoked = await service.core.revokeInvitation({ organization, uuid: again.uuid.toUpperCase() });
      assert.deepEqual(
        [revoked.state, revoked.invitationUrl, revoked.userUuid],
        ['revoked', null, again.uuid],
      );
      await service.core.renewInvitation({ organization, uuid: again.uuid });
      await assert.rejects(accept(service, again.invitationUrl), refused('invitation-revoked'));
    },
  );

  invitationsTest('a second call is told whether the invitation was revoked or replaced', async (service) => {
    const { uuid } = await service.core.inviteUser({ organization, ...dana });
    const { id: invitationId } = await onlyInvitation(service);
    const revoke = () => service.core.revokeInvitation({ organization, invitationId, by });
    const { revokedAt } = await revoke();
    assert.deepEqual(revokedAt, service.clock.now());
    await assert.rejects(revoke, refused('invitation-revoked', 'This invitation was revoked'));
    const { invitationUrl } = await service.core.renewInvitation({ organization, uuid });
    const replaced = refused('invitation-revoked', 'This invitation was replaced by a newer one');
    await assert.rejects(revoke, replaced);
    await accept(service, invitationUrl as string);
    await assert.rejects(revoke, replaced);
    const { items } = await service.core.listActivity({ organization });
    assert.deepEqual(
      items.flatMap(({ action, actor }) => (action === 'invitation-revoked' ? [actor] : [])),
      [by],
    );
  });

  invitationsTest(
    'revoking and renewing refuse an accepted, unknown or foreign invitation',
    async (service) => {
      const { invitationUrl, uuid } = await service.core.inviteUser({ organization, ...dana });
      const { id } = await onlyInvitation(service);
      const both = (invitationId: string, of = organization) => [
        () => service.core.revokeInvitation({ organization: of, invitationId }),
        () => service.core.renewInvitation({ organization: of, invitationId }),
        () => service.core.revokeInvitation({ organization: of, uuid: invitationId }),
        () => service.core.renewInvitation({ organization: of, uuid: invitationId }),
      ];
      for (const text of ['', 'x', '\0', `${id} `, 'ffffffff-ffff-4fff-8fff-ffffffffffff']) {
        for (const attempt of both(text)) await assert.rejects(attempt, refused('invitation-unknown'));
      }
      for (const attempt of both(id, { ...organization, id: 2 }))
        await assert.rejects(attempt, refused('invitation-unknown'));
      await accept(service, invitationUrl);
      const [revoke, renew] = both(id);
      const [, , revokeByUuid, renewByUuid] = both(uuid);
      for (const attempt of [revoke, renew, revokeByUuid, renewByUuid])
        await assert.rejects(attempt as () => Promise<unknown>, refused('invitation-used'));
    },
  );
});
