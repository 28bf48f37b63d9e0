import { aMembership, aUser } from '../../dataset.js';
import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { hostileTexts } from '../../hostile-texts.js';
import { aNewMember } from '../../new-member.js';
import { addedBy, aPasskey, withCodes } from '../../new-second-factor.js';
import { anIdentity, withSignOn } from '../../new-sign-on.js';
import { minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';

export function listTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('list returns owners, admins and members, each group by address, and says who can sign in', async (storage) => {
      const { members, users, load } = storage;
      const people = [
        ['b@example.test', 'member'],
        ['ä@example.test', 'member'],
        ['a@example.test', 'member'],
        ['z@example.test', 'owner'],
        ['a-b@example.test', 'admin'],
      ] as const;
      await load({
        users: people.map(([email], index) => aUser(10 + index, { email })),
        memberships: people.map(([email, role], index) =>
          aMembership(10 + index, { role, idpId: `idp of ${email}` }),
        ),
      });
      await users.setPasswordHash({ userId: 10, hash: 'hash' });
      const all = await members.list({ organizationId: 1, offset: 0, limit: 100 });
      expectEqual(
        all.members.map(({ user, canSignIn }) => [user.email, canSignIn]),
        [
          ['z@example.test', false],
          ['a-b@example.test', false],
          ['a@example.test', false],
          ['b@example.test', true],
          ['ä@example.test', false],
        ],
      );
      expectEqual(all.total, 5);
      const found = await members.byUserId({ organizationId: 1, userId: 10 });
      expectEqual(all.members[3], {
        ...{ ...found, canSignIn: true, hasSecondFactor: false, isLinked: false, lastSignInAt: null },
      });
      const counts = { owner: 1, admin: 1, member: 3 };
      expectEqual(await members.list({ organizationId: 1, offset: 1, limit: 2 }), {
        ...{ total: 5, counts },
        members: all.members.slice(1, 3),
      });
      expectEqual(await members.list({ organizationId: 1, offset: 5, limit: 2 }), {
        ...{ total: 5, counts, members: [] },
      });
      expectEqual((await members.list({ organizationId: 2, offset: 0, limit: 9 })).total, 1);
    }),

    test('list says who is linked to the identity provider, and who has a second factor', async (storage) => {
      const { members, identities, secondFactors, load } = storage;
      const people = [10, 11, 12];
      await load({ users: people.map((id) => aUser(id)), memberships: people.map((id) => aMembership(id)) });
      await withSignOn(storage, [1]);
      await identities.link(anIdentity(10));
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(11) });
      await withCodes(storage, 12);
      await secondFactors.setCode({ userId: 10, encryptedSecret: 'waits' });
      const { members: all } = await members.list({ organizationId: 1, offset: 0, limit: 100 });
      expectEqual(
        all
          .filter(({ user }) => people.includes(user.id))
          .map(({ user, isLinked, hasSecondFactor }) => [user.id, isLinked, hasSecondFactor]),
        [
          [10, true, false],
          [11, false, true],
          [12, false, true],
        ],
      );
      const [first] = (await members.list({ organizationId: 1, offset: 0, limit: 100, words: ['12'] }))
        .members;
      expectEqual([first?.user.id, first?.hasSecondFactor], [12, true]);
    }),

    test('list says when each signed in last: with a password, at the identity provider or with a link of the organization', async (storage) => {
      const { members, identities, sessions, users, auditTrail, load } = storage;
      const people = [10, 11, 12, 13];
      await load({ users: people.map((id) => aUser(id)), memberships: people.map((id) => aMembership(id)) });
      await users.setPasswordHash({ userId: 10, hash: 'hash' });
      await sessions.create({
        ...{ hash: 'session', userId: 10, passwordHash: 'hash', boundTo: null, createdAt: minutes(1) },
        hasSecondFactor: false,
      });
      await withSignOn(storage, [1]);
      await identities.link(anIdentity(11, { linkedAt: minutes(2) }));
      const redeem = (userId: number, at: Date, organizationId = 1) =>
        auditTrail.record({
          ...{ organizationId, at, action: 'login-link-redeemed', subject: null },
          actor: { who: { kind: 'user', userId }, from: null },
        });
      for (const at of [minutes(4), minutes(3)]) await redeem(12, at);
      await redeem(10, noon);
      await redeem(13, noon, 2);
      await redeem(11, minutes(5));
      const { members: all } = await members.list({ organizationId: 1, offset: 0, limit: 100 });
      const found = people.map((id) => all.find(({ user }) => user.id === id)?.lastSignInAt);
      expectEqual(found, [minutes(1), minutes(5), minutes(4), null]);
      await redeem(10, minutes(6));
      const later = await members.list({ organizationId: 1, offset: 0, limit: 100 });
      expectEqual(later.members.find(({ user }) => user.id === 10)?.lastSignInAt, minutes(6));
    }),

    test('list returns members with one role, by role, by name or the newest first, and counts what matches', async (storage) => {
      const { members, load } = storage;
      const names = [
        ['özge', 'Zorn'],
        ['Ozge', 'Aydın'],
        ['жанна', 'А'],
        ['Жанна', 'Я'],
        ['_', 'x'],
        ['Ana', 'Lopez'],
        ['ana', 'lópez'],
        ['Ana', 'B'],
      ] as const;
      const people = names.map(([firstName, lastName], index) => aUser(10 + index, { firstName, lastName }));
      await load({ users: people });
      for (const [index, { id }] of people.entries()) {
        const role = (['owner', 'admin', 'member'] as const)[index % 3] ?? 'member';
        const at = new Date(noon.getTime() - (index % 2));
        await members.register(aNewMember({ id }, { role, at }));
      }
      const list = async (query: object = {}) => {
        const found = await members.list({ organizationId: 1, offset: 0, limit: 100, ...query });
        return [found.members.map(({ user }) => user.id - 10), found.total];
      };
      expectEqual(await list({ order: 'name' }), [[4, 7, 5, 6, 1, 0, 3, 2], 8]);
      expectEqual(await list({ order: 'newest' }), [[0, 2, 4, 6, 1, 3, 5, 7], 8]);
      expectEqual(await list({ order: 'role' }), [[0, 3, 6, 1, 4, 7, 2, 5], 8]);
      expectEqual(await list({ order: undefined, role: undefined }), await list({ order: 'role' }));
      expectEqual(await list({ role: 'admin' }), [[1, 4, 7], 3]);
      const found = { organizationId: 1, offset: 0, limit: 1, role: 'owner', words: ['oz'] } as const;
      expectEqual((await members.list(found)).counts, { owner: 1, admin: 1, member: 0 });
      expectEqual(await list({ role: 'owner', order: 'name' }), [[6, 0, 3], 3]);
      expectEqual(await list({ role: 'owner', order: 'newest' }), [[0, 6, 3], 3]);
      expectEqual(await list({ role: 'owner', order: 'name', words: ['OZ'] }), [[0], 1]);
      expectEqual(await list({ role: 'member', words: ['zorn'] }), [[], 0]);
      expectEqual(await list({ order: 'name', offset: 2, limit: 3 }), [[5, 6, 1], 8]);
      expectEqual(await list({ role: 'owner', offset: 1, limit: 1 }), [[3], 3]);
      expectEqual(await list({ role: 'admin', organizationId: 2 }), [[1 - 10], 1]);
    }),

    test('list finds parts of names, addresses and idpIds in any case, with any accents, and no character is a wildcard', async (storage) => {
      const { members, load } = storage;
      const named = [
        ['ÖZGE', 'Ångström', 'ozge@example.test'],
        ['Ανδρέας', 'Παπαδόπουλος', 'andreas@example.test', 'GREEK-7'],
        ['100%', 'a_b*c?', 'per.cent+1@example.test'],
        ['O\u2019Neil (née [x-z])', '^\\d$|{2}', 'c:\\d@example.test'],
        ['Жанна 😀𐐀', 'Weiß GROẞ', 'zhanna@example.test'],
        ['漢字', 'نور \ufffe', 'kanji@example.test'],
        ['Toma\u0301s', 'Sørensen-Łukaszewicz', 'tomas@example.test', 'Übung_8'],
      ] as const;
      const people = named.map(([firstName, lastName, email], index) =>
        aUser(10 + index, { firstName, lastName, email }),
      );
      await load({
        users: people,
        memberships: [
          ...named.map(([, , , idpId = null], index) => aMembership(10 + index, { idpId })),
          aMembership(10, { organizationId: 2 }),
        ],
      });
      const find = async (...words: readonly string[]) => {
        const found = await members.list({ organizationId: 1, words, offset: 0, limit: 100 });
        expectEqual(found.total, found.members.length);
        return found.members.map(({ user }) => user.id - 10).sort();
      };
      const everyone = people.map((_person, index) => index);
      const searches: readonly (readonly [words: readonly string[], found: readonly number[]])[] = [
        [[], everyone],
        [['özge'], [0]],
        [['ÅNGSTRÖM'], [0]],
        [['OZGE@Example.TEST'], [0]],
        [['strom'], [0]],
        [['A\u030angstro\u0308m'], [0]],
        [['tomas'], [6]],
        [['TOMÁS'], [6]],
        [['soren'], [6]],
        [['sören'], [6]],
        [['ŁUKASZ'], [6]],
        [['lukasz'], [6]],
        [['greek-7'], [1]],
        [['ubung'], [6]],
        [['\u0301'], everyone],
        [['\u0301', 'ozge'], [0]],
        [['ανδρεας'], [1]],
        [['παπαδοπουλος'], [1]],
        [['παπαδόπουλοσ'], [1]],
        [['ΑΝΔΡΈΑΣ'], [1]],
        [['жАННА'], [4]],
        [['WEIẞ'], [4]],
        [['groß'], [4]],
        [['😀𐐨'], [4]],
        [['😁'], []],
        [['漢'], [5]],
        [['نور'], [5]],
        [['\ufffe'], [5]],
        [['\ufffd'], []],
        [['%'], [2]],
        [['_'], [2, 6]],
        [['*'], [2]],
        [['?'], [2]],
        [['.'], everyone],
        [['r.c'], [2]],
        [['+1'], [2]],
        [['b*C'], [2]],
        [['[x-z]'], [3]],
        [['[xyz]'], []],
        [['(NÉE'], [3]],
        [['\\D'], [3]],
        [['^'], [3]],
        [['$|{2}'], [3]],
        [['{'], [3]],
        [["'"], []],
        [['"'], []],
        [['***:'], []],
        [['(?i)'], []],
        [['example.test', 'weiß'], [4]],
        [['weiß', 'жанна'], [4]],
        [['weiß', 'özge'], []],
        [
          ['o', 'O', 'o'],
          [0, 3, 4, 6],
        ],
        [['example'.repeat(40)], []],
      ];
      for (const [words, found] of searches) expectEqual([words, await find(...words)], [words, found]);
      for (const text of hostileTexts) {
        const words = text.slice(0, 300).split(/\s+/).filter(Boolean);
        expectTrue((await find(...words)).length <= people.length, `more than everyone for ${text}`);
      }
      const parts = await members.list({ organizationId: 1, words: ['example'], offset: 4, limit: 3 });
      expectEqual([parts.total, parts.members.map(({ user }) => user.id)], [7, [12, 16, 14]]);
      expectEqual((await members.list({ organizationId: 2, words: ['test'], offset: 0, limit: 9 })).total, 2);
    }),
  ];
}
