import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Refusal, Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { password, peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

const next = new Secret('battery staple');

describe('changePassword', () => {
  const signIn = async (service: TestService, attempt = password) => {
    const { session } = await service.core.signIn({
      email: aUser(1).email,
      password: attempt,
      address: 'a',
    });
    return session.reveal();
  };
  const change = (
    service: TestService,
    session: string | null,
    given: Partial<Record<'from' | 'to', Secret>> = {},
  ) =>
    service.core.changePassword({
      session,
      currentPassword: given.from ?? password,
      newPassword: given.to ?? next,
      address: 'a',
    });
  const isActive = async (service: TestService, session: string) =>
    (await service.core.resumeSession({ session })) !== null;

  peopleTest('ends every session of the user and starts a new one for the caller', async (service) => {
    const [mine, other] = [await signIn(service), await signIn(service)];
    const { session, user, boundTo } = await change(service, mine);
    assert.deepEqual([user.id, boundTo], [1, null]);
    assert.notEqual(session.reveal(), mine);
    assert.deepEqual(
      [
        await isActive(service, mine),
        await isActive(service, other),
        await isActive(service, session.reveal()),
      ],
      [false, false, true],
    );
    await assert.rejects(signIn(service), refused('wrong-credentials'));
    await signIn(service, next);
  });

  peopleTest('requires the current password, and counts wrong ones like failed sign-ins', async (service) => {
    const mine = await signIn(service);
    for (let count = 0; count < 10; count += 1) {
      const attempt = change(service, mine, { from: new Secret('a guess') });
      await assert.rejects(attempt, refused('wrong-credentials', 'currentPassword is wrong'));
    }
    await assert.rejects(change(service, mine), refused('too-many-requests'));
    await assert.rejects(signIn(service), refused('too-many-requests'));
    assert.equal(await isActive(service, mine), true);
    service.clock.advance(15 * 60 * 1000);
    await change(service, mine);
  });

  peopleTest('checks the new password like acceptInvitation', async (service) => {
    const mine = await signIn(service);
    for (const text of ['', 'short', 'x'.repeat(1001)]) {
      await assert.rejects(change(service, mine, { to: new Secret(text) }), (error) => {
        return refused('invalid-request')(error) && (error as Refusal).message.startsWith('newPassword ');
      });
    }
    await signIn(service);
  });

  peopleTest('is refused for the session of a login link, and without a session', async (service) => {
    const { url } = await service.core.issueLoginLink({ organization, uuid: aUser(1).uuid });
    const { session } = await service.core.redeemLoginLink({ token: url.slice(url.lastIndexOf('/') + 1) });
    await assert.rejects(change(service, session.reveal()), refused('session-bound'));
    for (const none of [null, '', 'x']) {
      await assert.rejects(change(service, none), refused('sign-in-required'));
    }
    const mine = await signIn(service);
    await service.core.signOut({ session: mine });
    await assert.rejects(change(service, mine), refused('sign-in-required'));
    await signIn(service);
  });

  peopleTest('is refused if the password that was compared has been replaced meanwhile', async (service) => {
    const { core, ports } = service;
    const mine = await signIn(service);
    const other = new Secret('somebody was faster');
    const { hash } = ports.passwords;
    Object.assign(ports.passwords, {
      async hash(text: Secret) {
        Object.assign(ports.passwords, { hash });
        await core.setPassword({ email: aUser(1).email, password: other });
        return hash(text);
      },
    });
    await assert.rejects(change(service, mine), refused('wrong-credentials'));
    await signIn(service, other);
  });

  peopleTest('of 5 simultaneous changes, exactly one succeeds', async (service) => {
    const mine = await signIn(service);
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => change(service, mine, { to: new Secret(`password ${index}`) })),
    );
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  peopleTest(
    'refuses a sign-in or acceptance with the old password that is under way during the change',
    async (service) => {
      const { core, ports } = service;
      const email = aUser(1).email;
      const { invitationUrl } = await core.inviteUser({
        organization: { id: 2 },
        ...{ email, firstName: 'A', lastName: 'B' },
      });
      const { verify } = ports.passwords;
      const late: typeof ports.passwords.verify = async (attempt) => {
        const matches = await verify(attempt);
        await core.setPassword({ email, password: next });
        return matches;
      };
      Object.assign(ports.passwords, { verify: late });
      await assert.rejects(signIn(service), refused('wrong-credentials'));
      await core.setPassword({ email, password });
      const token = invitationUrl.slice(invitationUrl.lastIndexOf('/') + 1);
      const accepting = core.acceptInvitation({ token, person: { is: 'known', password }, address: 'a' });
      await assert.rejects(accepting, refused('session-not-started'));
    },
  );
});
