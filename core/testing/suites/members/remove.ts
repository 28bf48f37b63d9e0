import type { StoragePorts } from '../../../ports.js';
import { aMembership, aUser } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { noon } from '../../noon.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';

export function removeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('remove ends the sessions, login links and invitation of the membership, and nothing else', async (storage) => {
      await storage.load({ memberships: [aMembership(1), aMembership(2, { role: 'owner' })] });
      const { sessions, loginLinks, invitations, members } = storage;
      for (const [hash, userId, boundTo] of [
        ['bound', 1, 1],
        ['bound elsewhere', 1, 2],
        ['free', 1, null],
        ['of another', 2, 1],
      ] as const) {
        await sessions.create({ hash, userId, boundTo, createdAt: noon, passwordHash: null });
      }
      const link = { createdAt: noon, expiresAt: new Date(noon.getTime() + 1000) };
      await loginLinks.store({ hash: 'here', organizationId: 1, userId: 1, ...link });
      await loginLinks.store({ hash: 'elsewhere', organizationId: 2, userId: 1, ...link });
      const before = await members.byUserId({ organizationId: 1, userId: 1 });
      expectEqual(await members.remove({ organizationId: 1, userId: 2, at: noon }), 'last-owner');
      expectEqual(await members.remove({ organizationId: 1, userId: 9, at: noon }), 'not-a-member');

      const { seen, journal } = recordingJournal();
      const removed = await members.remove({ organizationId: 1, userId: 1, at: noon }, journal);
      expectEqual(removed, before);
      expectEqual(seen, [{ organization: await storage.organizations.byId(1), member: before }]);
      expectEqual(await members.remove({ organizationId: 1, userId: 1, at: noon }), 'not-a-member');
      expectEqual(await members.byUserId({ organizationId: 1, userId: 1 }), null);
      expectTrue((await members.byUserId({ organizationId: 2, userId: 1 })) !== null, 'removed elsewhere');
      const isFound = [];
      for (const hash of ['bound', 'bound elsewhere', 'free', 'of another']) {
        isFound.push((await sessions.find(hash)) !== null);
      }
      expectEqual(isFound, [false, true, true, true]);
      expectEqual(await loginLinks.find('here'), null);
      expectTrue((await loginLinks.find('elsewhere')) !== null, 'a link of another organization is gone');
      expectTrue((await storage.users.byEmail(aUser(1).email)) !== null, 'the user is gone');
      expectEqual(
        typeof (await invitations.findOrCreatePending(anInvitation(1, { email: aUser(1).email }))),
        'object',
      );
    }),

    test('remove keeps owners if it is told to, and removes everyone else', async ({ members, load }) => {
      await load({ memberships: [aMembership(1, { role: 'owner' }), aMembership(2, { role: 'admin' })] });
      const remove = (userId: number) =>
        members.remove({ organizationId: 1, userId, at: noon, keepsOwners: true }, () => []);
      expectEqual(await remove(1), 'is-owner');
      expectEqual(typeof (await remove(2)), 'object');
      expectEqual(await remove(2), 'not-a-member');
      await load({ memberships: [aMembership(2, { role: 'owner' })] });
      expectEqual(await remove(2), 'is-owner');
      expectEqual((await members.list({ organizationId: 1, offset: 0, limit: 9 })).total, 2);
    }),

    test('a pending invitation of the member’s address ends with the membership', async (storage) => {
      const { members, invitations } = storage;
      const { entry, email } = await withLeftover(storage);
      await invitations.findOrCreatePending(anInvitation(2, { organizationId: 2, email }));
      await invitations.findOrCreatePending(anInvitation(3));
      await members.remove({ organizationId: 1, userId: 2, at: noon });
      const revoked = [];
      for (const number of [1, 2, 3]) revoked.push((await invitations.byId(idOf(number)))?.revokedAt);
      expectEqual(revoked, [noon, null, null]);
      expectEqual(await members.register({ ...entry, invitationId: idOf(1) }), 'invitation-closed');
    }),

    test('removing a member and accepting a leftover invitation at once leaves no incomplete membership', async (storage) => {
      const { members, invitations } = storage;
      const { entry } = await withLeftover(storage);
      await atOnce(20, (index) =>
        index % 2 === 0
          ? members.remove({ organizationId: 1, userId: 2, at: noon })
          : members.register({ ...entry, invitationId: idOf(1) }),
      );
      expectEqual(await members.byUserId({ organizationId: 1, userId: 2 }), null);
      expectEqual((await invitations.byId(idOf(1)))?.revokedAt, noon);
    }),
  ];
}

/** Makes user 2 a member, whose address then becomes that of the pending invitation 1. */
async function withLeftover({ members, invitations, users }: StoragePorts) {
  const email = 'changed@example.test';
  await invitations.findOrCreatePending(anInvitation(1, { email }));
  const entry = aNewMember({ id: 2 });
  await members.register(entry);
  await users.setEmail({ from: aUser(2).email, to: email });
  return { entry, email };
}
