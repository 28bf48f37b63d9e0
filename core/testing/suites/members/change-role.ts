import type { Member, Members, Role } from '../../../users/ports/members.js';
import { aMembership, aUser, testUuid } from '../../dataset.js';
import { atOnce, type ContractTest, each, expectEqual, expectTrue } from '../../expect.js';
import { noon } from '../../noon.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';

export function changeRoleTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('changeRole changes one member of one organization', async ({ members, load }) => {
      await load({ memberships: [aMembership(1, { role: 'owner' }), aMembership(2, { idpId: 'idp-2' })] });
      const change = (organizationId: number, userId: number, role: Role) =>
        members.changeRole({ organizationId, userId, role });
      const changed = await change(1, 2, 'owner');
      const fields = { organizationId: 1, user: aUser(2), uuid: testUuid(2), role: 'owner', idpId: 'idp-2' };
      expectEqual(changed, { ...fields, joinedAt: (changed as Member).joinedAt });
      expectEqual(await members.byUserId({ organizationId: 1, userId: 2 }), changed);
      expectEqual(await roleOf(members, 1, 1), 'owner');
      expectEqual(await roleOf(members, 2, 1), 'admin');
      expectEqual(await change(1, 9, 'owner'), 'not-a-member');
      expectEqual(await change(2, 2, 'owner'), 'not-a-member');
      expectTrue(typeof (await change(1, 1, 'admin')) === 'object', 'another owner is left');
      expectEqual(await change(1, 2, 'member'), 'last-owner');
      expectTrue(typeof (await change(1, 2, 'owner')) === 'object', 'an owner may stay owner');
      expectEqual(await roleOf(members, 1, 2), 'owner');
    }),

    test('changeRole tells the earlier role, and nothing if it is the same', async ({ members, load }) => {
      await load({ memberships: [aMembership(1, { role: 'owner' }), aMembership(2)] });
      const { seen, journal } = recordingJournal<{ readonly before: Role }>();
      for (const role of ['admin', 'admin', 'owner'] as const)
        await members.changeRole({ organizationId: 1, userId: 2, role }, journal);
      expectEqual(each(seen, 'before'), ['member', 'admin']);
    }),

    test('changeRole with `replaces` changes that role only, unless the member has the new role already', async (storage) => {
      const { members, load } = storage;
      await load({ memberships: [aMembership(1, { role: 'owner' }), aMembership(2)] });
      const change = async (userId: number, role: Role, replaces: Role | undefined) => {
        const changed = await members.changeRole({ organizationId: 1, userId, role, replaces });
        return typeof changed === 'object' ? changed.role : changed;
      };
      expectEqual(await change(2, 'admin', 'owner'), 'outdated');
      expectEqual(await change(2, 'admin', 'member'), 'admin');
      expectEqual(await change(2, 'owner', 'member'), 'outdated');
      expectEqual(await change(2, 'admin', 'member'), 'admin');
      expectEqual(await change(2, 'member', undefined), 'member');
      expectEqual(await change(1, 'member', 'admin'), 'outdated');
      expectEqual(await change(1, 'member', 'owner'), 'last-owner');
      expectEqual(await change(9, 'member', 'owner'), 'not-a-member');

      // Opens the connections of the storage's pool.
      await atOnce(20, () => members.byUserId({ organizationId: 1, userId: 1 }));
      const wanted = (index: number): Role => (index % 2 === 0 ? 'admin' : 'owner');
      const answers = await atOnce(20, (index) => change(2, wanted(index), 'member'));
      const role = await roleOf(members, 1, 2);
      expectEqual(
        answers,
        answers.map((_answer, index) => (wanted(index) === role ? role : 'outdated')),
      );
    }),

    test('when 20 callers demote or remove two owners at once, one owner is left, in every round', async (storage) => {
      const { members, load } = storage;
      for (let round = 1; round <= 5; round += 1) {
        await load({ memberships: [aMembership(1, { role: 'owner' }), aMembership(2, { role: 'owner' })] });
        // Opens the connections of the storage's pool.
        await atOnce(20, () => members.byUserId({ organizationId: 1, userId: 1 }));
        const answers = await atOnce(20, (index) => {
          const key = { organizationId: 1, userId: 1 + (index % 2) };
          return index % 4 < 2
            ? members.changeRole({ ...key, role: 'member' })
            : members.remove({ ...key, at: noon });
        });
        const { members: left } = await members.list({ organizationId: 1, offset: 0, limit: 9 });
        expectEqual(left.filter(({ role }) => role === 'owner').length, 1);
        expectTrue(answers.includes('last-owner'), 'no caller got last-owner');
      }
    }),
  ];
}

async function roleOf(members: Members, organizationId: number, userId: number): Promise<Role | undefined> {
  return (await members.byUserId({ organizationId, userId }))?.role;
}
