import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Actor, Refusal, type RefusalCode, type Role, Secret, type Session } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { databaseKinds } from '../support/storage.js';
import { startWorld, type World } from '../support/world.js';

const password = new Secret('correct horse');
const next = new Secret('battery staple');
const organization = { id: 1 };
const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const operator: Actor = { who: { kind: 'command-line' }, from: null };

for (const database of databaseKinds) {
  const worldTest = (name: string, work: (world: World) => Promise<void>) =>
    test(name, async () => {
      const world = await startWorld({ database });
      try {
        await world.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2), aUser(3), aUser(4)],
          memberships: [
            { organizationId: 1, userId: 1, role: 'owner', idpId: null },
            { organizationId: 1, userId: 2, role: 'admin', idpId: null },
            { organizationId: 1, userId: 3, role: 'member', idpId: null },
            { organizationId: 2, userId: 3, role: 'owner', idpId: null },
          ],
        });
        const hash = await world.ports.passwords.hash(password);
        await world.ports.users.setPasswordHash({ userId: 1, hash });
        await work(world);
      } finally {
        await world.stop();
      }
    });

  describe(`authorizeMember over ${database}`, () => {
    const of = (userId: number, boundTo: number | null = null): Pick<Session, 'user' | 'boundTo'> => ({
      user: aUser(userId),
      boundTo,
    });

    worldTest(
      'gives the member to whoever has the role or a higher one, and to nobody else',
      async (world) => {
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
          const attempt = world.core.authorizeMember({ session: of(userId), organizationId: 1, role });
          if (!may) await assert.rejects(attempt, refused('role-too-low'), `${userId} as ${role}`);
          else {
            const { member, organization: here } = await attempt;
            assert.deepEqual(member, await world.ports.members.byUserId({ organizationId: 1, userId }));
            assert.deepEqual(here, await world.ports.organizations.byId(1));
          }
        }
      },
    );

    worldTest('refuses an organization of others as one that does not exist', async (world) => {
      const messages = new Set<string>();
      for (const organizationId of [2, 99, 0, -1, 1.5, Number.NaN, 2 ** 60]) {
        for (const role of ['owner', 'member'] as const) {
          const attempt = world.core.authorizeMember({ session: of(1), organizationId, role });
          await assert.rejects(attempt, (error) => {
            messages.add((error as Error).message);
            return refused('organization-not-found')(error);
          });
        }
      }
      assert.equal(messages.size, 1);
    });

    worldTest(
      'a session that a link opened stays in the member’s page of its organization',
      async (world) => {
        const { core } = world;
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
    const change = (world: World, userId: number, role: Role) =>
      world.core.changeRole({ organization, userId, role, by });

    worldTest('are listed in pages with their roles and who can sign in', async (world) => {
      const all = await world.core.listMembers({ organization });
      assert.deepEqual(
        all.items.map(({ user, role, canSignIn }) => [user.id, role, canSignIn]),
        [
          [1, 'owner', true],
          [2, 'admin', false],
          [3, 'member', false],
        ],
      );
      assert.deepEqual([all.page, all.size, all.totalItems, all.totalPages], [1, 50, 3, 1]);
      const second = await world.core.listMembers({ organization, page: '2', size: 2 });
      assert.deepEqual(
        [second.items.map(({ user }) => user.id), second.page, second.totalPages],
        [[3], 2, 2],
      );
    });

    worldTest('are found by words of names and addresses, between any white space', async (world) => {
      const found = async (search: string) => {
        const { items, totalItems } = await world.core.listMembers({ organization, search });
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
      const unstorable = refused('invalid-request', 'search must not contain control characters');
      for (const search of ['a\0', '\ud800', 'a\u0007b']) await assert.rejects(found(search), unstorable);
    });

    worldTest('no user and no access key adds anybody, whoever has the address', async (world) => {
      const { core } = world;
      const added = { organizationId: 1, email: aUser(4).email, role: 'owner', idpId: null } as const;
      const key: Actor = { who: { kind: 'access-key' }, from: null };
      const refusal = refused('invalid-request', 'by must not be a user: invite instead');
      await assert.rejects(core.addMember({ ...added, by }), refusal);
      await assert.rejects(core.addMember({ ...added, email: 'nobody@example.test', by }), refusal);
      await assert.rejects(core.addMember({ ...added, by: key }), refused('invalid-request'));
      await assert.rejects(core.readMember({ organization, userId: 4 }), refused('member-not-found'));
      assert.equal((await core.addMember({ ...added, by: operator })).role, 'owner');
    });

    worldTest('one of them is found by the user, in their organization only', async ({ core }) => {
      const { user, role } = await core.readMember({ organization, userId: 2 });
      assert.deepEqual([user, role], [aUser(2), 'admin']);
      for (const userId of [4, 99, 0, Number.NaN, 1.5]) {
        await assert.rejects(core.readMember({ organization, userId }), refused('member-not-found'));
      }
      const elsewhere = core.readMember({ organization: { id: 2 }, userId: 2 });
      await assert.rejects(elsewhere, refused('member-not-found'));
    });

    worldTest('the last owner can neither be removed nor demoted, one of two can', async (world) => {
      await assert.rejects(change(world, 1, 'admin'), refused('last-owner'));
      await assert.rejects(world.core.removeMember({ organization, userId: 1, by }), refused('last-owner'));
      await change(world, 2, 'owner');
      assert.equal((await change(world, 1, 'member')).role, 'member');
      await assert.rejects(change(world, 2, 'member'), refused('last-owner'));
    });

    worldTest('of 20 at once that demote and remove two owners one owner is left', async (world) => {
      await change(world, 2, 'owner');
      const answers = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          index % 4 < 2
            ? change(world, 1 + (index % 2), 'member')
            : world.core.removeMember({ organization, userId: 1 + (index % 2), by }),
        ),
      );
      for (const answer of answers) {
        if (answer.status === 'rejected')
          assert.ok(['last-owner', 'member-not-found'].includes((answer.reason as Refusal).code));
      }
      const { items } = await world.core.listMembers({ organization });
      assert.equal(items.filter(({ role }) => role === 'owner').length, 1);
    });

    worldTest('who is no member, and what is no role or number, is refused', async (world) => {
      for (const userId of [4, 99, 0, -1, 1.5, Number.NaN]) {
        await assert.rejects(change(world, userId, 'admin'), refused('member-not-found'));
        const removal = world.core.removeMember({ organization, userId, by });
        await assert.rejects(removal, refused('member-not-found'));
      }
      await assert.rejects(change(world, 2, 'king' as Role), refused('invalid-request'));
    });

    worldTest('whoever is removed is out at once, and stays elsewhere', async (world) => {
      const { url } = await world.core.issueLoginLink({ organization, uuid: aUser(3).uuid });
      const token = url.slice(url.lastIndexOf('/') + 1);
      const bound = await world.core.redeemLoginLink({ token });
      const removed = await world.core.removeMember({ organization, userId: 3, by });
      assert.equal(removed.user.id, 3);
      assert.equal(await world.core.resumeSession({ session: bound.session.reveal() }), null);
      const elsewhere = await world.core.listMemberships({ userId: 3 });
      assert.deepEqual(
        elsewhere.map((membership) => membership.organization.id),
        [2],
      );
    });

    worldTest('what is done to them is in the trail', async (world) => {
      await world.core.addMember({
        organizationId: 1,
        email: aUser(4).email,
        role: 'member',
        idpId: null,
        by: operator,
      });
      await change(world, 4, 'admin');
      await change(world, 4, 'admin');
      await world.core.removeMember({ organization, userId: 4, by });
      const { items } = await world.core.listActivity({ organization });
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
    const signIn = async (world: World, attempt = password) => {
      const { session } = await world.core.signIn({ email: aUser(1).email, password: attempt, address: 'a' });
      return session.reveal();
    };
    const change = (
      world: World,
      session: string | null,
      given: Partial<Record<'from' | 'to', Secret>> = {},
    ) =>
      world.core.changePassword({
        session,
        currentPassword: given.from ?? password,
        newPassword: given.to ?? next,
        address: 'a',
      });
    const isAlive = async (world: World, session: string) =>
      (await world.core.resumeSession({ session })) !== null;

    worldTest('ends every session of the user and opens a new one for the caller', async (world) => {
      const [mine, other] = [await signIn(world), await signIn(world)];
      const { session, user, boundTo } = await change(world, mine);
      assert.deepEqual([user.id, boundTo], [1, null]);
      assert.notEqual(session.reveal(), mine);
      assert.deepEqual(
        [await isAlive(world, mine), await isAlive(world, other), await isAlive(world, session.reveal())],
        [false, false, true],
      );
      await assert.rejects(signIn(world), refused('wrong-credentials'));
      await signIn(world, next);
    });

    worldTest('needs the current password, and counts wrong ones as signing in does', async (world) => {
      const mine = await signIn(world);
      for (let count = 0; count < 10; count += 1) {
        const attempt = change(world, mine, { from: new Secret('a guess') });
        await assert.rejects(attempt, refused('wrong-credentials', 'current_password is wrong'));
      }
      await assert.rejects(change(world, mine), refused('too-many-requests'));
      await assert.rejects(signIn(world), refused('too-many-requests'));
      assert.equal(await isAlive(world, mine), true);
      world.clock.advance(15 * 60 * 1000);
      await change(world, mine);
    });

    worldTest('checks the new one as accepting an invitation does', async (world) => {
      const mine = await signIn(world);
      for (const text of ['', 'short', 'x'.repeat(1001)]) {
        await assert.rejects(change(world, mine, { to: new Secret(text) }), (error) => {
          return refused('invalid-request')(error) && (error as Refusal).message.startsWith('new_password ');
        });
      }
      await signIn(world);
    });

    worldTest('is not for a session that a link opened, nor for nobody', async (world) => {
      const { url } = await world.core.issueLoginLink({ organization, uuid: aUser(1).uuid });
      const { session } = await world.core.redeemLoginLink({ token: url.slice(url.lastIndexOf('/') + 1) });
      await assert.rejects(change(world, session.reveal()), refused('session-bound'));
      for (const none of [null, '', 'x']) {
        await assert.rejects(change(world, none), refused('sign-in-required'));
      }
      const mine = await signIn(world);
      await world.core.signOut({ session: mine });
      await assert.rejects(change(world, mine), refused('sign-in-required'));
      await signIn(world);
    });

    worldTest('of 5 at once with the current password one succeeds', async (world) => {
      const mine = await signIn(world);
      const answers = await Promise.allSettled(
        Array.from({ length: 5 }, (_, index) => change(world, mine, { to: new Secret(`password ${index}`) })),
      );
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    worldTest(
      'leaves no session to whoever signs in or accepts with the old one meanwhile',
      async (world) => {
        const { core, ports } = world;
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
        await assert.rejects(signIn(world), refused('wrong-credentials'));
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
