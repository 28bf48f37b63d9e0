import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { password } from '../../support/core/people-service.js';
import { usersTest } from '../../support/core/users-service.js';
import type { TestService } from '../../support/test-service.js';

describe('signOut', () => {
  const signIn = (service: TestService) =>
    service.core.signIn({ email: aUser(1).email, password, address: 'a' });

  usersTest('ends the session at once, and ignores anything that is not a session', async (service) => {
    const session = (await signIn(service)).session.reveal();
    await service.core.signOut({ session });
    assert.equal(await service.core.resumeSession({ session }), null);
    for (const text of [null, '', 'x', `${session}x`]) {
      assert.equal(await service.core.resumeSession({ session: text }), null);
      await service.core.signOut({ session: text });
    }
  });
});
