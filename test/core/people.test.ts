import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Actor, Refusal, type RefusalCode, type Role, Secret, type Session } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { databaseKinds } from '../support/storage.js';
import { startTestService, type TestService } from '../support/test-service.js';

const password = new Secret('correct horse');
const next = new Secret('battery staple');
const organization = { id: 1 };
const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const operator: Actor = { who: { kind: 'command-line' }, from: null };

for (const database of databaseKinds) {
  const serviceTest = (name: string, work: (service: TestService) => Promise<void>) =>
    test(name, async () => {
      const service = await startTestService({ database });
      try {
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2), aUser(3), aUser(4)],
          memberships: [
            { organizationId: 1, userId: 1, role: 'owner', idpId: null },
            { organizationId: 1, userId: 2, role: 'admin', idpId: null },
            { organizationId: 1, userId: 3, role: 'member', idpId: null },
            { organizationId: 2, userId: 3, role: 'owner', idpId: null },
          ],
        });
        const hash = await service.ports.passwords.hash(password);
        await service.ports.users.setPasswordHash({ userId: 1, hash });
        await work(service);
      } finally {
        await service.stop();
      }
    });

  describe(`authorizeMember over ${database}`, () => {
    const of = (userId: number, boundTo: number | null = null): Pick<Session, 'user' | 'boundTo'> => ({
      user: aUser(userId),
      boundTo,
    });

    serviceTest(
      'gives the member to whoever has the role or a higher one, and to nobody else',
      async (service) => {
        const table: readonly (readonly [number, Role, boolean])[] = [
          [1, 'owner', true],
          [1, 'admin', true],
          [1, 'member', true],
          [2, 'owner', false],
          [2, 'admin', true],
          [2, 'member', true],
          [3, 'owner', false],
          [3, 'admin', false],
          [3, 'member', true],
        ];
        for (const [userId, role, may] of table) {
          const attempt = service.core.authorizeMember({ session: of(userId), organizationId: 1, role });
          if (!may) await assert.rejects(attempt, refused('role-too-low'), `${userId} as ${role}`);
          else {
            const { member, organization: here } = await attempt;
            assert.deepEqual(member, await service.ports.members.byUserId({ organizationId: 1, userId }));
            assert.deepEqual(here, await service.ports.organizations.byId(1));
          }
        }
      },
    );

    serviceTest('refuses an organization of others as one that does not exist', async (service) => {
      const messages = new Set<string>();
      for (const organizationId of [2, 99, 0, -1, 1.5, Number.NaN, 2 ** 60]) {
        for (const role of ['owner', 'member'] as const) {
          const attempt = service.core.authorizeMember({ session: of(1), organizationId, role });
          await assert.rejects(attempt, (error) => {
            messages.add((error as Error).message);
            return refused('organization-not-found')(error);
          });
        }
      }
      assert.equal(messages.size, 1);
    });

    serviceTest(
      'a session that a link opened stays in the member’s page of its organization',
      async (service) => {
        const { core } = service;
        const inside = await core.authorizeMember({ session: of(1, 1), organizationId: 1, role: 'member' });
        assert.equal(inside.member.role, 'owner');
        for (const [organizationId, role] of [
          [1, 'admin'],
          [1, 'owner'],
          [2, 'member'],
          [2, 'owner'],
          [99, 'member'],
        ] as const) {
          const attempt = core.authorizeMember({ session: of(3, 1), organizationId, role });
          await assert.rejects(attempt, refused('session-bound'), `${organizationId} as ${role}`);
        }
      },
    );
  });

  describe(`People over ${database}`, () => {
    const change = (service: TestService, userId: number, role: Role) =>
      service.core.changeRole({ organization, userId, role, by });

    serviceTest('are listed in pages with their roles and who can sign in', async (service) => {
      const all = await service.core.listMembers({ organization });
      assert.deepEqual(
        all.items.map(({ user, role, canSignIn }) => [user.id, role, canSignIn]),
        [
          [1, 'owner', true],
          [2, 'admin', false],
          [3, 'member', false],
        ],
      );
      assert.deepEqual([all.page, all.size, all.totalItems, all.totalPages], [1, 50, 3, 1]);
      const second = await service.core.listMembers({ organization, page: '2', size: 2 });
      assert.deepEqual(
        [second.items.map(({ user }) => user.id), second.page, second.totalPages],
        [[3], 2, 2],
      );
    });

    serviceTest('are found by words of names and addresses, between any white space', async (service) => {
      const found = async (search: string) => {
        const { items, totalItems } = await service.core.listMembers({ organization, search });
        assert.equal(totalItems, items.length);
        return items.map(({ user }) => user.id);
      };
      assert.deepEqual(await found(' \u00a0\t'), [1, 2, 3]);
      assert.deepEqual(await found('USER-2'), [2]);
      assert.deepEqual(await found('\tlast3 \n first3\u00a0'), [3]);
      assert.deepEqual(await found('first3 last2'), []);
      assert.deepEqual(await found(` ${'x'.repeat(300)} `), []);
      const tooLong = refused('invalid-request', 'search must have at most 300 characters');
      await assert.rejects(found('x'.repeat(301)), tooLong);
      assert.deepEqual(await found('user-2 '.repeat(40)), [2]);
      assert.deepEqual(await found('u s e r - 2 l a t @'), [2]);
      await assert.rejects(
        found('u s e r - 2 l a t @ .'),
        refused('invalid-request', 'search must have at most 10 words'),
      );
      const unstorable = refused('invalid-request', 'search must not contain control characters');
      for (const search of ['a\0', '\ud800', 'a\u0007b']) await assert.rejects(found(search), unstorable);
    });

    serviceTest('no user and no access key adds anybody, whoever has the address', async (service) => {
      const { core } = service;
      const added = { organizationId: 1, email: aUser(4).email, role: 'owner', idpId: null } as const;
      const key: Actor = { who: { kind: 'access-key' }, from: null };
      const refusal = refused('invalid-request', 'by must not be a user: invite instead');
      await assert.rejects(core.addMember({ ...added, by }), refusal);
      await assert.rejects(core.addMember({ ...added, email: 'nobody@example.test', by }), refusal);
      await assert.rejects(core.addMember({ ...added, by: key }), refused('invalid-request'));
      await assert.rejects(core.readMember({ organization, userId: 4 }), refused('member-not-found'));
      assert.equal((await core.addMember({ ...added, by: operator })).role, 'owner');
    });

    serviceTest('one of them is found by the user, in their organization only', async ({ core }) => {
      const { user, role } = await core.readMember({ organization, userId: 2 });
      assert.deepEqual([user, role], [aUser(2), 'admin']);
      for (const userId of [4, 99, 0, Number.NaN, 1.5]) {
        await assert.rejects(core.readMember({ organization, userId }), refused('member-not-found'));
      }
      const elsewhere = core.readMember({ organization: { id: 2 }, userId: 2 });
      await assert.rejects(elsewhere, refused('member-not-found'));
    });

    serviceTest('the last owner can neither be removed nor demoted, one of two can', async (service) => {
      await assert.rejects(change(service, 1, 'admin'), refused('last-owner'));
      await assert.rejects(service.core.removeMember({ organization, userId: 1, by }), refused('last-owner'));
      await change(service, 2, 'owner');
      assert.equal((await change(service, 1, 'member')).role, 'member');
      await assert.rejects(change(service, 2, 'member'), refused('last-owner'));
    });

    serviceTest('of 20 at once that demote and remove two owners one owner is left', async (service) => {
      await change(service, 2, 'owner');
      const answers = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          index % 4 < 2
            ? change(service, 1 + (index % 2), 'member')
            : service.core.removeMember({ organization, userId: 1 + (index % 2), by }),
        ),
      );
      for (const answer of answers) {
        if (answer.status === 'rejected')
          assert.ok(['last-owner', 'member-not-found'].includes((answer.reason as Refusal).code));
      }
      const { items } = await service.core.listMembers({ organization });
      assert.equal(items.filter(({ role }) => role === 'owner').length, 1);
    });

    serviceTest('who is no member, and what is no role or number, is refused', async (service) => {
      for (const userId of [4, 99, 0, -1, 1.5, Number.NaN]) {
        await assert.rejects(change(service, userId, 'admin'), refused('member-not-found'));
        const removal = service.core.removeMember({ organization, userId, by });
        await assert.rejects(removal, refused('member-not-found'));
      }
      await assert.rejects(change(service, 2, 'king' as Role), refused('invalid-request'));
    });

    serviceTest('whoever is removed is out at once, and stays elsewhere', async (service) => {
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

    serviceTest('what is done to them is in the trail', async (service) => {
      await service.core.addMember({
        organizationId: 1,
        email: aUser(4).email,
        role: 'member',
        idpId: null,
        by: operator,
      });
      await change(service, 4, 'admin');
      await change(service, 4, 'admin');
      await service.core.removeMember({ organization, userId: 4, by });
      const { items } = await service.core.listActivity({ organization });
      assert.deepEqual(
        items.map(({ action, subject, actor, user }) => [action, subject, actor, user?.email]),
        [
          ['member-removed', 'user-4@example.test', by, aUser(1).email],
          ['role-changed', 'user-4@example.test: admin', by, aUser(1).email],
          ['member-added', 'user-4@example.test: member', operator, undefined],
        ],
      );
    });
  });

  describe(`changePassword over ${database}`, () => {
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
    const isAlive = async (service: TestService, session: string) =>
      (await service.core.resumeSession({ session })) !== null;

    serviceTest('ends every session of the user and opens a new one for the caller', async (service) => {
      const [mine, other] = [await signIn(service), await signIn(service)];
      const { session, user, boundTo } = await change(service, mine);
      assert.deepEqual([user.id, boundTo], [1, null]);
      assert.notEqual(session.reveal(), mine);
      assert.deepEqual(
        [
          await isAlive(service, mine),
          await isAlive(service, other),
          await isAlive(service, session.reveal()),
        ],
        [false, false, true],
      );
      await assert.rejects(signIn(service), refused('wrong-credentials'));
      await signIn(service, next);
    });

    serviceTest('needs the current password, and counts wrong ones as signing in does', async (service) => {
      const mine = await signIn(service);
      for (let count = 0; count < 10; count += 1) {
        const attempt = change(service, mine, { from: new Secret('a guess') });
        await assert.rejects(attempt, refused('wrong-credentials', 'currentPassword is wrong'));
      }
      await assert.rejects(change(service, mine), refused('too-many-requests'));
      await assert.rejects(signIn(service), refused('too-many-requests'));
      assert.equal(await isAlive(service, mine), true);
      service.clock.advance(15 * 60 * 1000);
      await change(service, mine);
    });

    serviceTest('checks the new one as accepting an invitation does', async (service) => {
      const mine = await signIn(service);
      for (const text of ['', 'short', 'x'.repeat(1001)]) {
        await assert.rejects(change(service, mine, { to: new Secret(text) }), (error) => {
          return refused('invalid-request')(error) && (error as Refusal).message.startsWith('newPassword ');
        });
      }
      await signIn(service);
    });

    serviceTest('is not for a session that a link opened, nor for nobody', async (service) => {
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

    serviceTest('of 5 at once with the current password one succeeds', async (service) => {
      const mine = await signIn(service);
      const answers = await Promise.allSettled(
        Array.from({ length: 5 }, (_, index) =>
          change(service, mine, { to: new Secret(`password ${index}`) }),
        ),
      );
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    serviceTest(
      'leaves no session to whoever signs in or accepts with the old one meanwhile',
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
        await assert.rejects(accepting, refused('wrong-credentials'));
      },
    );
  });
}

function refused(code: RefusalCode, message?: string) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === code && (message === undefined || error.message === message);
}
