import type { ChangeCursor } from '../../meetings/ports/meetings.js';
import { aMeeting, aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue, rows } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { anAuditEntry } from '../new-audit-entry.js';
import { aNewUser } from '../new-member.js';
import { withCodes } from '../new-second-factor.js';
import { type StartStorage, storageTests } from '../start-storage.js';
import { columns } from './meetings/export-request.js';

const createdAt = new Date('2026-11-20T12:00:00.123Z');

const session = { userId: 1, boundTo: null, createdAt, passwordHash: null };

/** The promises of `Users`. */
export function usersSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Users');
  return [
    test('create stores every field, and byEmail returns the user', async ({ users }) => {
      const created = await users.create(aNewUser(1, { createdAt }));
      expectTrue(created !== null && created.id > 0, 'create gave no user');
      const { passwordHash, ...fields } = aNewUser(1, { createdAt });
      expectEqual(created, { id: created?.id, avatar: null, ...fields });
      expectEqual(await users.byEmail('new-1@example.test'), created);
      expectEqual(await users.byEmail('new-2@example.test'), null);
    }),

    test('of 20 users with the same address created at once, one is stored', async ({ users }) => {
      const made = await atOnce(20, (index) => users.create(aNewUser(index, { email: 'same@example.test' })));
      const kept = made.filter((user) => user !== null);
      expectEqual(kept.length, 1);
      expectEqual(await users.byEmail('same@example.test'), kept[0]);
    }),

    test('names are returned unchanged, whatever they contain', async ({ users }) => {
      for (const [index, text] of hostileTexts.entries()) {
        const created = await users.create(aNewUser(index, { firstName: text, lastName: `${text}.` }));
        expectEqual([created?.firstName, created?.lastName], [text, `${text}.`]);
        expectEqual(await users.byEmail(aNewUser(index).email), created);
      }
    }),

    test('passwordHash is null until one is set', async ({ users, load }) => {
      await load({ users: [aUser(1)] });
      expectEqual(await users.passwordHash(1), null);
      expectEqual(await users.setPasswordHash({ userId: 1, hash: 'one' }), true);
      expectEqual(await users.passwordHash(1), 'one');
      expectEqual(await users.passwordHash(2), null);
      expectEqual(await users.setPasswordHash({ userId: 2, hash: 'two' }), false);
    }),

    test('setPasswordHash ends every session of this user only', async ({ users, sessions, load }) => {
      await load({ users: [aUser(1), aUser(2)] });
      for (const hash of ['a', 'b']) await sessions.create({ ...session, hash });
      await sessions.create({ ...session, hash: 'c', userId: 2 });
      await users.setPasswordHash({ userId: 1, hash: 'new' });
      expectEqual(await sessions.find('a'), null);
      expectEqual(await sessions.find('b'), null);
      expectEqual((await sessions.find('c'))?.user.id, 2);
    }),

    test('replacePasswordHash ends every session of this user except the one that it creates', async (storage) => {
      const { users, sessions, load } = storage;
      await load({
        organizations: [anOrganization(1)],
        users: [aUser(1), aUser(2)],
        memberships: [aMembership(1)],
      });
      await users.setPasswordHash({ userId: 1, hash: 'old' });
      await sessions.create({ ...session, hash: 'a' });
      expectEqual(await sessions.create({ ...session, hash: 'b', boundTo: 1 }), true);
      await sessions.create({ ...session, hash: 'c', userId: 2 });
      const own = { hash: 'd', userId: 1, boundTo: null, createdAt, device: 'Safari on macOS' };
      expectEqual(await users.replacePasswordHash({ from: 'other', to: 'new', session: own }), false);
      expectEqual([await users.passwordHash(1), await sessions.find('d')], ['old', null]);
      expectTrue((await sessions.find('a')) !== null, 'a session has ended though nothing was changed');

      expectEqual(await users.replacePasswordHash({ from: 'old', to: 'new', session: own }), true);
      expectEqual(await users.passwordHash(1), 'new');
      expectEqual([await sessions.find('a'), await sessions.find('b')], [null, null]);
      expectEqual((await sessions.find('c'))?.user.id, 2);
      expectEqual(await sessions.find('d'), {
        user: aUser(1),
        boundTo: null,
        startedBy: 'password',
        hasSecondFactor: false,
        createdAt,
        seenAt: createdAt,
        device: 'Safari on macOS',
      });
      const ofUnknownUser = { ...own, hash: 'e', userId: 9 };
      expectEqual(await users.replacePasswordHash({ from: 'old', to: 'new', session: ofUnknownUser }), false);
    }),

    test('replacePasswordHash refuses a session that is not as the second factor of the user', async (storage) => {
      const { users, sessions, secondFactors, load } = storage;
      await load({ users: [aUser(1)] });
      await users.setPasswordHash({ userId: 1, hash: 'old' });
      const replace = (hasSecondFactor: boolean, from = 'old') => {
        const fresh = { hash: `new ${from}`, userId: 1, boundTo: null, createdAt, hasSecondFactor };
        return users.replacePasswordHash({ from, to: `after ${from}`, session: fresh });
      };
      expectEqual([await replace(true), await users.passwordHash(1)], [false, 'old']);
      await withCodes(storage, 1);
      expectEqual([await replace(false), await users.passwordHash(1)], [false, 'old']);
      expectEqual([await replace(true), (await sessions.find('new old'))?.hasSecondFactor], [true, true]);
      await secondFactors.remove({ userId: 1, factor: 'everything' });
      expectEqual([await replace(true, 'after old'), await replace(false, 'after old')], [false, true]);
    }),

    test('setEmail changes the address of one user and ends only the sessions of that user', async (storage) => {
      const { users, sessions, auditTrail, load } = storage;
      await load({
        organizations: [anOrganization(1), anOrganization(2), anOrganization(3)],
        users: [aUser(1), aUser(2)],
        memberships: [2, 1].map((organizationId) => aMembership(1, { organizationId })),
      });
      await users.setPasswordHash({ userId: 1, hash: 'kept' });
      for (const userId of [1, 2]) await sessions.create({ ...session, hash: `s${userId}`, userId });
      const { email: from } = aUser(1);
      const [unknown, to] = ['nobody@example.test', 'new@example.test'];
      expectEqual(await users.setEmail({ from: unknown, to }), 'not-a-user');
      expectEqual(await users.setEmail({ from, to: aUser(2).email }), 'email-taken');
      expectTrue((await sessions.find('s1')) !== null, 'a session has ended though nothing was changed');

      const seen: unknown[] = [];
      const changed = await users.setEmail({ from, to: 'new@example.test' }, ({ user, organizationIds }) => {
        seen.push(user, organizationIds);
        return organizationIds.map((organizationId) => anAuditEntry({ organizationId }));
      });
      expectEqual(changed, aUser(1, { email: 'new@example.test' }));
      expectEqual(seen, [changed, [1, 2]]);
      expectEqual([await users.byEmail('new@example.test'), await users.byEmail(from)], [changed, null]);
      expectEqual(await users.passwordHash(1), 'kept');
      expectEqual(await sessions.find('s1'), null);
      expectEqual((await sessions.find('s2'))?.user.id, 2);
      for (const [organizationId, total] of [
        [1, 1],
        [2, 1],
        [3, 0],
      ] as const) {
        expectEqual((await auditTrail.list({ organizationId, offset: 0, limit: 9 })).total, total);
      }
      expectEqual(await users.setEmail({ from: 'new@example.test', to: 'new@example.test' }), changed);
    }),

    test('setName changes the name, and the host of led meetings that is nothing but the earlier one', async (storage) => {
      const { users, auditTrail, meetings, load } = storage;
      const hosts = ['First1 L.', 'First1 Last1', 'First1', 'Last1', 'First1 L. and guests'];
      await load({
        organizations: [anOrganization(1, { eap: true }), anOrganization(2)],
        users: [aUser(1), aUser(2)],
        memberships: [aMembership(1)],
        changedMeetings: [
          ...hosts.map((host, index) => aMeeting(index + 1, { groupLeaderId: 1, host })),
          aMeeting(6, { groupLeaderId: 2, host: 'First1 L.' }),
          aMeeting(7, { organizationId: null, eapOrganizationIds: [1], groupLeaderId: 1, host: 'First1' }),
        ],
      });
      const changesAfter = (after: ChangeCursor | null) =>
        meetings.changes({ organizationId: 1, after, limit: 9, columns: columns('host') });
      const before = await changesAfter(null);
      const name = { firstName: 'Ána', lastName: 'Zed' };
      const seen: unknown[] = [];
      const change = { userId: 1, ...name };
      const build: Parameters<typeof users.setName>[1] = (done) => {
        seen.push(done);
        return done.organizationIds.map((organizationId) => anAuditEntry({ organizationId }));
      };
      const changed = aUser(1, name);
      expectEqual(await users.setName(change, build), changed);
      expectEqual(await users.setName(change, build), changed);
      expectEqual(seen, [{ user: changed, before: aUser(1), organizationIds: [1] }]);
      expectEqual(await users.byEmail(changed.email), changed);
      expectEqual((await auditTrail.list({ organizationId: 1, offset: 0, limit: 9 })).total, 1);
      const changedAt = before?.changes.at(-1)?.changedAt ?? createdAt;
      const after = await changesAfter({ changedAt, meetingId: 9, since: changedAt, cuts: 0 });
      expectEqual(rows(after?.changes, 'id', 'row'), [
        [1, '{"host":"Ána Z."}'],
        [2, '{"host":"Ána Zed"}'],
        [3, '{"host":"Ána"}'],
        [4, '{"host":"Zed"}'],
        [7, '{"host":"Ána"}'],
      ]);
    }),

    test('setName with onlyOf changes only a member whom no other organization has', async (storage) => {
      const { users, load } = storage;
      const member = (organizationId: number, userId: number) => aMembership(userId, { organizationId });
      await load({
        organizations: [anOrganization(1), anOrganization(2)],
        users: [1, 2, 3, 4, 5].map((id) => aUser(id)),
        memberships: [member(1, 1), member(1, 2), member(2, 2), member(2, 3), member(1, 4), member(1, 5)],
        meetings: [
          aMeeting(1, { groupLeaderId: 1 }),
          aMeeting(2, { organizationId: 2, groupLeaderId: 4 }),
          aMeeting(3, { organizationId: null, groupLeaderId: 5 }),
        ],
      });
      const name = { firstName: 'New', lastName: 'Name' };
      const outcomes = [];
      for (const userId of [1, 2, 3, 4, 5, 9])
        outcomes.push(await users.setName({ userId, ...name, onlyOf: 1 }));
      const elsewhere = 'in-other-organization';
      expectEqual(outcomes, [aUser(1, name), elsewhere, 'not-found', elsewhere, elsewhere, 'not-found']);
      expectEqual(await users.byEmail(aUser(2).email), aUser(2));
      expectEqual(await users.setName({ userId: 9, ...name }), 'not-found');
      expectEqual(await users.setName({ userId: 2, ...name }), aUser(2, name));
    }),

    test('of 20 users who change to the same address at once, one gets it', async ({ users, load }) => {
      await load({ users: Array.from({ length: 20 }, (_, index) => aUser(index + 1)) });
      const answers = await atOnce(20, (index) =>
        users.setEmail({ from: aUser(index + 1).email, to: 'same@example.test' }),
      );
      expectEqual(answers.filter((answer) => answer === 'email-taken').length, 19);
      const changed = answers.find((answer) => typeof answer === 'object');
      expectEqual(changed, await users.byEmail('same@example.test'));
    }),

    test('of 20 replacements of the same password at once, one succeeds', async (storage) => {
      const { users, sessions, load } = storage;
      await load({ users: [aUser(1)] });
      await users.setPasswordHash({ userId: 1, hash: 'old' });
      const answers = await atOnce(20, (index) =>
        users.replacePasswordHash({
          from: 'old',
          to: `new ${index}`,
          session: { hash: `s${index}`, userId: 1, boundTo: null, createdAt },
        }),
      );
      expectEqual(answers.filter((isReplaced) => isReplaced).length, 1);
      expectEqual(await users.passwordHash(1), `new ${answers.indexOf(true)}`);
      const open = await atOnce(20, (index) => sessions.find(`s${index}`));
      expectEqual(open.map(Boolean), answers);
    }),
  ];
}
