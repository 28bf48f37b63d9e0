import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { password } from '../../support/core/people-service.js';
import { usersTest } from '../../support/core/users-service.js';
import type { TestService } from '../../support/test-service.js';

describe('A session', () => {
  const signIn = (service: TestService) =>
    service.core.signIn({ email: aUser(1).email, password, address: 'a' });

  usersTest('says how long it lasts without another request, and ends then', async (service) => {
    let session = (await signIn(service)).session.reveal();
    const minutesLeft = async (passed: number) => {
      service.clock.advance(passed * 60_000);
      const resumed = await service.core.resumeSession({ session });
      return resumed && resumed.endsInMs / 60_000;
    };
    assert.deepEqual(
      [await minutesLeft(0), await minutesLeft(0.5), await minutesLeft(0.5), await minutesLeft(29)],
      [30, 29.5, 30, 30],
    );
    for (let passed = 30; passed < 690; passed += 20) await minutesLeft(20);
    assert.deepEqual([await minutesLeft(20), await minutesLeft(9), await minutesLeft(1)], [10, 1, null]);
    session = (await signIn(service)).session.reveal();
    assert.deepEqual([await minutesLeft(29), await minutesLeft(30)], [30, null]);
  });
});
