import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Role } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { operator } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';
import { by, peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

describe('changeRole', () => {
  const change = (service: TestService, userId: number, role: Role) =>
    service.core.changeRole({ organization, userId, role, by });

  peopleTest(
    'the last owner can be neither removed nor demoted; one of two owners can be',
    async (service) => {
      await assert.rejects(change(service, 1, 'admin'), refused('last-owner'));
      await assert.rejects(service.core.removeMember({ organization, userId: 1, by }), refused('last-owner'));
      await change(service, 2, 'owner');
      assert.equal((await change(service, 1, 'member')).role, 'member');
      await assert.rejects(change(service, 2, 'member'), refused('last-owner'));
    },
  );

  peopleTest(
    'refuses a user who is not a member, an invalid user ID and an unknown role',
    async (service) => {
      for (const userId of [4, 99, 0, -1, 1.5, Number.NaN]) {
        await assert.rejects(change(service, userId, 'admin'), refused('member-not-found'));
        const removal = service.core.removeMember({ organization, userId, by });
        await assert.rejects(removal, refused('member-not-found'));
      }
      await assert.rejects(change(service, 2, 'king' as Role), refused('invalid-request'));
    },
  );

  peopleTest('refuses to replace another role than the one that the caller has seen', async ({ core }) => {
    const demote = (replaces: Role) =>
      core.changeRole({ organization, userId: 2, role: 'member', replaces, by });
    await core.changeRole({ organization, userId: 2, role: 'owner', by });
    const changed = refused('invalid-request', 'role was changed to owner in the meantime');
    await assert.rejects(demote('admin'), changed);
    assert.equal((await demote('owner')).role, 'member');
  });

  peopleTest('each change of a member is in the audit trail', async (service) => {
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
        ['role-changed', 'user-4@example.test: member → admin', by, aUser(1).email],
        ['member-added', 'user-4@example.test: member', operator, undefined],
      ],
    );
  });
});
