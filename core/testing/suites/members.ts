import type { Member } from '../../users/ports/members.js';
import { aMembership, anOrganization, aUser, testUuid } from '../dataset.js';
import { type ContractTest, expectEqual, expectTrue } from '../expect.js';
import { type MakeTest, type StartStorage, storageTests } from '../start-storage.js';
import { subscribe } from '../subscribe.js';
import { changeRoleTests } from './members/change-role.js';
import { listTests } from './members/list.js';
import { listByEmailTests } from './members/list-by-email.js';
import { registerTests } from './members/register.js';
import { removeTests } from './members/remove.js';
import { setIdpIdTests } from './members/set-idp-id.js';

/** The promises of `Members`. */
export function membersSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Members', async (storage) => {
    await storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [aMembership(1, { organizationId: 2, role: 'admin', idpId: 'idp-1' })],
    });
    await subscribe(storage, [1, 2]);
  });
  return [
    ...findTests(test),
    ...registerTests(test),
    ...listTests(test),
    ...listByEmailTests(test),
    ...setIdpIdTests(test),
    ...changeRoleTests(test),
    ...removeTests(test),
  ];
}

function findTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a member is found by idpId, UUID and user id, in their own organization only', async (storage) => {
      const { members } = storage;
      const member = await members.byIdpId({ organizationId: 2, idpId: 'idp-1' });
      const expected: Omit<Member, 'joinedAt'> = {
        organizationId: 2,
        user: aUser(1),
        uuid: testUuid(1),
        role: 'admin',
        idpId: 'idp-1',
      };
      expectEqual(member, { ...expected, joinedAt: member?.joinedAt });
      expectTrue(member?.joinedAt instanceof Date, 'joinedAt must be a Date');
      expectEqual(await members.byUuid({ organizationId: 2, uuid: testUuid(1) }), member);
      expectEqual(await members.byUserId({ organizationId: 2, userId: 1 }), member);
      expectEqual(await members.byIdpId({ organizationId: 1, idpId: 'idp-1' }), null);
      expectEqual(await members.byIdpId({ organizationId: 2, idpId: 'IDP-1' }), null);
      expectEqual(await members.byUuid({ organizationId: 1, uuid: testUuid(1) }), null);
      expectEqual(await members.byUserId({ organizationId: 1, userId: 1 }), null);
    }),

    test('ofUser lists every organization of the user with the role in it', async ({ members, load }) => {
      await load({ memberships: [aMembership(1, { role: 'owner' })] });
      const roles = (await members.ofUser(1)).map(({ organization, role }) => [organization.id, role]);
      expectEqual(roles, [
        [1, 'owner'],
        [2, 'admin'],
      ]);
      expectEqual(await members.ofUser(2), []);
    }),
  ];
}
