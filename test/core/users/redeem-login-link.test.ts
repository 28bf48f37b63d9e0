import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { refused, tokenOf } from '../../support/core/refused.js';
import { usersTest } from '../../support/core/users-service.js';
import { databaseKinds } from '../../support/storage.js';
import type { TestService } from '../../support/test-service.js';

for (const database of databaseKinds) {
  const serviceTest = usersTest(database);

  describe(`redeemLoginLink over ${database}`, () => {
    const issue = async (service: TestService, userId = 1) =>
      (await service.core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(userId).uuid })).url;

    serviceTest(
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

    serviceTest('25 simultaneous redemptions of one link start one session', async (service) => {
      const token = tokenOf(await issue(service));
      const all = await Promise.allSettled(
        Array.from({ length: 25 }, () => service.core.redeemLoginLink({ token })),
      );
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    serviceTest('works after 299 seconds and not after 301', async (service) => {
      const [one, other] = [tokenOf(await issue(service)), tokenOf(await issue(service))];
      service.clock.advance(299_000);
      await service.core.redeemLoginLink({ token: one });
      service.clock.advance(2_000);
      await assert.rejects(service.core.redeemLoginLink({ token: other }), refused('login-link-expired'));
    });
  });
}
