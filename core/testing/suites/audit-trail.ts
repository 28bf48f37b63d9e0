import type { Actor } from '../../access/ports/audit-trail.js';
import { aMembership, anOrganization, aUser } from '../dataset.js';
import { type ContractTest, each, expectEqual } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { anAuditEntry } from '../new-audit-entry.js';
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

    test('lastOf returns the newest of the actions in the organization, or null', async ({ auditTrail }) => {
      const actions = ['first-steps-hidden', 'first-steps-shown'] as const;
      const last = (organizationId: number) => auditTrail.lastOf({ organizationId, actions });
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
