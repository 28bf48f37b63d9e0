import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { by, peopleTest } from '../../support/core/people-service.js';

describe('removeMember', () => {
  peopleTest('signs the member out at once, and keeps their memberships elsewhere', async (service) => {
    const { url } = await service.core.issueLoginLink({ organization, uuid: aUser(3).uuid });
    const token = url.slice(url.lastIndexOf('/') + 1);
    const bound = await service.core.redeemLoginLink({ token });
    const removed = await service.core.removeMember({ organization, userId: 3, by });
    assert.equal(removed.user.id, 3);
    assert.equal(await service.core.resumeSession({ session: bound.session.reveal() }), null);
    const elsewhere = await service.core.listMemberships({ userId: 3 });
    assert.deepEqual(
      elsewhere.map((membership) => membership.organization.id),
      [2],
    );
  });
});
