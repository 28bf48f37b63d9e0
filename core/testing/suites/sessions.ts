import type { NewAuditEntry } from '../../access/ports/audit-trail.js';
import type { Sessions, StoredSession } from '../../users/ports/sessions.js';
import { maxSessions } from '../../users/sessions/session.js';
import { aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, each, expectEqual } from '../expect.js';
import { anAuditEntry } from '../new-audit-entry.js';
import { addedBy, aPasskey, withCodes } from '../new-second-factor.js';
import { aBoundSession, anIdentity, aSignOn, withSignOn } from '../new-sign-on.js';
import { later, minutes, noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const session = { userId: 1, boundTo: null, createdAt: noon, passwordHash: null };

function entryOf({ hash, createdAt, device }: StoredSession): NewAuditEntry {
  return anAuditEntry({ subject: `${hash} ${createdAt.toISOString()} ${device}` });
}

/** The promises of `Sessions`. */
export function sessionsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Sessions', (storage) =>
    storage.load({
      organizations: [anOrganization(1)],
      users: [aUser(1), aUser(2)],
      memberships: [aMembership(1)],
    }),
  );
  return [
    test('find returns the user, the binding, how it began, both times and the device', async ({
      sessions,
    }) => {
      const device = 'Firefox on Android';
      await sessions.create({ ...session, hash: 'bound', boundTo: 1, device });
      await sessions.create({ ...session, hash: 'free', userId: 2 });
      const times = { createdAt: noon, seenAt: noon, hasSecondFactor: false };
      const bound = { user: aUser(1), boundTo: 1, startedBy: 'login-link', ...times, device };
      expectEqual(await sessions.find('bound'), bound);
      const free = { user: aUser(2), boundTo: null, startedBy: 'password', ...times, device: null };
      expectEqual(await sessions.find('free'), free);
      expectEqual(await sessions.find('none'), null);
    }),

    test('lastSignIn is when a session last began with a password, also after its end', async (storage) => {
      const { sessions, users } = storage;
      await users.setPasswordHash({ userId: 1, hash: 'hash' });
      await sessions.create({ ...session, hash: 'link', boundTo: 1 });
      await sessions.create({ ...session, hash: 'wrong', passwordHash: 'other' });
      expectEqual(await sessions.lastSignIn(1), null);
      await sessions.create({ ...session, hash: 'a', passwordHash: 'hash' });
      await sessions.create({ ...session, hash: 'b', passwordHash: 'hash', createdAt: later });
      await sessions.end('b');
      expectEqual([await sessions.lastSignIn(1), await sessions.lastSignIn(2)], [later, null]);
      expectEqual(await sessions.lastSignIn(99), null);
    }),

    test('endAll of an organization ends the sessions of its links, and all if the user is in no other one', async (storage) => {
      const { sessions, load } = storage;
      await load({ organizations: [anOrganization(2)], memberships: [aMembership(2)] });
      await load({ memberships: [aMembership(1, { organizationId: 2 })] });
      for (const userId of [1, 2]) {
        await sessions.create({ ...session, userId, hash: `bound ${userId}`, boundTo: 1 });
        await sessions.create({ ...session, userId, hash: `free ${userId}` });
      }
      await sessions.create({ ...session, hash: 'elsewhere', boundTo: 2 });
      await sessions.endAll({ userId: 1, onlyOf: 1 });
      const hashes = ['bound 1', 'free 1', 'elsewhere', 'bound 2', 'free 2'];
      expectEqual(await usersOf(sessions, hashes), [null, 1, 1, 2, 2]);
      await sessions.endAll({ userId: 2, onlyOf: 1 });
      expectEqual(await usersOf(sessions, hashes), [null, 1, 1, null, null]);
    }),

    test('a session of a user who does not exist is not created', async ({ sessions }) => {
      const stranger = { ...session, hash: 'a', userId: 99 };
      expectEqual(await sessions.create({ ...stranger, boundTo: 1 }), false);
      expectEqual(await sessions.create({ ...stranger, passwordHash: 'hash' }), false);
      expectEqual(await sessions.find('a'), null);
    }),

    test('a session is bound only to an organization of the user', async ({ sessions }) => {
      expectEqual(await sessions.create({ ...session, hash: 'a', userId: 2, boundTo: 1 }), false);
      expectEqual(await sessions.create({ ...session, hash: 'a', boundTo: 99 }), false);
      expectEqual(await sessions.find('a'), null);
    }),

    test('no bound session is left of those that are created while the member is removed', async (storage) => {
      const { sessions, members } = storage;
      await atOnce(20, async (index) => {
        if (index === 5) await members.remove({ organizationId: 1, userId: 1, at: noon });
        await sessions.create({ ...session, hash: `session ${index}`, boundTo: 1 });
      });
      const hashes = Array.from({ length: 20 }, (_, index) => `session ${index}`);
      expectEqual(await usersOf(sessions, hashes), Array(20).fill(null));
    }),

    test('sign-on starts a session only while it is on, for a member with an identity of its issuer', async (storage) => {
      const { sessions, signOns, identities } = storage;
      const create = (hash: string) => sessions.create(aBoundSession(1, hash));
      expectEqual(await create('without sign-on'), false);
      await withSignOn(storage, [1]);
      expectEqual(await create('without an identity'), false);
      await identities.link(anIdentity(1));
      expectEqual(await create('linked'), true);
      expectEqual(await sessions.create({ ...aBoundSession(1, 'free'), boundTo: null }), false);
      expectEqual((await sessions.find('linked'))?.startedBy, 'sign-on');
      await signOns.save(1, () => aSignOn({ isOn: false }));
      expectEqual(await create('off'), false);
      await signOns.save(1, () => aSignOn({ issuer: 'https://other.example' }));
      expectEqual(await create('another issuer'), false);
    }),

    test('endSignedOn ends what sign-on started by the session at the provider, the user, or both', async (storage) => {
      const { sessions, identities, load } = storage;
      await load({ organizations: [anOrganization(2)], memberships: [aMembership(2)] });
      await load({ memberships: [aMembership(1, { organizationId: 2 })] });
      await withSignOn(storage, [1, 2]);
      for (const userId of [1, 2]) await identities.link(anIdentity(userId));
      await identities.link(anIdentity(1, { organizationId: 2 }));
      const hashes = ['1 x', '1 y', '2 x', '2 none', 'elsewhere', 'link'];
      const prepared = async () => {
        for (const userId of [1, 2]) await sessions.create(aBoundSession(userId, `${userId} x`, 'x'));
        await sessions.create(aBoundSession(1, '1 y', 'y'));
        await sessions.create(aBoundSession(2, '2 none'));
        await sessions.create({ ...aBoundSession(1, 'elsewhere', 'x'), boundTo: 2 });
        await sessions.create({ ...session, hash: 'link', boundTo: 1, sid: 'x' });
      };
      for (const [sid, userId, left] of [
        ['x', null, [null, 1, null, 2, 1, 1]],
        ['x', 1, [null, 1, 2, 2, 1, 1]],
        [null, 1, [null, null, 2, 2, 1, 1]],
        ['z', 1, [1, 1, 2, 2, 1, 1]],
        [null, null, [1, 1, 2, 2, 1, 1]],
      ] as const) {
        await sessions.endAll({ userId: null });
        await prepared();
        await sessions.endSignedOn({ organizationId: 1, sid, userId });
        expectEqual([sid, userId, await usersOf(sessions, hashes)], [sid, userId, left]);
      }
    }),

    test('touch moves seenAt forward and never back', async ({ sessions }) => {
      await sessions.create({ ...session, hash: 'a' });
      await sessions.touch({ hash: 'a', at: later });
      await sessions.touch({ hash: 'a', at: noon });
      expectEqual((await sessions.find('a'))?.seenAt, later);
    }),

    test('an ended session is gone, and touch does not restore it', async ({ sessions }) => {
      await sessions.create({ ...session, hash: 'a' });
      expectEqual([await sessions.end('a'), await sessions.end('a')], [true, false]);
      await sessions.touch({ hash: 'a', at: later });
      expectEqual(await sessions.find('a'), null);
    }),

    test('beyond the sessions that are kept of a user, the one that was used longest ago ends', async (storage) => {
      const { sessions } = storage;
      await sessions.create({ ...session, hash: 'other', userId: 2, createdAt: minutes(-1) });
      for (const [hash, minute] of [
        ['used', 0],
        ['unused', 1],
        ['next', 2],
      ] as const)
        await sessions.create({ ...session, hash, createdAt: minutes(minute) });
      await sessions.touch({ hash: 'used', at: minutes(9) });
      await atOnce(maxSessions - 3, (index) =>
        sessions.create({ ...session, hash: `${index}`, createdAt: minutes(3) }),
      );
      const left = () => usersOf(sessions, ['other', 'used', 'unused', 'next']);
      expectEqual(await left(), [2, 1, 1, 1]);
      // A clock that is late makes the new session look old.
      await sessions.create({ ...session, hash: 'new' });
      expectEqual(await left(), [2, 1, null, 1]);
      expectEqual((await sessions.find('new'))?.user.id, 1);
    }),

    test('ofUser returns the sessions of the user within both times, those that were used last first', async (storage) => {
      const { sessions } = storage;
      for (const minute of [0, 1, 2, 3, 4])
        await sessions.create({ ...session, hash: `${minute}`, createdAt: minutes(minute) });
      await sessions.create({ ...session, hash: 'other', userId: 2, createdAt: minutes(4) });
      await sessions.create({
        ...session,
        hash: 'bound',
        boundTo: 1,
        createdAt: minutes(3),
        device: 'Safari',
      });
      for (const [hash, minute] of [
        ['0', 30],
        ['1', 10],
        ['2', 20],
        ['bound', 15],
      ] as const)
        await sessions.touch({ hash, at: minutes(minute) });
      const query = { userId: 1, createdAfter: minutes(0), seenAfter: minutes(3), limit: 9 };
      const hashes = async (changed: object = {}) =>
        (await sessions.ofUser({ ...query, ...changed })).map(({ hash }) => hash);
      expectEqual(await hashes(), ['2', 'bound', '1', '4']);
      expectEqual(await hashes({ seenAfter: minutes(2) }), ['2', 'bound', '1', '4', '3']);
      expectEqual(await hashes({ createdAfter: minutes(-1) }), ['0', '2', 'bound', '1', '4']);
      expectEqual(await hashes({ limit: 2 }), ['2', 'bound']);
      expectEqual(await hashes({ userId: 99 }), []);
      expectEqual(await sessions.ofUser({ ...query, createdAfter: minutes(2), seenAfter: minutes(4) }), [
        {
          ...{ hash: 'bound', boundTo: 1, startedBy: 'login-link', hasSecondFactor: false },
          ...{ createdAt: minutes(3), seenAt: minutes(15), device: 'Safari' },
        },
      ]);
    }),

    test('of 20 callers who end a session at once, one has ended it, and it is recorded once', async (storage) => {
      const { sessions, auditTrail } = storage;
      await sessions.create({ ...session, hash: 'a', boundTo: 1, device: 'Safari' });
      const answers = await atOnce(20, () => sessions.end('a', (ended) => [entryOf(ended)]));
      expectEqual(answers.filter(Boolean).length, 1);
      const { total, entries } = await auditTrail.list({ organizationId: 1, offset: 0, limit: 9 });
      expectEqual([total, entries[0]?.subject], [1, `a ${noon.toISOString()} Safari`]);
    }),

    test('endOthers ends every other session of this user only, and records each', async (storage) => {
      const { sessions, auditTrail } = storage;
      for (const hash of ['own', 'a']) await sessions.create({ ...session, hash });
      await sessions.create({ ...session, hash: 'b', boundTo: 1 });
      await sessions.create({ ...session, hash: 'other', userId: 2 });
      const isDone = await sessions.endOthers('own', (ended) =>
        ended.filter(({ boundTo }) => boundTo !== null).map(entryOf),
      );
      expectEqual(isDone, true);
      expectEqual(await usersOf(sessions, ['own', 'other', 'a', 'b']), [1, 2, null, null]);
      const { entries } = await auditTrail.list({ organizationId: 1, offset: 0, limit: 9 });
      expectEqual(each(entries, 'subject'), [`b ${noon.toISOString()} null`]);
      expectEqual([await sessions.endOthers('own'), await sessions.endOthers('a')], [true, false]);
    }),

    test('endAll ends every session of this user only, or of all users, and records each', async (storage) => {
      const { sessions, auditTrail } = storage;
      const found = () => usersOf(sessions, ['a', 'b', 'other', 'new']);
      await sessions.create({ ...session, hash: 'a' });
      await sessions.create({ ...session, hash: 'b', boundTo: 1, device: 'Safari' });
      await sessions.create({ ...session, hash: 'other', userId: 2 });
      const told: unknown[] = [];
      await sessions.endAll({ userId: 1 }, (ended) => {
        told.push(...[...ended].sort((one, other) => (one.hash < other.hash ? -1 : 1)));
        return ended.filter(({ boundTo }) => boundTo !== null).map(entryOf);
      });
      const times = { createdAt: noon, seenAt: noon, hasSecondFactor: false };
      expectEqual(told, [
        { hash: 'a', boundTo: null, startedBy: 'password', ...times, device: null, user: aUser(1) },
        { hash: 'b', boundTo: 1, startedBy: 'login-link', ...times, device: 'Safari', user: aUser(1) },
      ]);
      expectEqual(await found(), [null, null, 2, null]);
      const { entries } = await auditTrail.list({ organizationId: 1, offset: 0, limit: 9 });
      expectEqual(each(entries, 'subject'), [`b ${noon.toISOString()} Safari`]);
      await sessions.create({ ...session, hash: 'new' });
      await sessions.endAll({ userId: null });
      expectEqual(await found(), [null, null, null, null]);
    }),

    test('of 20 callers who end all sessions at once, one ends each', async ({ sessions }) => {
      for (let index = 0; index < 5; index += 1)
        await sessions.create({ ...session, hash: `session ${index}`, userId: 1 + (index % 2) });
      const told: string[] = [];
      await atOnce(20, (index) =>
        sessions.endAll({ userId: index % 3 === 0 ? null : 1 + (index % 2) }, (ended) => {
          told.push(...ended.map(({ hash }) => hash));
          return [];
        }),
      );
      expectEqual(told.sort(), ['session 0', 'session 1', 'session 2', 'session 3', 'session 4']);
    }),

    test('a session that has ended ends no other', async ({ sessions }) => {
      for (const hash of ['a', 'b']) await sessions.create({ ...session, hash });
      await sessions.find('a');
      await sessions.end('a');
      expectEqual(await sessions.endOthers('a'), false);
      expectEqual((await sessions.find('b'))?.user.id, 1);
    }),

    test('if several sessions end the others at once, one is left', async ({ sessions }) => {
      const hashOf = (index: number): string => `session ${index}`;
      for (let index = 0; index < 10; index += 1) await sessions.create({ ...session, hash: hashOf(index) });
      const answers = await atOnce(10, (index) => sessions.endOthers(hashOf(index)));
      const left = await atOnce(10, async (index) => (await sessions.find(hashOf(index))) !== null);
      expectEqual(left.filter(Boolean).length, 1);
      expectEqual(answers[left.indexOf(true)], true);
    }),

    test('create with a password hash succeeds only while it is the user’s current hash', async (storage) => {
      const { sessions, users } = storage;
      const create = (passwordHash: string) => sessions.create({ ...session, hash: 'a', passwordHash });
      expectEqual(await create('old'), false);
      await users.setPasswordHash({ userId: 1, hash: 'old' });
      await users.setPasswordHash({ userId: 2, hash: 'other' });
      expectEqual(await create('other'), false);
      expectEqual(await sessions.find('a'), null);
      expectEqual(await create('old'), true);
      expectEqual((await sessions.find('a'))?.user.id, 1);
    }),

    test('no session created with the old password is left after a change of the password', async (storage) => {
      const { sessions, users } = storage;
      for (let round = 0; round < 10; round += 1) {
        const [from, to] = [`old ${round}`, `new ${round}`];
        await users.setPasswordHash({ userId: 1, hash: from });
        const change = () =>
          round % 2 === 0
            ? users.setPasswordHash({ userId: 1, hash: to })
            : users.replacePasswordHash({ from, to, session: { ...session, hash: `mine ${round}` } });
        const hashOf = (index: number) => `${round}/${index}`;
        await atOnce(21, (index) =>
          index === 7 ? change() : sessions.create({ ...session, hash: hashOf(index), passwordHash: from }),
        );
        const hashes = Array.from({ length: 21 }, (_, index) => hashOf(index));
        expectEqual(await usersOf(sessions, hashes), Array(21).fill(null));
      }
    }),

    test('no session without the first second factor is left of those that a password starts meanwhile', async (storage) => {
      const { secondFactors, sessions, users } = storage;
      for (let round = 0; round < 6; round += 1) {
        const [from, to] = [`old ${round}`, `new ${round}`];
        await users.setPasswordHash({ userId: 1, hash: from });
        const hashOf = (index: number) => `${round}/${index}`;
        await atOnce<unknown>(21, (index) => {
          const fresh = { ...session, hash: hashOf(index) };
          if (index === 3 && round > 3) return users.replacePasswordHash({ from, to, session: fresh });
          if (index !== 7) return sessions.create({ ...fresh, passwordHash: from });
          return round % 2 === 0
            ? secondFactors.addPasskey({ ...aPasskey(round), ...addedBy(1) })
            : withCodes(storage, 1);
        });
        const hashes = Array.from({ length: 21 }, (_, index) => hashOf(index));
        expectEqual(await usersOf(sessions, hashes), Array(21).fill(null));
        await secondFactors.remove({ userId: 1, factor: 'everything' });
      }
    }),
  ];
}

/** The ids of the users of these sessions; null: there is no such session. */
async function usersOf(sessions: Sessions, hashes: readonly string[]): Promise<readonly (number | null)[]> {
  const found = await Promise.all(hashes.map((hash) => sessions.find(hash)));
  return found.map((one) => one?.user.id ?? null);
}
