import type { Actor, AuditAction, AuditEntry, NewAuditEntry } from '../../access/ports.js';
import type { StoragePorts } from '../../ports.js';
import type { Webhook } from '../../webhooks/ports.js';
import { anOrganization, aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectThrow } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { aNewInvitation } from '../new-invitation.js';
import { type StartedStorage, type StartStorage, storageTest } from '../start-storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const later = new Date('2026-11-20T12:00:00.001Z');
const everything = { organizationId: 1, offset: 0, limit: 100 };

/** The promises of `AuditTrail`, and of every method that notes what it does. */
export function auditTrailSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, `AuditTrail: ${name}`, async (started) => {
      await started.load({
        organizations: [anOrganization(1), anOrganization(2)],
        users: [aUser(1), aUser(2), aUser(3)],
        memberships: [
          { organizationId: 1, userId: 1, role: 'owner', idpId: null },
          { organizationId: 1, userId: 2, role: 'member', idpId: null },
        ],
      });
      await work(started);
    });

  return [
    test('list has the newest first, of one organization, in parts, with how many there are', async ({
      storage: { auditTrail },
    }) => {
      await auditTrail.record(entry({ subject: 'one' }));
      await auditTrail.record(entry({ subject: 'two' }));
      await auditTrail.record(entry({ subject: 'four', at: later }));
      await auditTrail.record(entry({ subject: 'three' }));
      await auditTrail.record(entry({ subject: 'other', organizationId: 2 }));
      const all = await auditTrail.list(everything);
      expectEqual(
        all.entries.map(({ subject }) => subject),
        ['four', 'three', 'two', 'one'],
      );
      expectEqual(all.total, 4);
      const part = await auditTrail.list({ organizationId: 1, offset: 1, limit: 2 });
      expectEqual(part, { total: 4, entries: all.entries.slice(1, 3) });
      expectEqual(await auditTrail.list({ ...everything, offset: 100 }), { total: 4, entries: [] });
      expectEqual((await auditTrail.list({ ...everything, organizationId: 2 })).total, 1);
      expectEqual(await auditTrail.list({ ...everything, organizationId: 9 }), { total: 0, entries: [] });
    }),

    test('every kind of actor comes back, a user with name and address while there is one', async ({
      storage: { auditTrail },
    }) => {
      const actors: readonly Actor[] = [
        { who: { kind: 'user', userId: 1 }, from: '192.0.2.1' },
        { who: { kind: 'user', userId: 99 }, from: '::1' },
        { who: { kind: 'access-key' }, from: '192.0.2.2' },
        { who: { kind: 'command-line' }, from: null },
        { who: { kind: 'program' }, from: null },
      ];
      for (const actor of actors) await auditTrail.record(entry({ actor }));
      const { entries } = await auditTrail.list(everything);
      const { id, email, firstName, lastName } = aUser(1);
      const users = [{ id, email, firstName, lastName }, null, null, null, null];
      expectEqual(
        [...entries].reverse(),
        actors.map((actor, index) => ({
          ...entry({ actor }),
          id: entries[actors.length - 1 - index]?.id,
          user: users[index] ?? null,
        })),
      );
    }),

    test('subjects and addresses come back equal, whatever they hold', async ({
      storage: { auditTrail },
    }) => {
      for (const text of hostileTexts) {
        await auditTrail.record(
          entry({ subject: text, actor: { who: { kind: 'access-key' }, from: `${text}.` } }),
        );
      }
      const { entries } = await auditTrail.list(everything);
      expectEqual(
        [...entries].reverse().map(({ subject, actor }) => [subject, actor.from]),
        hostileTexts.map((text) => [text, `${text}.`]),
      );
    }),

    test('login links are noted as they stand after it', async ({ storage: { loginLinks } }) => {
      const told: unknown[] = [];
      const buildEntries = (facts: unknown) => {
        told.push(facts);
        return [];
      };
      await loginLinks.store(link, buildEntries);
      await loginLinks.redeem({ hash: 'link', at }, buildEntries);
      const { hash, ...facts } = link;
      expectEqual(told, [
        { ...facts, redeemedAt: null },
        { ...facts, redeemedAt: at },
      ]);
    }),

    ...noting.map(({ name, act, done }) =>
      test(`${name} is noted together with what it does, or neither is kept`, async ({ storage }) => {
        const prepared = await prepare(storage);
        const failure = new Error('no note');
        await expectThrow(
          () =>
            act(storage, prepared, () => {
              throw failure;
            }),
          (error) => error === failure,
        );
        expectEqual([await done(storage, prepared), await trail(storage)], [false, []]);

        await act(storage, prepared, () => [entry({ subject: 'one' }), entry({ subject: 'two' })]);
        expectEqual(await done(storage, prepared), true);
        expectEqual(
          (await trail(storage)).map(({ subject }) => subject),
          ['two', 'one'],
        );
      }),
    ),

    test('what is done once of 20 callers at once is noted once', async ({ storage }) => {
      const { invitationId } = await prepare(storage);
      const buildEntries = (action: AuditAction) => () => [entry({ action })];
      await atOnce(20, (index) =>
        storage.invitations.findOrCreatePending(aNewInvitation(20 + index, at), buildEntries('user-invited')),
      );
      await atOnce(20, () =>
        storage.invitations.revoke(
          { organizationId: 1, invitationId, at },
          buildEntries('invitation-revoked'),
        ),
      );
      await atOnce(20, () =>
        storage.loginLinks.redeem({ hash: 'link', at }, buildEntries('login-link-redeemed')),
      );
      await atOnce(20, () =>
        storage.members.changeRole(
          { organizationId: 1, userId: 2, role: 'admin' },
          buildEntries('role-changed'),
        ),
      );
      await atOnce(20, () =>
        storage.members.remove({ organizationId: 1, userId: 2, at }, buildEntries('member-removed')),
      );
      expectEqual((await trail(storage)).map(({ action }) => action).reverse(), [
        'user-invited',
        'invitation-revoked',
        'login-link-redeemed',
        'role-changed',
        'member-removed',
      ]);
    }),

    test('what changes nothing is not noted', async ({ storage }) => {
      const { deliveryId } = await prepare(storage);
      const buildEntries = () => [entry({})];
      await storage.members.changeRole({ organizationId: 1, userId: 1, role: 'owner' }, buildEntries);
      await storage.members.changeRole({ organizationId: 1, userId: 1, role: 'member' }, buildEntries);
      await storage.members.remove({ organizationId: 1, userId: 1, at }, buildEntries);
      await storage.members.remove({ organizationId: 2, userId: 1, at }, buildEntries);
      await storage.invitations.revoke({ organizationId: 1, invitationId: testUuid(9), at }, buildEntries);
      await storage.organizations.setTimeZone({ organizationId: 9, timeZone: 'UTC' }, buildEntries);
      await storage.organizations.replaceAccessKey({ organizationId: 9, hash: 'hash', at }, buildEntries);
      await storage.deliveries.redeliver({ organizationId: 2, deliveryId }, buildEntries);
      await storage.loginLinks.redeem({ hash: 'unknown', at }, buildEntries);
      await storage.loginLinks.redeem({ hash: 'link', at: later }, buildEntries);
      await storage.deliveries.redeliverMatching(
        { organizationId: 1, states: ['failed'], since: later },
        buildEntries,
      );
      await storage.outbox.claim({ limit: 9, perOrganization: 9, claim: testUuid(5), at });
      expectEqual(await storage.deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await storage.deliveries.redeliver({ organizationId: 1, deliveryId }, buildEntries), true);
      expectEqual(await trail(storage), []);
    }),

    test('failed deliveries of all are noted for each organization with its own number', async ({
      storage,
    }) => {
      await fail(storage, [1, 2, 1]);
      const told: unknown[] = [];
      await storage.deliveries.redeliverMatching(
        { organizationId: null, states: ['failed'], since: at },
        (facts) => {
          told.push(facts);
          return [entry({ organizationId: facts.organizationId, subject: String(facts.count) })];
        },
      );
      expectEqual(
        new Set(told.map((facts) => JSON.stringify(facts))),
        new Set(['{"organizationId":1,"count":2}', '{"organizationId":2,"count":1}']),
      );
      expectEqual(told.length, 2);
      expectEqual(
        [await trail(storage, 1), await trail(storage, 2)].map(([noted]) => noted?.subject),
        ['2', '1'],
      );
    }),
  ];
}

function entry(given: Partial<NewAuditEntry>): NewAuditEntry {
  return {
    organizationId: 1,
    at,
    actor: { who: { kind: 'command-line' }, from: null },
    action: 'webhook-tested',
    subject: null,
    ...given,
  };
}

async function trail(storage: StoragePorts, organizationId = 1): Promise<readonly AuditEntry[]> {
  return (await storage.auditTrail.list({ ...everything, organizationId })).entries;
}

interface Prepared {
  readonly invitationId: string;
  readonly deliveryId: number;
}

const link = { hash: 'link', organizationId: 1, userId: 2, createdAt: at, expiresAt: later };

/** An invitation that is pending, a delivery that failed, and a login link. */
async function prepare(storage: StoragePorts): Promise<Prepared> {
  await storage.invitations.findOrCreatePending({ ...aNewInvitation(1, at), email: 'first@example.test' });
  const [deliveryId = 0] = await fail(storage, [1]);
  await storage.loginLinks.store(link);
  return { invitationId: aNewInvitation(1, at).id, deliveryId };
}

/** Failed deliveries of these organizations. */
async function fail(storage: StoragePorts, organizations: readonly number[]): Promise<readonly number[]> {
  for (const [index, organizationId] of organizations.entries()) {
    const user = { ...aUser(80 + index), passwordHash: null };
    const { id, avatar, ...newUser } = user;
    await storage.members.register(
      { organizationId, user: newUser, uuid: null, role: 'member', idpId: null, invitationId: null, at },
      () => ({
        id: testUuid(3000 + index),
        name: 'user.registered',
        organizationId,
        body: '{}',
        createdAt: at,
      }),
    );
  }
  const claimed = await storage.outbox.claim({ limit: 9, perOrganization: 9, claim: testUuid(4), at });
  for (const { deliveryId, claim } of claimed) {
    await storage.outbox.finish({ deliveryId, claim, state: 'failed', attempt: null, at });
  }
  return claimed.map(({ deliveryId }) => deliveryId);
}

type AnyBuildEntries = () => readonly NewAuditEntry[];

interface Noting {
  readonly name: string;
  act(storage: StoragePorts, prepared: Prepared, buildEntries: AnyBuildEntries): Promise<unknown>;
  /** Whether it has been done. */
  done(storage: StoragePorts, prepared: Prepared): Promise<boolean>;
}

const settings: Omit<Webhook, 'id' | 'organizationId'> = {
  url: null,
  enabled: false,
  events: [],
  encryptedSecret: 'sealed',
  createdAt: at,
  updatedAt: at,
};

const noting: readonly Noting[] = [
  {
    name: 'replaceAccessKey',
    act: ({ organizations }, _, buildEntries) =>
      organizations.replaceAccessKey({ organizationId: 1, hash: 'hash', at }, buildEntries),
    done: async ({ organizations }) => (await organizations.byAccessKeyHash(['hash'])) !== null,
  },
  {
    name: 'setTimeZone',
    act: ({ organizations }, _, buildEntries) =>
      organizations.setTimeZone({ organizationId: 1, timeZone: 'Europe/Berlin' }, buildEntries),
    done: async ({ organizations }) => (await organizations.byId(1))?.timeZone === 'Europe/Berlin',
  },
  {
    name: 'register',
    act: ({ members }, _, buildEntries) =>
      members.register(
        {
          organizationId: 1,
          user: { id: 3 },
          uuid: null,
          role: 'admin',
          idpId: null,
          invitationId: null,
          at,
        },
        () => null,
        buildEntries,
      ),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 3 })) !== null,
  },
  {
    name: 'changeRole',
    act: ({ members }, _, buildEntries) =>
      members.changeRole({ organizationId: 1, userId: 2, role: 'admin' }, buildEntries),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 2 }))?.role === 'admin',
  },
  {
    name: 'remove',
    act: ({ members }, _, buildEntries) => members.remove({ organizationId: 1, userId: 2, at }, buildEntries),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 2 })) === null,
  },
  {
    name: 'findOrCreatePending',
    act: ({ invitations }, _, buildEntries) =>
      invitations.findOrCreatePending(aNewInvitation(2, at), buildEntries),
    done: async ({ invitations }) => (await invitations.byId(aNewInvitation(2, at).id)) !== null,
  },
  {
    name: 'revoke',
    act: ({ invitations }, { invitationId }, buildEntries) =>
      invitations.revoke({ organizationId: 1, invitationId, at }, buildEntries),
    done: async ({ invitations }, { invitationId }) =>
      (await invitations.byId(invitationId))?.revokedAt !== null,
  },
  {
    name: 'renew',
    act: ({ invitations }, { invitationId }, buildEntries) =>
      invitations.renew(
        {
          organizationId: 1,
          invitationId,
          retiredUuid: testUuid(2999),
          fresh: { id: aNewInvitation(3, at).id, keyId: 'key', createdAt: at, invitedBy: null },
        },
        buildEntries,
      ),
    done: async ({ invitations }) => (await invitations.byId(aNewInvitation(3, at).id)) !== null,
  },
  {
    name: 'configure',
    act: ({ webhooks }, _, buildEntries) => webhooks.configure(1, () => settings, buildEntries),
    done: async ({ webhooks }) => (await webhooks.of(1)) !== null,
  },
  {
    name: 'redeliver',
    act: ({ deliveries }, { deliveryId }, buildEntries) =>
      deliveries.redeliver({ organizationId: 1, deliveryId }, buildEntries),
    done: async ({ deliveries }, { deliveryId }) =>
      (await deliveries.find({ organizationId: 1, deliveryId }))?.state === 'pending',
  },
  {
    name: 'redeliverMatching',
    act: ({ deliveries }, _, buildEntries) =>
      deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: at }, buildEntries),
    done: async ({ deliveries }, { deliveryId }) =>
      (await deliveries.find({ organizationId: 1, deliveryId }))?.state === 'pending',
  },
  {
    name: 'store',
    act: ({ loginLinks }, _, buildEntries) => loginLinks.store({ ...link, hash: 'other' }, buildEntries),
    done: async ({ loginLinks }) => (await loginLinks.find('other')) !== null,
  },
  {
    name: 'redeem',
    act: ({ loginLinks }, _, buildEntries) => loginLinks.redeem({ hash: 'link', at }, buildEntries),
    done: async ({ loginLinks }) => (await loginLinks.find('link'))?.redeemedAt?.getTime() === at.getTime(),
  },
];
