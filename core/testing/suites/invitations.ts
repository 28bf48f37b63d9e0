import type { Who } from '../../access/ports.js';
import type { Invitation, ListedState, NewInvitation } from '../../users/ports.js';
import { anOrganization, aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { type StartedStorage, type StartStorage, storageTest } from '../start-storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const later = new Date('2026-11-20T12:05:00.000Z');
const everything = { organizationId: 1, offset: 0, limit: 100 };

/** The promises of `Invitations` about what becomes of one that is pending; those about making one are with `Members`. */
export function invitationsSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, `Invitations: ${name}`, async (started) => {
      await started.load({
        organizations: [anOrganization(1), anOrganization(2)],
        users: [aUser(1), aUser(2)],
      });
      await work(started);
    });
  const isObject = (answer: unknown): boolean => typeof answer === 'object';

  return [
    test('list has the newest first, by state, of one organization, in parts', async ({
      storage: { invitations, members },
    }) => {
      for (const number of [1, 2, 3, 4]) await invitations.findOrCreatePending(invitation(number));
      await invitations.findOrCreatePending({ ...invitation(5), createdAt: later });
      await invitations.findOrCreatePending({ ...invitation(6), organizationId: 2 });
      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at: later });
      await members.register({ ...newMember(aUser(1).id), invitationId: idOf(3), at: later }, () => null);

      const numbers = async (query: object = {}) => {
        const { invitations: listed, total } = await invitations.list({ ...everything, ...query });
        return [listed.map(({ id }) => Number(id.slice(-4)) - 1000), total];
      };
      expectEqual(await numbers(), [[5, 4, 3, 2, 1], 5]);
      expectEqual(await numbers({ state: 'pending' }), [[5, 4, 1], 3]);
      expectEqual(await numbers({ state: 'revoked' }), [[2], 1]);
      expectEqual(await numbers({ state: 'accepted' }), [[3], 1]);
      expectEqual(await numbers({ offset: 1, limit: 2 }), [[4, 3], 5]);
      expectEqual(await numbers({ offset: 9 }), [[], 5]);
      expectEqual(await numbers({ organizationId: 2 }), [[6], 1]);
      expectEqual(await numbers({ organizationId: 3 }), [[], 0]);
    }),

    test('list says who invited, by name while the user is there', async ({ storage: { invitations } }) => {
      const inviters: readonly (Who | null)[] = [
        { kind: 'user', userId: 1 },
        { kind: 'user', userId: 99 },
        { kind: 'access-key' },
        { kind: 'command-line' },
        { kind: 'program' },
        null,
      ];
      for (const [index, invitedBy] of inviters.entries()) {
        await invitations.findOrCreatePending({ ...invitation(index), invitedBy });
      }
      const { invitations: listed } = await invitations.list(everything);
      const { id, email, firstName, lastName } = aUser(1);
      expectEqual(
        [...listed].reverse().map(({ invitedBy, inviter }) => [invitedBy, inviter]),
        inviters.map((invitedBy, index) => [
          invitedBy,
          index === 0 ? { id, email, firstName, lastName } : null,
        ]),
      );
      const { inviter, ...first } = listed[5] ?? {};
      expectEqual(first, await invitations.byId(idOf(0)));
    }),

    test('names come back equal, whatever they hold', async ({ storage: { invitations } }) => {
      for (const [index, text] of hostileTexts.entries()) {
        await invitations.findOrCreatePending({
          ...invitation(index),
          firstName: text,
          lastName: `${text}.`,
        });
      }
      const { invitations: listed } = await invitations.list(everything);
      expectEqual(
        [...listed].reverse().map(({ firstName, lastName }) => [firstName, lastName]),
        hostileTexts.map((text) => [text, `${text}.`]),
      );
    }),

    test('a revoked one can’t be accepted, and its address is free for a new one', async ({
      storage: { invitations, members },
    }) => {
      const stored = (await invitations.findOrCreatePending(invitation(1))) as Invitation;
      const revoked = await invitations.revoke({ organizationId: 1, invitationId: stored.id, at: later });
      expectEqual(revoked, { ...stored, revokedAt: later });
      expectEqual(await invitations.byId(stored.id), revoked);
      const entry = { ...newMember(1), invitationId: stored.id };
      expectEqual(await members.register(entry, () => null), 'invitation-closed');
      const again = await invitations.findOrCreatePending({ ...invitation(2), email: stored.email });
      expectEqual(typeof again === 'object' && again.id, idOf(2));
    }),

    test('of 20 that revoke at once one does, and others are told why not', async ({
      storage: { invitations, members },
    }) => {
      await invitations.findOrCreatePending(invitation(1));
      const answers = await atOnce(20, () =>
        invitations.revoke({ organizationId: 1, invitationId: idOf(1), at }),
      );
      expectEqual(answers.filter(isObject).length, 1);
      expectEqual(answers.filter((answer) => answer === 'revoked').length, 19);

      await invitations.findOrCreatePending(invitation(2));
      await members.register({ ...newMember(1), invitationId: idOf(2) }, () => null);
      const revoke = (organizationId: number, number: number) =>
        invitations.revoke({ organizationId, invitationId: idOf(number), at });
      expectEqual(
        [await revoke(1, 2), await revoke(1, 77), await revoke(2, 1)],
        ['accepted', 'unknown', 'unknown'],
      );
      expectEqual((await invitations.byId(idOf(2)))?.revokedAt, null);
    }),

    test('revoking and accepting at once: one of them happens', async ({
      storage: { invitations, members },
    }) => {
      await invitations.findOrCreatePending(invitation(1));
      const answers = await atOnce<unknown>(20, (index) =>
        index % 2 === 0
          ? invitations.revoke({ organizationId: 1, invitationId: idOf(1), at })
          : members.register({ ...newMember(1), invitationId: idOf(1) }, () => null),
      );
      expectEqual(answers.filter(isObject).length, 1);
      const isMember = (await members.byUserId({ organizationId: 1, userId: 1 })) !== null;
      const { acceptedAt, revokedAt } = (await invitations.byId(idOf(1))) as Invitation;
      expectEqual([acceptedAt !== null, revokedAt !== null], [isMember, !isMember]);
    }),

    test('renewing puts a pending one in its place, for the same person under the same UUID', async ({
      storage: { invitations, members },
    }) => {
      const old = (await invitations.findOrCreatePending(invitation(1))) as Invitation;
      const renewed = await invitations.renew(renewal(1, 2));
      const { fresh, retiredUuid } = renewal(1, 2);
      expectEqual(renewed, { ...old, ...fresh });
      expectEqual(await invitations.byId(fresh.id), renewed);
      expectEqual(await invitations.byId(old.id), { ...old, userUuid: retiredUuid, revokedAt: later });
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: old.userUuid }), renewed);
      expectEqual(await invitations.findOrCreatePending({ ...invitation(9), email: old.email }), renewed);
      const accept = (number: number) =>
        members.register({ ...newMember(1), invitationId: idOf(number) }, () => null);
      expectEqual(await accept(1), 'invitation-closed');
      expectEqual(typeof (await accept(2)), 'object');
    }),

    test('standing has of each address the pending one, or the one that its member accepted', async ({
      storage: { invitations, members },
    }) => {
      const emails = [1, 2, 3, 4].map((number) => invitation(number).email);
      const standing = async (organizationId = 1) => {
        const found = await invitations.standing({ organizationId, emails });
        return found.map(({ id }) => Number(id.slice(-4)) - 1000).sort((one, other) => one - other);
      };
      const first = (await invitations.findOrCreatePending(invitation(1))) as Invitation;
      expectEqual(await invitations.standing({ organizationId: 1, emails: [first.email] }), [first]);
      await invitations.renew(renewal(1, 11));
      await invitations.findOrCreatePending(invitation(2));
      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at });
      await invitations.findOrCreatePending({
        ...invitation(9),
        organizationId: 2,
        email: emails[2] as string,
      });
      expectEqual(await standing(), [11]);
      expectEqual(await standing(2), [9]);
      expectEqual(await invitations.standing({ organizationId: 1, emails: [] }), []);

      const { email } = aUser(1);
      await invitations.findOrCreatePending({ ...invitation(5), email });
      await invitations.renew(renewal(5, 15));
      const { userUuid: uuid } = invitation(5);
      await members.register({ ...newMember(1), uuid, invitationId: idOf(15) }, () => null);
      const [accepted, ...others] = await invitations.standing({ organizationId: 1, emails: [email, email] });
      expectEqual([accepted?.id, accepted?.acceptedAt, others.length], [idOf(15), at, 0]);
    }),

    test('list tells the replaced ones from those that are revoked for good', async ({
      storage: { invitations, members },
    }) => {
      const numbers = async (state?: ListedState, organizationId = 1) => {
        const asked = { ...everything, organizationId, ...(state !== undefined && { state }) };
        const { invitations: listed, total } = await invitations.list(asked);
        expectEqual(total, listed.length);
        return listed.map(({ id }) => Number(id.slice(-4)) - 1000);
      };
      const revoke = (number: number) =>
        invitations.revoke({ organizationId: 1, invitationId: idOf(number), at: later });
      await invitations.findOrCreatePending(invitation(1));
      await invitations.renew(renewal(1, 11));
      await invitations.findOrCreatePending(invitation(2));
      await revoke(2);
      const { email } = aUser(1);
      await invitations.findOrCreatePending({ ...invitation(3), email });
      await invitations.renew(renewal(3, 13));
      await invitations.findOrCreatePending({
        ...invitation(4),
        email: invitation(2).email,
        organizationId: 2,
      });
      expectEqual(await numbers('replaced'), [3, 1]);
      expectEqual(await numbers('revoked'), [2]);
      expectEqual(await numbers('pending'), [13, 11]);
      expectEqual(await numbers('replaced', 2), []);

      const { userUuid: uuid } = invitation(3);
      await members.register({ ...newMember(1), uuid, invitationId: idOf(13) }, () => null);
      await revoke(11);
      expectEqual(await numbers('replaced'), [3]);
      expectEqual(await numbers('revoked'), [11, 2, 1]);
      expectEqual(await numbers('accepted'), [13]);
      await members.register({ ...newMember(2), role: 'owner' }, () => null);
      await members.remove({ organizationId: 1, userId: 1, at: later });
      expectEqual(await numbers('replaced'), []);
      expectEqual(await numbers('revoked'), [11, 3, 2, 1]);
      expectEqual(await numbers(), [13, 11, 3, 2, 1]);
      expectEqual(
        (await invitations.list({ ...everything, state: 'revoked', offset: 1, limit: 2 })).total,
        4,
      );
    }),

    test('of 20 that renew at once one does, and others are told why not', async ({
      storage: { invitations, members },
    }) => {
      await invitations.findOrCreatePending(invitation(1));
      const answers = await atOnce(20, (index) => invitations.renew(renewal(1, 10 + index)));
      expectEqual(answers.filter(isObject).length, 1);
      expectEqual(answers.filter((answer) => answer === 'revoked').length, 19);
      expectEqual((await invitations.list({ ...everything, state: 'pending' })).total, 1);

      await invitations.findOrCreatePending(invitation(2));
      await members.register({ ...newMember(1), invitationId: idOf(2) }, () => null);
      const others = [
        await invitations.renew(renewal(2, 40)),
        await invitations.renew(renewal(77, 41)),
        await invitations.renew({ ...renewal(1, 42), organizationId: 2 }),
      ];
      expectEqual(others, ['accepted', 'unknown', 'unknown']);
      expectEqual((await invitations.list(everything)).total, 3);
    }),

    test('one whose address has become a member’s is not renewed, and stays as it was', async ({
      storage: { invitations, members },
    }) => {
      const { email } = aUser(1);
      const stored = await invitations.findOrCreatePending({ ...invitation(1), email });
      await members.register(newMember(1), () => null);
      expectEqual(await invitations.renew(renewal(1, 2)), 'already-member');
      expectEqual(await invitations.byId(idOf(1)), stored);
      expectEqual(await invitations.byId(idOf(2)), null);
    }),
  ];
}

function idOf(number: number): string {
  return testUuid(1000 + number);
}

function invitation(number: number): NewInvitation {
  return {
    id: idOf(number),
    keyId: 'key',
    organizationId: 1,
    userUuid: testUuid(2000 + number),
    email: `invited-${number}@example.test`,
    firstName: 'Ana',
    lastName: 'Lopez',
    createdAt: at,
    invitedBy: { kind: 'access-key' },
  };
}

function renewal(number: number, fresh: number) {
  return {
    organizationId: 1,
    invitationId: idOf(number),
    retiredUuid: testUuid(4000 + fresh),
    fresh: {
      id: idOf(fresh),
      keyId: 'next key',
      createdAt: later,
      invitedBy: { kind: 'user', userId: 1 },
    },
  } as const;
}

function newMember(userId: number) {
  return {
    organizationId: 1,
    user: { id: userId },
    uuid: null,
    role: 'member',
    idpId: null,
    invitationId: null,
    at,
  } as const;
}
