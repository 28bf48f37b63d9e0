import type { AuditAction } from '../../../access/ports/audit-trail.js';
import { aUser, testUuid } from '../../dataset.js';
import { atOnce, type ContractTest, each, expectEqual, expectPassedOn, rows } from '../../expect.js';
import { anAuditEntry } from '../../new-audit-entry.js';
import { anInvitation } from '../../new-invitation.js';
import { noon } from '../../noon.js';
import { finishOldest, registered } from '../../queued-deliveries.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';
import { eventName, subscribe } from '../../subscribe.js';
import { later, link, prepare, trail } from './prepared-storage.js';
import { recordedActions } from './recorded-actions.js';

/** Every method that takes `journal` records what it does in its own transaction. */
export function recordingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('login links are recorded as they are after the change', async ({ loginLinks }) => {
      const { seen, journal } = recordingJournal();
      await loginLinks.store(link, journal);
      await loginLinks.redeem({ hash: 'link', at: noon }, journal);
      const { hash, ...facts } = link;
      expectEqual(seen, [
        { ...facts, redeemedAt: null },
        { ...facts, redeemedAt: noon },
      ]);
    }),

    ...Object.entries(recordedActions).map(([name, { act, done }]) =>
      test(`${name} stores its change and the journal together, or neither`, async (storage) => {
        const prepared = await prepare(storage);
        const event = { id: testUuid(90), name: eventName, organizationId: 1, body: '{}', createdAt: noon };
        await expectPassedOn((fail) => act(storage, prepared, fail));
        expectEqual([await done(storage, prepared), await trail(storage)], [false, []]);

        await act(storage, prepared, () => [
          anAuditEntry({ subject: 'one' }),
          { kind: 'webhook-failing', ownersOf: 1, createdAt: noon },
          anAuditEntry({ subject: 'two' }),
          event,
        ]);
        expectEqual(await done(storage, prepared), true);
        const mails = await storage.mails.claim({ limit: 9, claim: testUuid(1), at: later, until: later });
        expectEqual(rows(mails, 'email', 'organizationId'), [[aUser(1).email, 1]]);
        expectEqual(each(await trail(storage), 'subject'), ['two', 'one']);
        const newest = { organizationId: 1, after: null, order: 'desc', limit: 1 } as const;
        const feed = await storage.eventFeed.read(newest);
        expectEqual('events' in feed && feed.events[0]?.id, event.id);
      }),
    ),

    test('when 20 callers make the same change at once, one entry is recorded', async (storage) => {
      const { invitationId } = await prepare(storage);
      const email = 'new@example.test';
      const journal = (action: AuditAction) => () => [anAuditEntry({ action })];
      await atOnce(20, (index) =>
        storage.invitations.findOrCreatePending(anInvitation(20 + index, { email }), journal('user-invited')),
      );
      await atOnce(20, () =>
        storage.invitations.revoke(
          { organizationId: 1, invitationId, at: noon },
          journal('invitation-revoked'),
        ),
      );
      await atOnce(20, () =>
        storage.loginLinks.redeem({ hash: 'link', at: noon }, journal('login-link-redeemed')),
      );
      await atOnce(20, () =>
        storage.members.changeRole({ organizationId: 1, userId: 2, role: 'admin' }, journal('role-changed')),
      );
      await atOnce(20, () =>
        storage.members.remove({ organizationId: 1, userId: 2, at: noon }, journal('member-removed')),
      );
      expectEqual((await trail(storage)).map(({ action }) => action).reverse(), [
        'user-invited',
        'invitation-revoked',
        'login-link-redeemed',
        'role-changed',
        'member-removed',
      ]);
    }),

    test('an action that changes nothing is not recorded', async (storage) => {
      const { deliveryId } = await prepare(storage);
      const journal = () => [anAuditEntry()];
      await storage.members.changeRole({ organizationId: 1, userId: 1, role: 'owner' }, journal);
      await storage.members.changeRole({ organizationId: 1, userId: 1, role: 'member' }, journal);
      await storage.members.setIdpId({ organizationId: 1, userId: 1, idpId: null }, journal);
      await storage.members.setIdpId({ organizationId: 1, userId: 2, idpId: 'idp-2' });
      await storage.members.setIdpId({ organizationId: 1, userId: 2, idpId: 'idp-2' }, journal);
      await storage.members.remove({ organizationId: 1, userId: 1, at: noon }, journal);
      await storage.members.remove({ organizationId: 2, userId: 1, at: noon }, journal);
      await storage.invitations.revoke({ organizationId: 1, invitationId: testUuid(9), at: noon }, journal);
      await storage.organizations.setTimeZone({ organizationId: 9, timeZone: 'UTC' }, journal);
      await storage.organizations.replaceAccessKey({ organizationId: 9, hash: 'hash', at: noon }, journal);
      await storage.deliveries.redeliver({ organizationId: 2, deliveryId }, journal);
      await storage.loginLinks.redeem({ hash: 'unknown', at: noon }, journal);
      await storage.sessions.end('unknown', journal);
      await storage.sessions.endOthers('unknown', journal);
      await storage.sessions.end('a session');
      await storage.sessions.endOthers('another session', journal);
      await storage.sessions.endAll({ userId: 2 }, journal);
      await storage.loginLinks.redeem({ hash: 'link', at: later }, journal);
      await storage.deliveries.redeliverMatching(
        { organizationId: 1, states: ['failed'], since: later },
        journal,
      );
      expectEqual(await trail(storage), []);
    }),

    test('redelivering for all organizations records an entry for each, with the number of its deliveries', async (storage) => {
      await subscribe(storage, [1, 2]);
      for (const [number, organizationId] of [1, 2, 1].entries())
        await registered(storage, { number, organizationId });
      await finishOldest(storage, ['failed', 'failed', 'failed']);
      const seen: unknown[] = [];
      await storage.deliveries.redeliverMatching(
        { organizationId: null, states: ['failed'], since: noon },
        (facts) => {
          seen.push(facts);
          return [anAuditEntry({ organizationId: facts.organizationId, subject: String(facts.count) })];
        },
      );
      expectEqual(
        new Set(seen.map((facts) => JSON.stringify(facts))),
        new Set(['{"organizationId":1,"count":2}', '{"organizationId":2,"count":1}']),
      );
      expectEqual(seen.length, 2);
      expectEqual(
        [await trail(storage, 1), await trail(storage, 2)].map(([newest]) => newest?.subject),
        ['2', '1'],
      );
    }),
  ];
}
