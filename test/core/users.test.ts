import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, type RefusalCode, Secret, Unavailable } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { databaseKinds } from '../support/storage.js';
import { publicUrl, startTestService, type TestService } from '../support/test-service.js';

const dana = { email: 'Dana@Example.TEST ', firstName: 'Dana', lastName: 'Kim' };
const password = new Secret('correct horse');

for (const database of databaseKinds) {
  const serviceTest = (name: string, work: (service: TestService) => Promise<void>) =>
    test(name, async () => {
      const service = await startTestService({ database });
      try {
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2)],
          memberships: [{ organizationId: 2, userId: 1, role: 'owner', idpId: null }],
        });
        await service.ports.users.setPasswordHash({
          userId: 1,
          hash: await service.ports.passwords.hash(password),
        });
        await work(service);
      } finally {
        await service.stop();
      }
    });
  const invite = (service: TestService, person = dana, organizationId = 1) =>
    service.core.inviteUser({ organization: { id: organizationId }, ...person });
  const acceptAsNew = (service: TestService, url: string) =>
    service.core.acceptInvitation({
      token: tokenOf(url),
      person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password },
      address: 'a',
    });
  const acceptAsKnown = (service: TestService, url: string, attempt = password) =>
    service.core.acceptInvitation({
      token: tokenOf(url),
      person: { is: 'known', password: attempt },
      address: 'a',
    });
  const enableWebhook = (service: TestService, organizationId = 1) =>
    service.core.configureWebhook({
      organization: { id: organizationId },
      how: 'set',
      webhook: { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] },
    });
  const events = (service: TestService, organizationId = 1) =>
    service.ports.deliveries.list({ organizationId, limit: 100 });

  describe(`invite_user over ${database}`, () => {
    serviceTest('gives a URL, and the same one to whoever invites the address again', async (service) => {
      const invited = await invite(service);
      assert.equal(invited.email, 'dana@example.test');
      assert.ok(invited.invitationUrl.startsWith(`${publicUrl}/invitations/`));
      const again = await invite(service, {
        email: 'dana@example.test',
        firstName: 'Other',
        lastName: 'Name',
      });
      assert.deepEqual(again, invited);
    });

    serviceTest(
      '50 simultaneous invitations of one address are one invitation with one URL',
      async (service) => {
        const all = await Promise.all(Array.from({ length: 50 }, () => invite(service)));
        assert.equal(new Set(all.map(({ invitationUrl }) => invitationUrl)).size, 1);
        assert.equal(new Set(all.map(({ uuid }) => uuid)).size, 1);
      },
    );

    serviceTest('names every field that is wrong at once', async (service) => {
      await assert.rejects(
        invite(service, { email: 'nobody', firstName: '', lastName: 'x'.repeat(301) }),
        (error) =>
          error instanceof Refusal &&
          error.problems.map(({ field }) => field).join() === 'email,firstName,lastName',
      );
    });

    serviceTest(
      'a member of this organization is refused, a user of another is invited with an own URL',
      async (service) => {
        const user = { ...dana, email: aUser(1).email };
        await assert.rejects(invite(service, user, 2), refused('already-member'));
        const invited = await invite(service, user, 1);
        assert.notEqual(invited.uuid, aUser(1).uuid);
        assert.deepEqual([invited.firstName, invited.lastName], ['Dana', 'Kim']);
      },
    );
  });

  describe(`Accepting over ${database}`, () => {
    serviceTest('a new person chooses a password, becomes a member and is signed in', async (service) => {
      const invited = await invite(service);
      const opened = await service.core.readPendingInvitation({ token: tokenOf(invited.invitationUrl) });
      assert.deepEqual(opened, {
        organization: { id: 1, name: 'Organization 1' },
        email: 'dana@example.test',
        firstName: 'Dana',
        lastName: 'Kim',
        hasAccount: false,
        canSignIn: false,
      });

      const { session, boundTo, organizationId } = await acceptAsNew(service, invited.invitationUrl);
      assert.deepEqual([boundTo, organizationId], [null, 1]);
      assert.equal((await service.core.resumeSession({ session: session.reveal() }))?.boundTo, null);
      const member = await service.ports.members.byUuid({ organizationId: 1, uuid: invited.uuid });
      assert.deepEqual(
        [member?.role, member?.user.email, member?.user.uuid],
        ['member', 'dana@example.test', invited.uuid],
      );
      await service.core.signIn({ email: 'DANA@example.test', password, address: 'a' });
    });

    serviceTest('the membership and its event are there together, once', async (service) => {
      await enableWebhook(service);
      const { invitationUrl, uuid } = await invite(service);
      await acceptAsNew(service, invitationUrl);
      await assert.rejects(acceptAsNew(service, invitationUrl), refused('invitation-used'));
      const [event, ...more] = await events(service);
      assert.equal(more.length, 0);
      const payload = JSON.parse(event?.body ?? '');
      assert.deepEqual(Object.keys(payload), ['event', 'event_id', 'timestamp', 'organization', 'user']);
      assert.deepEqual(payload, {
        event: 'user.registered',
        event_id: event?.eventId,
        timestamp: '2026-11-20T12:00:00.000Z',
        organization: { id: 1, name: 'Organization 1' },
        user: {
          id: payload.user.id,
          uuid,
          email: 'dana@example.test',
          first_name: 'Dana',
          last_name: 'Kim',
          created_at: '2026-11-20T12:00:00.000Z',
        },
      });
    });

    serviceTest('20 simultaneous acceptances make one member and one event', async (service) => {
      await enableWebhook(service);
      const { invitationUrl } = await invite(service);
      const all = await Promise.allSettled(
        Array.from({ length: 20 }, () => acceptAsNew(service, invitationUrl)),
      );
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const answer of all) {
        if (answer.status === 'rejected') {
          assert.ok(
            ['invitation-used', 'sign-in-required'].includes((answer.reason as Refusal).code),
            String(answer.reason),
          );
        }
      }
      assert.equal((await events(service)).length, 1);
    });

    serviceTest('without an enabled webhook no event is queued', async (service) => {
      await acceptAsNew(service, (await invite(service)).invitationUrl);
      assert.deepEqual(await events(service), []);
    });

    serviceTest('whoever has an account signs in with its password to accept', async (service) => {
      const invited = await invite(service, { ...dana, email: aUser(1).email });
      const { invitationUrl } = invited;
      assert.equal(
        (await service.core.readPendingInvitation({ token: tokenOf(invitationUrl) })).hasAccount,
        true,
      );
      await assert.rejects(acceptAsNew(service, invitationUrl), refused('sign-in-required'));
      await assert.rejects(
        acceptAsKnown(service, invitationUrl, new Secret('a guess')),
        refused('wrong-credentials'),
      );

      await enableWebhook(service);
      const { user, boundTo, organizationId } = await acceptAsKnown(service, invitationUrl);
      assert.deepEqual([user.id, user.firstName, boundTo, organizationId], [1, 'First1', null, 1]);
      const [event] = await events(service);
      assert.equal(JSON.parse(event?.body ?? '').user.uuid, invited.uuid);
      assert.equal(
        (await service.ports.members.byUuid({ organizationId: 1, uuid: invited.uuid }))?.user.id,
        1,
      );
    });

    serviceTest(
      'an organization that invites somebody who has an account elsewhere cannot get in as them',
      async (service) => {
        const { invitationUrl, uuid } = await invite(service, { ...dana, email: aUser(1).email });
        const token = tokenOf(invitationUrl);
        const chosen = new Secret('chosen by the organization');
        const attempts = [
          () => acceptAsNew(service, invitationUrl),
          () => acceptAsKnown(service, invitationUrl, chosen),
          () => service.core.issueLoginLink({ organization: { id: 1 }, uuid }),
          () => service.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid }),
          () => service.core.redeemLoginLink({ token }),
          () => service.core.signIn({ email: aUser(1).email, password: chosen, address: 'a' }),
        ];
        for (const attempt of [...attempts, ...attempts]) await assert.rejects(attempt, Refusal);
        assert.deepEqual(await service.core.resumeSession({ session: token }), null);
        assert.equal(await service.ports.members.byUserId({ organizationId: 1, userId: 1 }), null);
        assert.equal(await service.ports.users.passwordHash(1), await service.ports.passwords.hash(password));
      },
    );

    serviceTest('an account without a password cannot be taken over by choosing one', async (service) => {
      const { invitationUrl } = await invite(service, { ...dana, email: aUser(2).email });
      const { hasAccount, canSignIn } = await service.core.readPendingInvitation({
        token: tokenOf(invitationUrl),
      });
      assert.deepEqual([hasAccount, canSignIn], [true, false]);
      await assert.rejects(acceptAsNew(service, invitationUrl), refused('sign-in-required'));
      await assert.rejects(
        acceptAsKnown(service, invitationUrl, new Secret('')),
        refused('wrong-credentials'),
      );
    });

    serviceTest('unknown, foreign and broken tokens are refused alike', async (service) => {
      const { invitationUrl } = await invite(service);
      const token = tokenOf(invitationUrl);
      for (const text of [
        '',
        'x',
        `${token}x`,
        token.slice(1),
        token.split('').reverse().join(''),
        '\0',
        '%00',
      ]) {
        await assert.rejects(
          service.core.readPendingInvitation({ token: text }),
          refused('invitation-unknown'),
          text,
        );
      }
    });

    serviceTest('names and password are checked, with every problem at once', async (service) => {
      const { invitationUrl } = await invite(service);
      const attempt = service.core.acceptInvitation({
        token: tokenOf(invitationUrl),
        person: { is: 'new', firstName: ' ', lastName: '', password: new Secret('short') },
        address: 'a',
      });
      await assert.rejects(attempt, (error) => error instanceof Refusal && error.problems.length === 3);
      assert.equal(
        (await service.core.readPendingInvitation({ token: tokenOf(invitationUrl) })).hasAccount,
        false,
      );
    });
  });

  describe(`One-time login over ${database}`, () => {
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

    serviceTest('25 simultaneous redemptions of one link open one session', async (service) => {
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

    serviceTest('unknown, malformed and other organizations’ users are refused alike', async (service) => {
      const uuids = [
        aUser(2).uuid,
        'ffffffff-ffff-4fff-8fff-ffffffffffff',
        '',
        'x',
        '\0',
        `${aUser(1).uuid} `,
        '1',
      ];
      for (const uuid of uuids) {
        const attempt = service.core.issueLoginLink({ organization: { id: 2 }, uuid });
        await assert.rejects(attempt, refused('user-not-found', 'User not found'), uuid);
      }
      const foreign = service.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid });
      await assert.rejects(foreign, refused('user-not-found', 'User not found'));
    });

    serviceTest('an invited user who has not accepted is told apart', async (service) => {
      const { uuid, invitationUrl } = await invite(service);
      const attempt = () => service.core.issueLoginLink({ organization: { id: 1 }, uuid });
      await assert.rejects(attempt, refused('invitation-pending'));
      await acceptAsNew(service, invitationUrl);
      await attempt();
    });

    serviceTest('a UUID is known whatever the case of its letters', async (service) => {
      await service.core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(1).uuid.toUpperCase() });
    });
  });

  describe(`Sessions over ${database}`, () => {
    const signIn = (service: TestService, attempt = password, email = aUser(1).email) =>
      service.core.signIn({ email, password: attempt, address: 'a' });

    serviceTest('an unknown address and a wrong password are answered alike', async (service) => {
      const message = 'The email address or password is wrong';
      const wrong = ['nobody@example.test', 'no address', '\0', ''];
      for (const email of wrong)
        await assert.rejects(signIn(service, password, email), refused('wrong-credentials', message));
      await assert.rejects(signIn(service, new Secret('wrong')), refused('wrong-credentials', message));
    });

    serviceTest(
      '10 failures in 15 minutes lock the account for that time, also against the right password',
      async (service) => {
        for (let count = 0; count < 10; count += 1) {
          await assert.rejects(signIn(service, new Secret('wrong')), refused('wrong-credentials'));
        }
        await assert.rejects(signIn(service), refused('too-many-requests'));
        service.clock.advance(15 * 60 * 1000);
        await signIn(service);
      },
    );

    serviceTest('signing in correctly is not counted, however often', async (service) => {
      for (let count = 0; count < 30; count += 1) await signIn(service);
    });

    serviceTest('guessing in parallel gains nothing', async (service) => {
      const guesses = Array.from({ length: 40 }, (_, index) =>
        signIn(service, index === 39 ? password : new Secret('x')),
      );
      const answers = await Promise.allSettled(guesses);
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 0);
    });

    serviceTest('a password that nobody looked at counts as no failure', async (service) => {
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

    serviceTest('is over after 30 minutes without a request', async (service) => {
      const session = (await signIn(service)).session.reveal();
      service.clock.advance(29 * 60 * 1000);
      assert.notEqual(await service.core.resumeSession({ session }), null);
      service.clock.advance(29 * 60 * 1000);
      assert.notEqual(await service.core.resumeSession({ session }), null);
      service.clock.advance(30 * 60 * 1000);
      assert.equal(await service.core.resumeSession({ session }), null);
    });

    serviceTest('is over after 12 hours whatever happens', async (service) => {
      const session = (await signIn(service)).session.reveal();
      for (let quarter = 1; quarter < 48; quarter += 1) {
        service.clock.advance(15 * 60 * 1000);
        assert.notEqual(await service.core.resumeSession({ session }), null);
      }
      service.clock.advance(15 * 60 * 1000);
      assert.equal(await service.core.resumeSession({ session }), null);
    });

    serviceTest('is dead at once after sign-out, and nothing else is a session', async (service) => {
      const session = (await signIn(service)).session.reveal();
      await service.core.signOut({ session });
      assert.equal(await service.core.resumeSession({ session }), null);
      for (const text of [null, '', 'x', `${session}x`]) {
        assert.equal(await service.core.resumeSession({ session: text }), null);
        await service.core.signOut({ session: text });
      }
    });
  });

  describe(`registerUser over ${database}`, () => {
    serviceTest('makes a new person or an existing user a member, with one event each', async (service) => {
      await enableWebhook(service);
      await service.core.registerUser({ organizationId: 1, ...dana, idpId: 'idp-7' });
      const known = await service.core.registerUser({ organizationId: 1, ...dana, email: aUser(1).email });
      assert.equal(known.user.id, 1);
      assert.equal((await events(service)).length, 2);
      await assert.rejects(
        service.core.registerUser({ organizationId: 1, ...dana }),
        refused('already-member'),
      );
      const taken = service.core.registerUser({
        organizationId: 1,
        ...dana,
        email: 'x@example.test',
        idpId: 'idp-7',
      });
      await assert.rejects(taken, refused('invalid-request'));
      assert.equal((await events(service)).length, 2);
    });

    serviceTest(
      'two organizations that register one new person at once both have the same user',
      async (service) => {
        const both = await Promise.all(
          [1, 2].map((organizationId) => service.core.registerUser({ organizationId, ...dana })),
        );
        assert.equal(both[0]?.user.id, both[1]?.user.id);
        assert.deepEqual(
          both.map(({ organizationId }) => organizationId),
          [1, 2],
        );
      },
    );

    serviceTest('of 20 registrations of one new person at once one succeeds', async (service) => {
      await enableWebhook(service);
      const all = await Promise.allSettled(
        Array.from({ length: 20 }, () => service.core.registerUser({ organizationId: 1, ...dana })),
      );
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await events(service)).length, 1);
    });
  });

  describe(`The operator’s commands over ${database}`, () => {
    serviceTest('user create, member add and set-password make somebody who can sign in', async (service) => {
      const user = await service.core.createUser({ ...dana, password: null });
      await assert.rejects(service.core.createUser({ ...dana, password: null }), refused('invalid-request'));
      const request = { organizationId: 1, email: dana.email, role: 'admin', idpId: 'idp-9' } as const;
      const member = await service.core.addMember(request);
      assert.deepEqual([member.user.id, member.role, member.idpId], [user.id, 'admin', 'idp-9']);
      await assert.rejects(service.core.addMember(request), refused('already-member'));
      await assert.rejects(
        service.core.addMember({ ...request, organizationId: 9 }),
        refused('organization-not-found'),
      );
      await assert.rejects(
        service.core.addMember({ ...request, email: 'x@example.test' }),
        refused('user-not-found'),
      );
      await assert.rejects(
        service.core.addMember({ ...request, email: aUser(2).email }),
        refused('invalid-request', 'idpId: idp-9 belongs to another member'),
      );
      await service.core.setPassword({ email: dana.email, password });
      await service.core.signIn({ email: dana.email, password, address: 'a' });
      const unknown = service.core.setPassword({ email: 'x@example.test', password });
      await assert.rejects(unknown, refused('user-not-found'));
    });

    serviceTest('member add makes no event', async (service) => {
      await enableWebhook(service);
      await service.core.addMember({ organizationId: 1, email: aUser(2).email, role: 'member', idpId: null });
      assert.deepEqual(await events(service), []);
    });
  });
}

function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function refused(code: RefusalCode, message?: string) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === code && (message === undefined || error.message === message);
}
