import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Actor, Refusal } from '@rollcall/core';
import { invitationsTest, onlyInvitation } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';

const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

describe('readInvitation', () => {
  invitationsTest('finds an invitation by the user’s UUID, even after a renewal', async (service) => {
    const { uuid } = await service.core.inviteUser({ organization, ...dana, by });
    const { id } = await onlyInvitation(service);
    const { invitationUrl } = await service.core.renewInvitation({ organization, invitationId: id });
    const read = await service.core.readInvitation({ organization, uuid: uuid.toUpperCase() });
    assert.deepEqual(
      [read.state, read.email, read.userUuid, read.invitationUrl, read.id === id],
      ['pending', dana.email, uuid, invitationUrl, false],
    );
    for (const [inOrganization, of] of [
      [{ id: 2 }, uuid],
      [organization, id],
      [organization, 'x'],
    ] as const) {
      await assert.rejects(
        service.core.readInvitation({ organization: inOrganization, uuid: of }),
        (error) => error instanceof Refusal && error.code === 'invitation-unknown',
      );
    }
  });
});
