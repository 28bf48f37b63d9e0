import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { refused, tokenOf } from '../../support/core/refused.js';
import { usersTest } from '../../support/core/users-service.js';
import type { TestService } from '../../support/test-service.js';

describe('redeemLoginLink', () => {
  const issue = async (service: TestService, userId = 1) =>
    (await service.core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(userId).uuid })).url;

  usersTest(
    'signs in once, into a session bound to the organization that issued the link',
    async (service) => {
      const token = tokenOf(await issue(service));
      assert.deepEqual(await service.core.readLoginLink({ token }), { organizationName: 'Organization 2' });
      const { session, boundTo } = await service.core.redeemLoginLink({ token });
      assert.equal(boundTo, 2);
      assert.equal((await service.core.resumeSession({ session: session.reveal() }))?.user.id, 1);
      await assert.rejects(service.core.redeemLoginLink({ token }), refused('login-link-used'));
      await assert.rejects(service.core.readLoginLink({ token }), refused('login-link-used'));
    },
  );

  usersTest('is kept with the times at which it was issued, ends and was used', async (service) => {
    const createdAt = service.clock.now();
    const token = tokenOf(await issue(service));
    service.clock.advance(1_000);
    await service.core.redeemLoginLink({ token });
    const { loginLinks } = await service.core.readUserData({ email: aUser(1).email });
    const expiresAt = new Date(createdAt.getTime() + 5 * 60 * 1000);
    const redeemedAt = service.clock.now();
    assert.deepEqual(loginLinks, [{ organizationId: 2, createdAt, expiresAt, redeemedAt }]);
  });

  usersTest('ends at the end of its five minutes', async (service) => {
    const [one, token] = [tokenOf(await issue(service)), tokenOf(await issue(service))];
    service.clock.advance(5 * 60 * 1000 - 1);
    await service.core.redeemLoginLink({ token: one });
    service.clock.advance(1);
    await assert.rejects(service.core.readLoginLink({ token }), refused('login-link-expired'));
    await assert.rejects(service.core.redeemLoginLink({ token }), refused('login-link-expired'));
  });

  usersTest('nothing but the token of a link of a member is a link', async (service) => {
    const link = tokenOf(await issue(service));
    await service.load({ memberships: [{ organizationId: 2, userId: 2, role: 'owner', idpId: null }] });
    await service.core.removeMember({ organization: { id: 2 }, userId: 1 });
    for (const token of ['', 'x', `${link}x`, link]) {
      await assert.rejects(service.core.redeemLoginLink({ token }), refused('login-link-unknown'));
      await assert.rejects(service.core.readLoginLink({ token }), refused('login-link-unknown'));
    }
  });
});
