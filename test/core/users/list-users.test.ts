import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { ListUsers } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

describe('listUsers', () => {
  peopleTest('lists every member once, by email address, in parts of any size', async ({ core, load }) => {
    await load({
      users: [aUser(5, { email: 'a@example.test' }), aUser(6, { email: 'é@example.test' })],
      memberships: [5, 6].map((userId) => ({ organizationId: 1, userId, role: 'member', idpId: null })),
    });
    for (const limit of [1, 2, 3, 4, 5, 100, undefined, '2', 0, -1, 'many', 1000]) {
      const listed = [];
      let after: string | undefined;
      do {
        const { items, next } = await core.listUsers({ organization, limit, after });
        assert.ok(items.length > 0);
        listed.push(...items.map(({ user }) => user.id));
        after = next ?? undefined;
      } while (after !== undefined);
      assert.deepEqual(listed, [5, 1, 2, 3, 6], `limit ${limit}`);
    }
    const { items, next } = await core.listUsers({ organization: { id: 2 } });
    assert.deepEqual([items.map(({ user }) => user.id), next], [[3], null]);
  });

  peopleTest('returns the members that match every filter', async ({ core }) => {
    await core.setIdpId({ organization, uuid: aUser(2).uuid, idpId: 'Idp-2' });
    const found = async (filters: Partial<ListUsers>) =>
      (await core.listUsers({ organization, ...filters })).items.map(({ user }) => user.id);
    assert.deepEqual(await found({ email: ' USER-2@Example.test' }), [2]);
    assert.deepEqual(await found({ email: 'user-4@example.test' }), []);
    assert.deepEqual(await found({ idpId: 'Idp-2' }), [2]);
    assert.deepEqual(await found({ idpId: 'idp-2' }), []);
    assert.deepEqual(await found({ role: 'member' }), [3]);
    assert.deepEqual(await found({ search: 'idp-2 LAST2' }), [2]);
    assert.deepEqual(await found({ search: 'first', role: 'owner' }), [1]);
    for (const text of ['\0', '\ud800']) {
      assert.deepEqual(await found({ idpId: text }), []);
    }
  });

  peopleTest(
    'asks the storage for what it can store and for one more than it returns',
    async ({ core, ports }) => {
      const asked: (number | undefined)[] = [];
      ports.members.listByEmail = async ({ limit }) => {
        asked.push(limit);
        return [];
      };
      const found = (request: Partial<ListUsers>) => core.listUsers({ organization, ...request });
      for (const text of ['\0', '\ud800', 'a\0b'])
        assert.deepEqual(await found({ idpId: text }), { items: [], next: null });
      assert.deepEqual(asked, []);
      await found({ limit: 7, email: aUser(1).email, idpId: 'idp-1' });
      await found({});
      assert.deepEqual(asked, [8, 51]);
    },
  );

  peopleTest(
    'refuses unknown roles, wrong addresses, long searches, and cursors of other lists',
    async ({ core }) => {
      const list = (request: Partial<ListUsers>) => core.listUsers({ organization, ...request });
      await assert.rejects(
        list({ role: 'chief' as never }),
        refused('invalid-request', 'role must be one of owner, admin, member'),
      );
      for (const email of ['nonsense', '', 'a b@example.test', '\0', '\ud800', 'a\0b'])
        await assert.rejects(list({ email }), refused('invalid-request'), email);
      await assert.rejects(
        list({ search: 'x'.repeat(301) }),
        refused('invalid-request', 'search must have at most 300 characters'),
      );
      const unknown = refused('invalid-request', 'after must be the `next` of an earlier answer');
      const cursorOf = (...values: readonly unknown[]) =>
        Buffer.from(JSON.stringify(values)).toString('base64url');
      assert.deepEqual((await list({ after: cursorOf('users', 'user-2@example.test') })).items.length, 1);
      for (const after of [
        '',
        'x',
        cursorOf('invitations', 'user-2@example.test'),
        cursorOf('users'),
        cursorOf('users', 2),
        cursorOf('users', 'a\0'),
        cursorOf('users', 'a', 'b'),
      ])
        await assert.rejects(list({ after }), unknown, after);
    },
  );
});
