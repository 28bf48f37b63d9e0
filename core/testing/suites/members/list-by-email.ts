import type { MemberFilters } from '../../../users/ports/members.js';
import { aMembership, aUser } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import type { MakeTest } from '../../start-storage.js';

export function listByEmailTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('listByEmail returns whole members by address in code point order, and goes on after an address', async (storage) => {
      const { members, load } = storage;
      const emails = ['b@example.test', 'ä@example.test', 'a@example.test', 'a-b@example.test', 'Z'];
      const people = emails.map((email, index) => aUser(10 + index, { email }));
      await load({
        users: people,
        memberships: people.map(({ id }, index) =>
          aMembership(id, { role: index === 0 ? 'owner' : 'member' }),
        ),
      });
      const list = async (after: string | null, limit = 9, organizationId = 1) => {
        const found = await members.listByEmail({ organizationId, after, limit });
        return found.map(({ user }) => user.email);
      };
      const sorted = ['Z', 'a-b@example.test', 'a@example.test', 'b@example.test', 'ä@example.test'];
      expectEqual(await list(null), sorted);
      expectEqual(await list(null, 2), sorted.slice(0, 2));
      expectEqual(await list('a-b@example.test'), sorted.slice(2));
      expectEqual(await list('a-c@example.test', 1), ['a@example.test']);
      expectEqual(await list('ä@example.test'), []);
      expectEqual(await list(null, 9, 2), [aUser(1).email]);
      expectEqual(await list(null, 9, 99), []);
      const [first] = await members.listByEmail({ organizationId: 1, after: null, limit: 1 });
      expectEqual(first, await members.byUserId({ organizationId: 1, userId: 14 }));
    }),

    test('listByEmail returns the members that match every filter', async ({ members, load }) => {
      await load({
        memberships: [aMembership(1, { role: 'owner', idpId: 'Idp' }), aMembership(2, { idpId: 'idp' })],
      });
      const find = async (filters: MemberFilters, after: string | null = null) => {
        const found = await members.listByEmail({ organizationId: 1, after, limit: 9, ...filters });
        return found.map(({ user }) => user.id);
      };
      expectEqual(await find({}), [1, 2]);
      expectEqual(await find({ email: undefined, idpId: undefined, role: undefined, words: [] }), [1, 2]);
      expectEqual(await find({ email: aUser(2).email }), [2]);
      expectEqual(await find({ email: 'user-2' }), []);
      expectEqual(await find({ idpId: 'idp' }), [2]);
      expectEqual(await find({ idpId: 'id' }), []);
      expectEqual(await find({ role: 'owner' }), [1]);
      expectEqual(await find({ role: 'admin' }), []);
      expectEqual(await find({ words: ['IDP'] }), [1, 2]);
      expectEqual(await find({ words: ['first2', 'last2'] }), [2]);
      expectEqual(await find({ words: ['idp'], role: 'member', idpId: 'idp', email: aUser(2).email }), [2]);
      expectEqual(await find({ words: ['idp'], role: 'owner', idpId: 'idp' }), []);
      expectEqual(await find({ words: ['idp'] }, aUser(1).email), [2]);
    }),
  ];
}
