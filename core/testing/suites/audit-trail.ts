import type { Actor, AuditEntry, AuditFilters, SearchedWord } from '../../access/ports/audit-trail.js';
import { aMembership, anOrganization, aUser } from '../dataset.js';
import { type ContractTest, each, expectEqual } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { anAuditEntry } from '../new-audit-entry.js';
import { minutes, noon } from '../noon.js';
import { type MakeTest, type StartStorage, storageTests } from '../start-storage.js';
import { everything, later } from './audit-trail/prepared-storage.js';
import { recordingTests } from './audit-trail/recording.js';

/** The promises of `AuditTrail`, and of every method that takes `journal`. */
export function auditTrailSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'AuditTrail', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2), aUser(3)],
      memberships: [aMembership(1, { role: 'owner' }), aMembership(2)],
    }),
  );
  return [...listTests(test), ...recordingTests(test)];
}

function word(text: string, { actions = [], actors = [] }: Partial<SearchedWord> = {}): SearchedWord {
  return { text, actions, actors };
}

function listTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('list returns the entries of one organization, newest first, in pages, with their total', async (storage) => {
      const { auditTrail } = storage;
      await auditTrail.record(anAuditEntry({ subject: 'one' }));
      await auditTrail.record(anAuditEntry({ subject: 'two' }));
      await auditTrail.record(anAuditEntry({ subject: 'four', at: later }));
      await auditTrail.record(anAuditEntry({ subject: 'three' }));
      await auditTrail.record(anAuditEntry({ subject: 'other', organizationId: 2 }));
      const all = await auditTrail.list(everything);
      expectEqual(each(all.entries, 'subject'), ['four', 'three', 'two', 'one']);
      expectEqual(all.total, 4);
      const part = await auditTrail.list({ organizationId: 1, offset: 1, limit: 2 });
      expectEqual(part, { total: 4, entries: all.entries.slice(1, 3) });
      expectEqual(await auditTrail.list({ ...everything, offset: 100 }), { total: 4, entries: [] });
      expectEqual((await auditTrail.list({ ...everything, organizationId: 2 })).total, 1);
      expectEqual(await auditTrail.list({ ...everything, organizationId: 9 }), { total: 0, entries: [] });
    }),

    test('list returns only entries that match every filter, with their total', async ({ auditTrail }) => {
      const by = (userId: number) => ({ who: { kind: 'user', userId } as const, from: null });
      const program = { who: { kind: 'access-key' } as const, from: null };
      await auditTrail.record(anAuditEntry({ subject: 'one', actor: by(1), action: 'role-changed' }));
      await auditTrail.record(anAuditEntry({ subject: 'two', actor: by(2), at: later }));
      await auditTrail.record(anAuditEntry({ subject: 'three', actor: by(1), at: minutes(10) }));
      await auditTrail.record(anAuditEntry({ subject: 'four', actor: program, at: minutes(10) }));
      await auditTrail.record(anAuditEntry({ subject: 'other', actor: by(1), organizationId: 2 }));
      const listed = async (filters: AuditFilters, part = everything) => {
        const { total, entries } = await auditTrail.list({ ...part, ...filters });
        return [total, ...entries.map(({ subject }) => subject)];
      };
      expectEqual(await listed({ who: { kind: 'user', userId: 1 } }), [2, 'three', 'one']);
      expectEqual(await listed({ who: { kind: 'access-key' } }), [1, 'four']);
      expectEqual(await listed({ who: { kind: 'operator' } }), [0]);
      expectEqual(await listed({ actions: ['role-changed', 'member-added'] }), [1, 'one']);
      expectEqual(await listed({ since: later }), [3, 'four', 'three', 'two']);
      expectEqual(await listed({ until: later }), [1, 'one']);
      expectEqual(await listed({ since: later, until: minutes(10) }), [1, 'two']);
      const all = { who: { kind: 'user', userId: 1 }, actions: ['webhook-tested'], since: noon } as const;
      expectEqual(await listed({ ...all, words: [word('THR')] }), [1, 'three']);
      expectEqual(await listed({ ...all, words: [word('one')] }), [0]);
      expectEqual(await listed({}, { organizationId: 1, offset: 1, limit: 1 }), [4, 'three']);
      expectEqual(await listed({ since: later }, { organizationId: 1, offset: 2, limit: 5 }), [3, 'two']);
    }),

    test('the words are searched in the subject, and in the names and addresses of both people', async (storage) => {
      const { auditTrail, load } = storage;
      await load({ users: [aUser(1, { firstName: 'Tomás', lastName: 'Løvås' })] });
      const actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.1' } as const;
      await auditTrail.record(anAuditEntry({ subject: 'first', actor }));
      await auditTrail.record(anAuditEntry({ subject: 'Zürich → Wien', aboutUserId: 2 }));
      await auditTrail.record(anAuditEntry({ subject: null }));
      const found = async (...words: readonly string[]) => {
        return foundBy(words.map((text) => word(text)));
      };
      const foundBy = async (words: readonly SearchedWord[]) => {
        const { total, entries } = await auditTrail.list({ ...everything, words });
        const read = await auditTrail.listAfter({ organizationId: 1, after: null, limit: 9, words });
        expectEqual(read, entries);
        return [total, ...entries.map(({ subject }) => subject)];
      };
      expectEqual(await found('tomas', 'LOVAS'), [1, 'first']);
      expectEqual(await found('user-1@', 'first'), [1, 'first']);
      expectEqual(await found('zurich'), [1, 'Zürich → Wien']);
      expectEqual(await found('user-2@example.test'), [1, 'Zürich → Wien']);
      expectEqual(await found('tomas', 'zurich'), [0]);
      expectEqual(await found(), [3, null, 'Zürich → Wien', 'first']);
      expectEqual(await found('192.0.2.1'), [1, 'first']);
    }),

    test('a word also finds the actions and actors that it names', async ({ auditTrail }) => {
      const program = { who: { kind: 'access-key' } as const, from: null };
      await auditTrail.record(anAuditEntry({ subject: 'key', actor: program, action: 'role-changed' }));
      await auditTrail.record(anAuditEntry({ subject: 'one', action: 'role-changed' }));
      await auditTrail.record(anAuditEntry({ subject: 'two', action: 'member-added' }));
      const found = async (...words: readonly SearchedWord[]) => {
        const { total, entries } = await auditTrail.list({ ...everything, words });
        return [total, ...entries.map(({ subject }) => subject)];
      };
      const role = word('role', { actions: ['role-changed', 'idp-id-set'] });
      const api = word('api', { actors: ['access-key', 'operator'] });
      expectEqual(await found(role), [2, 'one', 'key']);
      expectEqual(await found(api), [1, 'key']);
      expectEqual(await found(role, word('one')), [1, 'one']);
      expectEqual(await found(word('two', { actions: ['role-changed'], actors: ['access-key'] })), [
        ...[3, 'two', 'one', 'key'],
      ]);
    }),

    test('listAfter returns the entries that follow one, whatever is recorded meanwhile', async ({
      auditTrail,
    }) => {
      for (const subject of ['one', 'two', 'three']) await auditTrail.record(anAuditEntry({ subject }));
      await auditTrail.record(anAuditEntry({ subject: 'four', at: later }));
      await auditTrail.record(anAuditEntry({ subject: 'other', organizationId: 2 }));
      const read = (after: AuditEntry | null, limit = 2) =>
        auditTrail.listAfter({ organizationId: 1, after, limit });
      const first = await read(null);
      expectEqual(first, (await auditTrail.list(everything)).entries.slice(0, 2));
      expectEqual(each(first, 'subject'), ['four', 'three']);
      await auditTrail.record(anAuditEntry({ subject: 'new', at: later }));
      expectEqual(each(await read(first.at(-1) ?? null), 'subject'), ['two', 'one']);
      expectEqual(each(await read(first[0] ?? null, 1), 'subject'), ['three']);
      expectEqual(await read((await read(first.at(-1) ?? null)).at(-1) ?? null), []);
      const filtered = { organizationId: 1, limit: 9, actions: ['member-added'] } as const;
      expectEqual(await auditTrail.listAfter({ ...filtered, after: first[0] ?? null }), []);
    }),

    test('an entry names the member whom it concerns while they are a member, and the object', async (storage) => {
      const { auditTrail, members } = storage;
      await auditTrail.record(anAuditEntry({ aboutUserId: 2, objectId: '12' }));
      await auditTrail.record(anAuditEntry({ aboutUserId: 3 }));
      await auditTrail.record(anAuditEntry({ aboutUserId: 2, organizationId: 2 }));
      const listed = async (organizationId = 1) =>
        (await auditTrail.list({ ...everything, organizationId })).entries.map(({ about, objectId }) => [
          about,
          objectId,
        ]);
      const { id, email, firstName, lastName } = aUser(2);
      expectEqual(await listed(), [
        [null, null],
        [{ id, email, firstName, lastName }, '12'],
      ]);
      expectEqual(await listed(2), [[null, null]]);
      await members.remove({ organizationId: 1, userId: 2, at: later });
      expectEqual(await listed(), [
        [null, null],
        [null, '12'],
      ]);
    }),

    test('lastOf returns the newest of the actions in the organization, or null', async ({ auditTrail }) => {
      const actions = ['first-steps-hidden', 'first-steps-shown'] as const;
      const last = async (organizationId: number) =>
        (await auditTrail.lastOf({ organizationId, actions }))?.action ?? null;
      await auditTrail.record(anAuditEntry({ action: 'webhook-tested' }));
      await auditTrail.record(anAuditEntry({ action: 'first-steps-hidden', organizationId: 2 }));
      expectEqual([await last(1), await last(2), await last(9)], [null, 'first-steps-hidden', null]);
      await auditTrail.record(anAuditEntry({ action: 'first-steps-hidden', at: later }));
      await auditTrail.record(anAuditEntry({ action: 'first-steps-shown' }));
      expectEqual(await last(1), 'first-steps-hidden');
      await auditTrail.record(anAuditEntry({ action: 'first-steps-shown', at: later }));
      await auditTrail.record(anAuditEntry({ action: 'webhook-tested', at: later }));
      expectEqual([await last(1), await last(2)], ['first-steps-shown', 'first-steps-hidden']);
      expectEqual(await auditTrail.lastOf({ organizationId: 1, actions: ['meetings-exported'] }), null);
    }),

    test('lastOf with a user returns what this user did', async ({ auditTrail }) => {
      const by = (userId: number, subject: string, organizationId = 1) =>
        auditTrail.record(
          anAuditEntry({ subject, organizationId, actor: { who: { kind: 'user', userId }, from: null } }),
        );
      await by(2, 'two');
      await by(3, 'elsewhere', 2);
      await auditTrail.record(anAuditEntry({ subject: 'program', at: later }));
      const { action, at } = anAuditEntry();
      const last = (userId: number) => auditTrail.lastOf({ organizationId: 1, actions: [action], userId });
      expectEqual([await last(2), await last(3)], [{ action, at }, null]);
    }),

    test('every kind of actor is returned, a user with name and address as long as the user exists', async (storage) => {
      const { auditTrail } = storage;
      const actors: readonly Actor[] = [
        { who: { kind: 'user', userId: 1 }, from: '192.0.2.1' },
        { who: { kind: 'user', userId: 99 }, from: '::1' },
        { who: { kind: 'access-key' }, from: '192.0.2.2' },
        { who: { kind: 'command-line' }, from: null },
        { who: { kind: 'program' }, from: null },
      ];
      for (const actor of actors) await auditTrail.record(anAuditEntry({ actor }));
      const { entries } = await auditTrail.list(everything);
      const { id, email, firstName, lastName } = aUser(1);
      const users = [{ id, email, firstName, lastName }, null, null, null, null];
      expectEqual(
        [...entries].reverse(),
        actors.map((actor, index) => ({
          ...anAuditEntry({ actor }),
          id: entries[actors.length - 1 - index]?.id,
          user: users[index] ?? null,
          about: null,
          objectId: null,
        })),
      );
    }),

    test('subjects and addresses are returned unchanged, whatever they contain', async ({ auditTrail }) => {
      for (const text of hostileTexts) {
        await auditTrail.record(
          anAuditEntry({ subject: text, actor: { who: { kind: 'access-key' }, from: `${text}.` } }),
        );
      }
      const { entries } = await auditTrail.list(everything);
      expectEqual(
        [...entries].reverse().map(({ subject, actor }) => [subject, actor.from]),
        hostileTexts.map((text) => [text, `${text}.`]),
      );
    }),
  ];
}
