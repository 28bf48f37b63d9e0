import type { Who } from '../../../access/ports/audit-trail.js';
import type { Invitations, ListedState } from '../../../users/ports/invitations.js';
import { aUser } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { hostileTexts } from '../../hostile-texts.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { later, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { everything, numberOf, renewal } from './sample-invitations.js';

export function listTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('list returns the invitations of one organization, newest first, by state and in pages', async (storage) => {
      const { invitations, members } = storage;
      for (const number of [1, 2, 3, 4]) await invitations.findOrCreatePending(anInvitation(number));
      await invitations.findOrCreatePending(anInvitation(5, { createdAt: later }));
      await invitations.findOrCreatePending(anInvitation(6, { organizationId: 2 }));
      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at: later });
      await members.register(aNewMember({ id: 1 }, { invitationId: idOf(3), at: later }));

      const numbers = numbersIn(invitations);
      expectEqual(await numbers(), [[5, 4, 3, 2, 1], 5]);
      expectEqual(await numbers({ state: 'pending' }), [[5, 4, 1], 3]);
      expectEqual(await numbers({ state: 'revoked' }), [[2], 1]);
      expectEqual(await numbers({ state: 'accepted' }), [[3], 1]);
      expectEqual(await numbers({ offset: 1, limit: 2 }), [[4, 3], 5]);
      expectEqual(await numbers({ offset: 9 }), [[], 5]);
      expectEqual(await numbers({ organizationId: 2 }), [[6], 1]);
      expectEqual(await numbers({ organizationId: 3 }), [[], 0]);
    }),

    test('list searches names, addresses and idpIds as in a list of members, and sorts by time or name', async (storage) => {
      const { invitations } = storage;
      const names = [
        ['özge', 'Zorn'],
        ['Ozge', 'Aydın'],
        ['_', 'x'],
        ['Ana', 'Lopez'],
        ['ana', 'lópez'],
      ] as const;
      for (const [index, [firstName, lastName]] of names.entries()) {
        const times = { createdAt: index === 1 ? later : noon };
        const idpId = index === 3 ? 'NW-4711' : null;
        await invitations.findOrCreatePending(anInvitation(index, { firstName, lastName, idpId, ...times }));
      }
      await invitations.revoke({ organizationId: 1, invitationId: idOf(4), at: later });
      const numbers = numbersIn(invitations);
      expectEqual(await numbers({ order: 'newest' }), [[1, 4, 3, 2, 0], 5]);
      expectEqual(await numbers({ order: 'oldest' }), [[0, 2, 3, 4, 1], 5]);
      expectEqual(await numbers({ order: 'name' }), [[2, 4, 3, 1, 0], 5]);
      expectEqual(await numbers({ order: undefined, words: undefined }), await numbers());
      expectEqual(await numbers({ order: 'oldest', offset: 1, limit: 2 }), [[2, 3], 5]);
      expectEqual(await numbers({ words: ['ÖZGE'] }), [[1, 0], 2]);
      expectEqual(await numbers({ words: ['ozge', 'ZORN'] }), [[0], 1]);
      expectEqual(await numbers({ words: ['Invited-3@'] }), [[3], 1]);
      expectEqual(await numbers({ words: ['nw-47'] }), [[3], 1]);
      expectEqual(await numbers({ words: ['LOPEZ'], state: 'pending' }), [[3], 1]);
      expectEqual(await numbers({ words: ['lopez'], state: 'revoked', order: 'name' }), [[4], 1]);
      expectEqual(await numbers({ words: ['example'], order: 'oldest', limit: 1 }), [[0], 5]);
      expectEqual(await numbers({ words: ['_'] }), [[2], 1]);
      expectEqual(await numbers({ words: ['%'] }), [[], 0]);
      expectEqual(await numbers({ words: ['ana'], organizationId: 2 }), [[], 0]);
    }),

    test('find returns the invitations after a place, in the order of list, by state, address and idpId', async (storage) => {
      const { invitations } = storage;
      for (const number of [1, 2]) await invitations.findOrCreatePending(anInvitation(number));
      await invitations.findOrCreatePending(anInvitation(3, { idpId: 'n-3' }));
      await invitations.findOrCreatePending(anInvitation(4, { idpId: 'N-3' }));
      await invitations.findOrCreatePending(anInvitation(5, { createdAt: later }));
      await invitations.findOrCreatePending(anInvitation(6, { organizationId: 2, idpId: 'n-3' }));
      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at: later });
      await invitations.renew(renewal(3, 13));

      const numbers = async (query: object = {}) => {
        const found = await invitations.find({ organizationId: 1, limit: 100, ...query });
        return found.map(numberOf);
      };
      const after = (number: number, createdAt = noon) => ({ after: { createdAt, id: idOf(number) } });
      expectEqual(await numbers(), [13, 5, 4, 3, 2, 1]);
      expectEqual(await numbers({ limit: 2 }), [13, 5]);
      expectEqual(await numbers({ ...after(5, later), limit: 2 }), [4, 3]);
      expectEqual(await numbers(after(3)), [2, 1]);
      expectEqual(await numbers(after(1)), []);
      expectEqual(await numbers({ ...after(13, later), state: 'pending' }), [5, 4, 1]);
      expectEqual(await numbers({ state: 'replaced' }), [3]);
      expectEqual(await numbers({ state: 'revoked', ...after(3) }), [2]);
      expectEqual(await numbers({ state: 'accepted' }), []);
      const { email } = anInvitation(3);
      expectEqual(await numbers({ email }), [13, 3]);
      expectEqual(await numbers({ email, ...after(13, later) }), [3]);
      expectEqual(await numbers({ email, state: 'pending' }), [13]);
      expectEqual(await numbers({ email, organizationId: 2 }), []);
      expectEqual(await numbers({ organizationId: 2 }), [6]);
      expectEqual(await numbers({ idpId: 'n-3' }), [13, 3]);
      expectEqual(await numbers({ idpId: 'n-3', state: 'pending' }), [13]);
      expectEqual(await numbers({ idpId: 'n-3', email, ...after(13, later) }), [3]);
      expectEqual(await numbers({ idpId: 'n-3', organizationId: 2 }), [6]);
      expectEqual(await numbers({ idpId: 'n-3', email: anInvitation(4).email }), []);
      expectEqual(await numbers({ idpId: 'n' }), []);
      expectEqual(await numbers({ words: ['N-3', 'ana'] }), [13, 4, 3]);
      expectEqual(await numbers({ words: ['n-3'], state: 'pending', ...after(13, later) }), [4]);
      expectEqual(await numbers({ words: ['INVITED-5@'], limit: 1 }), [5]);
      expectEqual(await numbers({ idpId: '' }), []);
      const [first] = await invitations.find({ organizationId: 1, limit: 1 });
      expectEqual(first, await invitations.byId(idOf(13)));
    }),

    test('list names the inviter as long as the user exists', async ({ invitations }) => {
      const inviters: readonly (Who | null)[] = [
        { kind: 'user', userId: 1 },
        { kind: 'user', userId: 99 },
        { kind: 'access-key' },
        { kind: 'command-line' },
        { kind: 'program' },
        null,
      ];
      for (const [index, invitedBy] of inviters.entries()) {
        await invitations.findOrCreatePending(anInvitation(index, { invitedBy }));
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

    test('names are returned unchanged, whatever they contain', async ({ invitations }) => {
      for (const [index, text] of hostileTexts.entries()) {
        const names = { firstName: text, lastName: `${text}.` };
        await invitations.findOrCreatePending(anInvitation(index, names));
      }
      const { invitations: listed } = await invitations.list(everything);
      expectEqual(
        [...listed].reverse().map(({ firstName, lastName }) => [firstName, lastName]),
        hostileTexts.map((text) => [text, `${text}.`]),
      );
    }),

    test('list has the newest invitation of each address, and counts by state what matches the words', async (storage) => {
      const { invitations, members } = storage;
      const numbers = numbersIn(invitations);
      const counts = async (query: object = {}) => {
        const { counts: found } = await invitations.list({ ...everything, ...query });
        return [found.pending, found.accepted, found.revoked, found.replaced];
      };
      for (const number of [1, 2, 3]) await invitations.findOrCreatePending(anInvitation(number));
      await invitations.findOrCreatePending(
        anInvitation(4, { organizationId: 2, email: anInvitation(2).email }),
      );
      expectEqual(
        [await numbers(), await counts()],
        [
          [[3, 2, 1], 3],
          [3, 0, 0, 0],
        ],
      );
      await invitations.renew(renewal(1, 11, { createdAt: noon }));
      await invitations.renew(renewal(3, 13, { firstName: 'Zoe' }));
      await invitations.revoke({ organizationId: 1, invitationId: idOf(13), at: later });
      await members.register(aNewMember({ id: 1 }, { invitationId: idOf(2) }));
      expectEqual(
        [await numbers(), await counts()],
        [
          [[13, 11, 2], 3],
          [1, 1, 1, 0],
        ],
      );
      expectEqual(
        [await numbers({ state: 'revoked' }), await counts({ state: 'revoked' })],
        [
          [[13], 1],
          [1, 1, 1, 0],
        ],
      );
      expectEqual(
        [await numbers({ words: ['ana'] }), await counts({ words: ['ana'] })],
        [
          [[11, 2], 2],
          [1, 1, 0, 0],
        ],
      );
      expectEqual(
        [await numbers({ organizationId: 2 }), await counts({ organizationId: 2 })],
        [
          [[4], 1],
          [1, 0, 0, 0],
        ],
      );
      const newest = await invitations.find({ organizationId: 1, isNewest: true, limit: 9 });
      expectEqual(newest.map(numberOf), [13, 11, 2]);
    }),

    test('find distinguishes replaced invitations from revoked ones', async ({ invitations, members }) => {
      const numbers = async (state?: ListedState, organizationId = 1) => {
        const query = { organizationId, limit: 100, ...(state !== undefined && { state }) };
        return (await invitations.find(query)).map(numberOf);
      };
      const revoke = (number: number) =>
        invitations.revoke({ organizationId: 1, invitationId: idOf(number), at: later });
      await invitations.findOrCreatePending(anInvitation(1));
      await invitations.renew(renewal(1, 11));
      await invitations.findOrCreatePending(anInvitation(2));
      await revoke(2);
      const { email } = aUser(1);
      await invitations.findOrCreatePending(anInvitation(3, { email }));
      await invitations.renew(renewal(3, 13));
      await invitations.findOrCreatePending(
        anInvitation(4, { email: anInvitation(2).email, organizationId: 2 }),
      );
      expectEqual(await numbers('replaced'), [3, 1]);
      expectEqual(await numbers('revoked'), [2]);
      expectEqual(await numbers('pending'), [13, 11]);
      expectEqual(await numbers('replaced', 2), []);

      const { userUuid: uuid } = anInvitation(3);
      await members.register(aNewMember({ id: 1 }, { uuid, invitationId: idOf(13) }));
      await revoke(11);
      expectEqual(await numbers('replaced'), [3]);
      expectEqual(await numbers('revoked'), [11, 2, 1]);
      expectEqual(await numbers('accepted'), [13]);
      await members.register(aNewMember({ id: 2 }, { role: 'owner' }));
      await members.remove({ organizationId: 1, userId: 1, at: later });
      expectEqual(await numbers('replaced'), []);
      expectEqual(await numbers('revoked'), [11, 3, 2, 1]);
      expectEqual(await numbers(), [13, 11, 3, 2, 1]);
    }),
  ];
}

/** Lists invitations, and returns their numbers and the total. */
function numbersIn(invitations: Invitations) {
  return async (query: object = {}) => {
    const { invitations: listed, total } = await invitations.list({ ...everything, ...query });
    return [listed.map(numberOf), total];
  };
}
