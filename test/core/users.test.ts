import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, type RefusalCode, Secret, Unavailable } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { databaseKinds } from '../support/storage.js';
import { publicUrl, startWorld, type World } from '../support/world.js';

const dana = { email: 'Dana@Example.TEST ', firstName: 'Dana', lastName: 'Kim' };
const password = new Secret('correct horse');

for (const database of databaseKinds) {
  const worldTest = (name: string, work: (world: World) => Promise<void>) =>
    test(name, async () => {
      const world = await startWorld({ database });
      try {
        await world.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2)],
          memberships: [{ organizationId: 2, userId: 1, role: 'owner', idpId: null }],
        });
        await world.ports.users.setPasswordHash({
          userId: 1,
          hash: await world.ports.passwords.hash(password),
        });
        await work(world);
      } finally {
        await world.stop();
      }
    });
  const invite = (world: World, person = dana, organizationId = 1) =>
    world.core.inviteUser({ organization: { id: organizationId }, ...person });
  const acceptAsNew = (world: World, url: string) =>
    world.core.acceptInvitation({
      token: tokenOf(url),
      person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password },
      address: 'a',
    });
  const acceptAsKnown = (world: World, url: string, attempt = password) =>
    world.core.acceptInvitation({
      token: tokenOf(url),
      person: { is: 'known', password: attempt },
      address: 'a',
    });
  const enableWebhook = (world: World, organizationId = 1) =>
    world.core.configureWebhook({
      organization: { id: organizationId },
      how: 'set',
      webhook: { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] },
    });
  const events = (world: World, organizationId = 1) =>
    world.ports.deliveries.list({ organizationId, limit: 100 });

  describe(`invite_user over ${database}`, () => {
    worldTest('gives a URL, and the same one to whoever invites the address again', async (world) => {
      const invited = await invite(world);
      assert.equal(invited.email, 'dana@example.test');
      assert.ok(invited.invitationUrl.startsWith(`${publicUrl}/invitations/`));
      const again = await invite(world, { email: 'dana@example.test', firstName: 'Other', lastName: 'Name' });
      assert.deepEqual(again, invited);
    });

    worldTest('50 simultaneous invitations of one address are one invitation with one URL', async (world) => {
      const all = await Promise.all(Array.from({ length: 50 }, () => invite(world)));
      assert.equal(new Set(all.map(({ invitationUrl }) => invitationUrl)).size, 1);
      assert.equal(new Set(all.map(({ uuid }) => uuid)).size, 1);
    });

    worldTest('names every field that is wrong at once', async (world) => {
      await assert.rejects(
        invite(world, { email: 'nobody', firstName: '', lastName: 'x'.repeat(301) }),
        (error) =>
          error instanceof Refusal &&
          error.messages.map((message) => message.split(' ')[0]).join() === 'email,first_name,last_name',
      );
    });

    worldTest(
      'a member of this organization is refused, a user of another is invited with an own URL',
      async (world) => {
        const user = { ...dana, email: aUser(1).email };
        await assert.rejects(invite(world, user, 2), refused('already-member'));
        const invited = await invite(world, user, 1);
        assert.notEqual(invited.uuid, aUser(1).uuid);
        assert.deepEqual([invited.firstName, invited.lastName], ['Dana', 'Kim']);
      },
    );
  });

  describe(`Accepting over ${database}`, () => {
    worldTest('a new person chooses a password, becomes a member and is signed in', async (world) => {
      const invited = await invite(world);
      const opened = await world.core.openInvitation({ token: tokenOf(invited.invitationUrl) });
      assert.deepEqual(opened, {
        organization: { id: 1, name: 'Organization 1' },
        email: 'dana@example.test',
        firstName: 'Dana',
        lastName: 'Kim',
        hasAccount: false,
        canSignIn: false,
      });

      const { session, boundTo, organizationId } = await acceptAsNew(world, invited.invitationUrl);
      assert.deepEqual([boundTo, organizationId], [null, 1]);
      assert.equal((await world.core.resumeSession({ session: session.reveal() }))?.boundTo, null);
      const member = await world.ports.members.byUuid({ organizationId: 1, uuid: invited.uuid });
      assert.deepEqual(
        [member?.role, member?.user.email, member?.user.uuid],
        ['member', 'dana@example.test', invited.uuid],
      );
      await world.core.signIn({ email: 'DANA@example.test', password, address: 'a' });
    });

    worldTest('the membership and its event are there together, once', async (world) => {
      await enableWebhook(world);
      const { invitationUrl, uuid } = await invite(world);
      await acceptAsNew(world, invitationUrl);
      await assert.rejects(acceptAsNew(world, invitationUrl), refused('invitation-used'));
      const [event, ...more] = await events(world);
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

    worldTest('20 simultaneous acceptances make one member and one event', async (world) => {
      await enableWebhook(world);
      const { invitationUrl } = await invite(world);
      const all = await Promise.allSettled(
        Array.from({ length: 20 }, () => acceptAsNew(world, invitationUrl)),
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
      assert.equal((await events(world)).length, 1);
    });

    worldTest('without an enabled webhook no event is queued', async (world) => {
      await acceptAsNew(world, (await invite(world)).invitationUrl);
      assert.deepEqual(await events(world), []);
    });

    worldTest('whoever has an account signs in with its password to accept', async (world) => {
      const invited = await invite(world, { ...dana, email: aUser(1).email });
      const { invitationUrl } = invited;
      assert.equal((await world.core.openInvitation({ token: tokenOf(invitationUrl) })).hasAccount, true);
      await assert.rejects(acceptAsNew(world, invitationUrl), refused('sign-in-required'));
      await assert.rejects(
        acceptAsKnown(world, invitationUrl, new Secret('a guess')),
        refused('wrong-credentials'),
      );

      await enableWebhook(world);
      const { user, boundTo, organizationId } = await acceptAsKnown(world, invitationUrl);
      assert.deepEqual([user.id, user.firstName, boundTo, organizationId], [1, 'First1', null, 1]);
      const [event] = await events(world);
      assert.equal(JSON.parse(event?.body ?? '').user.uuid, invited.uuid);
      assert.equal((await world.ports.members.byUuid({ organizationId: 1, uuid: invited.uuid }))?.user.id, 1);
    });

    worldTest(
      'an organization that invites somebody who has an account elsewhere cannot get in as them',
      async (world) => {
        const { invitationUrl, uuid } = await invite(world, { ...dana, email: aUser(1).email });
        const token = tokenOf(invitationUrl);
        const chosen = new Secret('chosen by the organization');
        const attempts = [
          () => acceptAsNew(world, invitationUrl),
          () => acceptAsKnown(world, invitationUrl, chosen),
          () => world.core.issueLoginLink({ organization: { id: 1 }, uuid }),
          () => world.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid }),
          () => world.core.redeemLoginLink({ token }),
          () => world.core.signIn({ email: aUser(1).email, password: chosen, address: 'a' }),
        ];
        for (const attempt of [...attempts, ...attempts]) await assert.rejects(attempt, Refusal);
        assert.deepEqual(await world.core.resumeSession({ session: token }), null);
        assert.equal(await world.ports.members.byUserId({ organizationId: 1, userId: 1 }), null);
        assert.equal(await world.ports.users.passwordHash(1), await world.ports.passwords.hash(password));
      },
    );

    worldTest('an account without a password cannot be taken over by choosing one', async (world) => {
      const { invitationUrl } = await invite(world, { ...dana, email: aUser(2).email });
      const { hasAccount, canSignIn } = await world.core.openInvitation({ token: tokenOf(invitationUrl) });
      assert.deepEqual([hasAccount, canSignIn], [true, false]);
      await assert.rejects(acceptAsNew(world, invitationUrl), refused('sign-in-required'));
      await assert.rejects(acceptAsKnown(world, invitationUrl, new Secret('')), refused('wrong-credentials'));
    });

    worldTest('unknown, foreign and broken tokens are refused alike', async (world) => {
      const { invitationUrl } = await invite(world);
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
        await assert.rejects(world.core.openInvitation({ token: text }), refused('invitation-unknown'), text);
      }
    });

    worldTest('names and password are checked, with every problem at once', async (world) => {
      const { invitationUrl } = await invite(world);
      const attempt = world.core.acceptInvitation({
        token: tokenOf(invitationUrl),
        person: { is: 'new', firstName: ' ', lastName: '', password: new Secret('short') },
        address: 'a',
      });
      await assert.rejects(attempt, (error) => error instanceof Refusal && error.messages.length === 3);
      assert.equal((await world.core.openInvitation({ token: tokenOf(invitationUrl) })).hasAccount, false);
    });
  });

  describe(`One-time login over ${database}`, () => {
    const issue = async (world: World, userId = 1) =>
      (await world.core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(userId).uuid })).url;

    worldTest(
      'signs in once, into a session bound to the organization that issued the link',
      async (world) => {
        const token = tokenOf(await issue(world));
        assert.deepEqual(await world.core.openLoginLink({ token }), { organizationName: 'Organization 2' });
        const { session, boundTo } = await world.core.redeemLoginLink({ token });
        assert.equal(boundTo, 2);
        assert.equal((await world.core.resumeSession({ session: session.reveal() }))?.user.id, 1);
        await assert.rejects(world.core.redeemLoginLink({ token }), refused('login-link-used'));
        await assert.rejects(world.core.openLoginLink({ token }), refused('login-link-used'));
      },
    );

    worldTest('25 simultaneous redemptions of one link open one session', async (world) => {
      const token = tokenOf(await issue(world));
      const all = await Promise.allSettled(
        Array.from({ length: 25 }, () => world.core.redeemLoginLink({ token })),
      );
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    worldTest('works after 299 seconds and not after 301', async (world) => {
      const [one, other] = [tokenOf(await issue(world)), tokenOf(await issue(world))];
      world.clock.advance(299_000);
      await world.core.redeemLoginLink({ token: one });
      world.clock.advance(2_000);
      await assert.rejects(world.core.redeemLoginLink({ token: other }), refused('login-link-expired'));
    });

    worldTest('unknown, malformed and other organizations’ users are refused alike', async (world) => {
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
        const attempt = world.core.issueLoginLink({ organization: { id: 2 }, uuid });
        await assert.rejects(attempt, refused('user-not-found', 'User not found'), uuid);
      }
      const foreign = world.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid });
      await assert.rejects(foreign, refused('user-not-found', 'User not found'));
    });

    worldTest('an invited user who has not accepted is told apart', async (world) => {
      const { uuid, invitationUrl } = await invite(world);
      const attempt = () => world.core.issueLoginLink({ organization: { id: 1 }, uuid });
      await assert.rejects(attempt, refused('invitation-pending'));
      await acceptAsNew(world, invitationUrl);
      await attempt();
    });

    worldTest('a UUID is known whatever the case of its letters', async (world) => {
      await world.core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(1).uuid.toUpperCase() });
    });
  });

  describe(`Sessions over ${database}`, () => {
    const signIn = (world: World, attempt = password, email = aUser(1).email) =>
      world.core.signIn({ email, password: attempt, address: 'a' });

    worldTest('an unknown address and a wrong password are answered alike', async (world) => {
      const message = 'The e-mail address or the password is wrong';
      const wrong = ['nobody@example.test', 'no address', '\0', ''];
      for (const email of wrong)
        await assert.rejects(signIn(world, password, email), refused('wrong-credentials', message));
      await assert.rejects(signIn(world, new Secret('wrong')), refused('wrong-credentials', message));
    });

    worldTest(
      '10 failures in 15 minutes lock the account for that time, also against the right password',
      async (world) => {
        for (let count = 0; count < 10; count += 1) {
          await assert.rejects(signIn(world, new Secret('wrong')), refused('wrong-credentials'));
        }
        await assert.rejects(signIn(world), refused('too-many-requests'));
        world.clock.advance(15 * 60 * 1000);
        await signIn(world);
      },
    );

    worldTest('signing in correctly is not counted, however often', async (world) => {
      for (let count = 0; count < 30; count += 1) await signIn(world);
    });

    worldTest('guessing in parallel gains nothing', async (world) => {
      const guesses = Array.from({ length: 40 }, (_, index) =>
        signIn(world, index === 39 ? password : new Secret('x')),
      );
      const answers = await Promise.allSettled(guesses);
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 0);
    });

    worldTest('a password that nobody looked at counts as no failure', async (world) => {
      const { passwords, users } = world.ports;
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
        for (let count = 0; count < 120; count += 1) await assert.rejects(signIn(world), Unavailable);
        Object.assign(passwords, { verify });
        Object.assign(users, { passwordHash });
        await signIn(world);
      }
    });

    worldTest('is over after 30 minutes without a request', async (world) => {
      const session = (await signIn(world)).session.reveal();
      world.clock.advance(29 * 60 * 1000);
      assert.notEqual(await world.core.resumeSession({ session }), null);
      world.clock.advance(29 * 60 * 1000);
      assert.notEqual(await world.core.resumeSession({ session }), null);
      world.clock.advance(30 * 60 * 1000);
      assert.equal(await world.core.resumeSession({ session }), null);
    });

    worldTest('is over after 12 hours whatever happens', async (world) => {
      const session = (await signIn(world)).session.reveal();
      for (let quarter = 1; quarter < 48; quarter += 1) {
        world.clock.advance(15 * 60 * 1000);
        assert.notEqual(await world.core.resumeSession({ session }), null);
      }
      world.clock.advance(15 * 60 * 1000);
      assert.equal(await world.core.resumeSession({ session }), null);
    });

    worldTest('is dead at once after sign-out, and nothing else is a session', async (world) => {
      const session = (await signIn(world)).session.reveal();
      await world.core.signOut({ session });
      assert.equal(await world.core.resumeSession({ session }), null);
      for (const text of [null, '', 'x', `${session}x`]) {
        assert.equal(await world.core.resumeSession({ session: text }), null);
        await world.core.signOut({ session: text });
      }
    });
  });

  describe(`registerUser over ${database}`, () => {
    worldTest('makes a new person or an existing user a member, with one event each', async (world) => {
      await enableWebhook(world);
      await world.core.registerUser({ organizationId: 1, ...dana, idpId: 'idp-7' });
      const known = await world.core.registerUser({ organizationId: 1, ...dana, email: aUser(1).email });
      assert.equal(known.user.id, 1);
      assert.equal((await events(world)).length, 2);
      await assert.rejects(
        world.core.registerUser({ organizationId: 1, ...dana }),
        refused('already-member'),
      );
      const taken = world.core.registerUser({
        organizationId: 1,
        ...dana,
        email: 'x@example.test',
        idpId: 'idp-7',
      });
      await assert.rejects(taken, refused('invalid-request'));
      assert.equal((await events(world)).length, 2);
    });

    worldTest(
      'two organizations that register one new person at once both have the same user',
      async (world) => {
        const both = await Promise.all(
          [1, 2].map((organizationId) => world.core.registerUser({ organizationId, ...dana })),
        );
        assert.equal(both[0]?.user.id, both[1]?.user.id);
        assert.deepEqual(
          both.map(({ organizationId }) => organizationId),
          [1, 2],
        );
      },
    );

    worldTest('of 20 registrations of one new person at once one succeeds', async (world) => {
      await enableWebhook(world);
      const all = await Promise.allSettled(
        Array.from({ length: 20 }, () => world.core.registerUser({ organizationId: 1, ...dana })),
      );
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await events(world)).length, 1);
    });
  });

  describe(`The operator’s commands over ${database}`, () => {
    worldTest('user create, member add and set-password make somebody who can sign in', async (world) => {
      const user = await world.core.createUser({ ...dana, password: null });
      await assert.rejects(world.core.createUser({ ...dana, password: null }), refused('invalid-request'));
      const request = { organizationId: 1, email: dana.email, role: 'admin', idpId: 'idp-9' } as const;
      const member = await world.core.addMember(request);
      assert.deepEqual([member.user.id, member.role, member.idpId], [user.id, 'admin', 'idp-9']);
      await assert.rejects(world.core.addMember(request), refused('already-member'));
      await assert.rejects(
        world.core.addMember({ ...request, organizationId: 9 }),
        refused('organization-not-found'),
      );
      await assert.rejects(
        world.core.addMember({ ...request, email: 'x@example.test' }),
        refused('user-not-found'),
      );
      await assert.rejects(
        world.core.addMember({ ...request, email: aUser(2).email }),
        refused('invalid-request', 'idp_id: idp-9 belongs to another member'),
      );
      await world.core.setPassword({ email: dana.email, password });
      await world.core.signIn({ email: dana.email, password, address: 'a' });
      const unknown = world.core.setPassword({ email: 'x@example.test', password });
      await assert.rejects(unknown, refused('user-not-found'));
    });

    worldTest('member add makes no event', async (world) => {
      await enableWebhook(world);
      await world.core.addMember({ organizationId: 1, email: aUser(2).email, role: 'member', idpId: null });
      assert.deepEqual(await events(world), []);
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
