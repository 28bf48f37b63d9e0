import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { ListMembers } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

describe('listMembers', () => {
  peopleTest('lists members in pages, with their roles and whether they can sign in', async (service) => {
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
    assert.deepEqual([second.items.map(({ user }) => user.id), second.page, second.totalPages], [[3], 2, 2]);
  });

  peopleTest('lists them by role, by name or the newest first, and those with one role', async (service) => {
    await service.load({ users: [aUser(5, { firstName: 'Ada' })] });
    service.clock.set(new Date('2100-01-01T00:00:00.000Z'));
    await service.core.addMember({
      organizationId: 1,
      email: aUser(5).email,
      role: 'member',
      idpId: null,
    });
    const listed = async (request: Partial<ListMembers> = {}) => {
      const { items } = await service.core.listMembers({ organization, ...request });
      return items.map(({ user }) => user.id);
    };
    assert.deepEqual(await listed(), [1, 2, 3, 5]);
    assert.deepEqual(await listed({ order: 'name' }), [5, 1, 2, 3]);
    assert.equal((await listed({ order: 'newest' }))[0], 5);
    assert.deepEqual(await listed({ role: 'admin' }), [2]);
    await assert.rejects(
      listed({ order: 'oldest' as never }),
      /^TypeError: order must be one of role, name, newest$/,
    );
    await assert.rejects(listed({ role: 'chief' as never }), /^TypeError: role must be one of /);
  });

  peopleTest(
    'finds members by words of their names and email addresses, separated by any white space',
    async (service) => {
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
      assert.deepEqual(await found(`${'x'.repeat(150)}  ${'y'.repeat(149)}`), []);
      await assert.rejects(
        found(`${'x'.repeat(150)} ${'y'.repeat(150)}`),
        refused('invalid-request', 'search must have at most 300 characters'),
      );
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
      // Names that were imported may have such characters.
      for (const search of ['\u202blast3\u202c', '\u200b']) assert.deepEqual(await found(search), []);
    },
  );
});
