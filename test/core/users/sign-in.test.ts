import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Secret, Unavailable } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { password } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';
import { usersTest } from '../../support/core/users-service.js';
import type { TestService } from '../../support/test-service.js';

describe('signIn', () => {
  const signIn = (service: TestService, attempt = password, email = aUser(1).email) =>
    service.core.signIn({ email, password: attempt, address: 'a' });

  usersTest('refuses an unknown email address and a wrong password alike', async (service) => {
    const message = 'The email address or password is wrong';
    const wrong = ['nobody@example.test', 'no address', '\0', ''];
    for (const email of wrong)
      await assert.rejects(signIn(service, password, email), refused('wrong-credentials', message));
    await assert.rejects(signIn(service, new Secret('wrong')), refused('wrong-credentials', message));
  });

  usersTest(
    '10 failures in 15 minutes lock the account for that time, even for the right password',
    async (service) => {
      for (let count = 0; count < 10; count += 1) {
        await assert.rejects(signIn(service, new Secret('wrong')), refused('wrong-credentials'));
      }
      await assert.rejects(signIn(service), refused('too-many-requests'));
      service.clock.advance(15 * 60 * 1000);
      await signIn(service);
    },
  );

  usersTest('does not count successful sign-ins', async (service) => {
    for (let count = 0; count < 30; count += 1) await signIn(service);
  });

  usersTest('parallel guesses are limited like sequential ones', async (service) => {
    const guesses = Array.from({ length: 40 }, (_, index) =>
      signIn(service, index === 39 ? password : new Secret('x')),
    );
    const answers = await Promise.allSettled(guesses);
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 0);
  });

  usersTest('a password that was not checked does not count as a failure', async (service) => {
    const { passwords, users } = service.ports;
    const { verify } = passwords;
    const { passwordHash } = users;
    const busy = async () => {
      throw new Unavailable('Too many passwords are being checked.');
    };
    const failing = [
      () => Object.assign(passwords, { verify: busy }),
      () => Object.assign(users, { passwordHash: busy }),
    ];
    for (const fail of failing) {
      fail();
      for (let count = 0; count < 120; count += 1) await assert.rejects(signIn(service), Unavailable);
      Object.assign(passwords, { verify });
      Object.assign(users, { passwordHash });
      await signIn(service);
    }
  });
});
