import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { password } from '../../support/core/people-service.js';
import { usersTest } from '../../support/core/users-service.js';
import { databaseKinds } from '../../support/storage.js';
import type { TestService } from '../../support/test-service.js';

for (const database of databaseKinds) {
  const serviceTest = usersTest(database);

  describe(`A session over ${database}`, () => {
    const signIn = (service: TestService) =>
      service.core.signIn({ email: aUser(1).email, password, address: 'a' });

    serviceTest('ends after 30 minutes without a request', async (service) => {
      const session = (await signIn(service)).session.reveal();
      service.clock.advance(29 * 60 * 1000);
      assert.notEqual(await service.core.resumeSession({ session }), null);
      service.clock.advance(29 * 60 * 1000);
      assert.notEqual(await service.core.resumeSession({ session }), null);
      service.clock.advance(30 * 60 * 1000);
      assert.equal(await service.core.resumeSession({ session }), null);
    });

    serviceTest('ends after 12 hours even if it is used', async (service) => {
      const session = (await signIn(service)).session.reveal();
      for (let quarter = 1; quarter < 48; quarter += 1) {
        service.clock.advance(15 * 60 * 1000);
        assert.notEqual(await service.core.resumeSession({ session }), null);
      }
      service.clock.advance(15 * 60 * 1000);
      assert.equal(await service.core.resumeSession({ session }), null);
    });
  });
}
