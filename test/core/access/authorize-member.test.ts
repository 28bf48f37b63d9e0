import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createCore, type Role, type Session } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { aNewMember } from '#core/testing/new-member.js';
import { aSignOn } from '#core/testing/new-sign-on.js';
import { links } from '../../support/core/audited-core.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

describe('authorizeMember', () => {
  const of = (userId: number, boundTo: number | null = null): Pick<Session, 'user' | 'boundTo'> => ({
    user: aUser(userId),
    boundTo,
  });

  peopleTest(
    'returns the member if they have the role or a higher one, and refuses others',
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

  peopleTest('refuses another organization exactly like one that does not exist', async (service) => {
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

  peopleTest('refuses an organization that is removed during the call', async (service) => {
    const core = createCore(
      { ...service.ports, organizations: { ...service.ports.organizations, byId: async () => null } },
      { links },
    );
    const attempt = core.authorizeMember({ session: of(1), organizationId: 1, role: 'member' });
    await assert.rejects(attempt, refused('organization-not-found'));
  });

  peopleTest('limits a session from a login link to the member page of its organization', async (service) => {
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
  });

  peopleTest('a password opens a membership that needs sign-on for an owner only', async (service) => {
    const { core, ports, load } = service;
    await load({ users: [aUser(5)] });
    await ports.members.register(aNewMember({ id: 5 }, { needsSignOn: true, role: 'admin' }));
    const enter = (session: Partial<Session>) =>
      core.authorizeMember({ session: { ...of(5), ...session }, organizationId: 1, role: 'member' });
    const message = 'This organization opens with sign-on at its identity provider';
    await assert.rejects(enter({}), refused('sign-on-required', message));
    await assert.rejects(enter({ startedBy: 'password' }), refused('sign-on-required'));
    assert.equal((await enter({ boundTo: 1, startedBy: 'sign-on' })).member.role, 'admin');
    assert.equal((await enter({ boundTo: 1, startedBy: 'login-link' })).member.user.id, 5);
    await ports.members.changeRole({ organizationId: 1, userId: 5, role: 'owner' });
    assert.equal((await enter({})).member.role, 'owner');
  });

  peopleTest('where sign-on is required, the password lets only owners in', async (service) => {
    const { core, ports } = service;
    await ports.signOns.save(1, () => aSignOn({ isRequired: true }));
    const enter = (userId: number, session: Partial<Session> = {}) =>
      core.authorizeMember({ session: { ...of(userId), ...session }, organizationId: 1, role: 'member' });
    for (const userId of [2, 3]) await assert.rejects(enter(userId), refused('sign-on-required'));
    assert.equal((await enter(1)).member.role, 'owner');
    assert.equal((await enter(2, { boundTo: 1, startedBy: 'sign-on' })).member.role, 'admin');
    assert.equal((await enter(3, { boundTo: 1 })).member.role, 'member');
    const elsewhere = core.authorizeMember({ session: of(3), organizationId: 2, role: 'owner' });
    assert.equal((await elsewhere).organization.id, 2);
    const stranger = core.authorizeMember({ session: of(4), organizationId: 1, role: 'member' });
    await assert.rejects(stranger, refused('organization-not-found'));
  });

  peopleTest('a session that sign-on started opens its organization with the whole role', async (service) => {
    const session = { ...of(1, 1), startedBy: 'sign-on' } as const;
    const { member } = await service.core.authorizeMember({ session, organizationId: 1, role: 'owner' });
    assert.equal(member.role, 'owner');
    const elsewhere = service.core.authorizeMember({ session, organizationId: 2, role: 'member' });
    await assert.rejects(elsewhere, refused('session-bound'));
  });
});
