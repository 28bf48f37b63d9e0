import type { StoragePorts } from '../../ports.js';
import type { ClaimedMail, MailKind, Mails, NewMail } from '../../users/ports/mails.js';
import { aMembership, anOrganization, aUser, type Dataset, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, each, expectEqual, rows } from '../expect.js';
import { minutes, noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const mailTo = (email: string, createdAt = noon): NewMail => ({ kind: 'password-reset', email, createdAt });

/** Claims from one minute to another, in the order of the ids. */
async function claimAt(
  mails: Mails,
  from: number,
  { limit = 10, until = from + 10, claim = testUuid(1) } = {},
): Promise<readonly ClaimedMail[]> {
  const claimed = await mails.claim({ limit, claim, at: minutes(from), until: minutes(until) });
  return [...claimed].sort((one, other) => one.id - other.id);
}

/** Claims at noon what waits, and returns the mail with the lowest id. */
async function claimFirst(mails: Mails): Promise<ClaimedMail> {
  const [first] = await claimAt(mails, 0);
  if (first === undefined) throw new Error('nothing was claimed');
  return first;
}

const emailsOf = (claimed: readonly ClaimedMail[]): readonly string[] => claimed.map(({ email }) => email);

/** Organization 1 has two owners and an admin; the first owner has organization 2 too. */
const twoOwners: Dataset = {
  organizations: [anOrganization(1), anOrganization(2)],
  users: [aUser(1), aUser(2), aUser(3)],
  memberships: [
    aMembership(1, { role: 'owner' }),
    aMembership(2, { role: 'owner' }),
    aMembership(3, { role: 'admin' }),
    aMembership(1, { organizationId: 2, role: 'owner' }),
  ],
};

/** Adds mails to the owners of organization 1 in the transaction of an action. */
function tellOwners({ organizations }: StoragePorts) {
  let number = 0;
  return async ({
    kind,
    at = 0,
    replaces = ['webhook-failing', 'webhook-working'],
  }: {
    readonly kind: MailKind;
    readonly at?: number;
    readonly replaces?: readonly MailKind[];
  }): Promise<void> => {
    number += 1;
    await organizations.setTimeZone(
      { organizationId: 1, timeZone: number % 2 === 0 ? 'UTC' : 'Europe/Berlin' },
      () => [{ kind, ownersOf: 1, createdAt: minutes(at), replaces }],
    );
  };
}

/** The promises of `Mails`. */
export function mailsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Mails');
  return [
    test('a mail is claimed as it was added, to any address', async ({ mails }) => {
      const about = { organizationId: 99, invitationId: testUuid(9) };
      const mail = {
        kind: 'webhook-failing',
        email: 'nobody@example.test',
        createdAt: noon,
        ...about,
      } as const;
      await mails.add(mail);
      const claimed = await claimAt(mails, 0);
      expectEqual(claimed, [{ ...mail, id: claimed[0]?.id, claim: testUuid(1), attempts: 0 }]);
    }),

    test('a mail is not due before it was added', async ({ mails }) => {
      await mails.add(mailTo('a@example.test', minutes(5)));
      expectEqual(await claimAt(mails, 4), []);
      expectEqual(emailsOf(await claimAt(mails, 5)), ['a@example.test']);
    }),

    test('those that have been due longest are claimed first', async ({ mails }) => {
      for (const [email, at] of [['c', 3] as const, ['a', 1] as const, ['b', 2] as const])
        await mails.add(mailTo(`${email}@example.test`, minutes(at)));
      expectEqual(emailsOf(await claimAt(mails, 5, { limit: 2 })), ['a@example.test', 'b@example.test']);
      expectEqual(emailsOf(await claimAt(mails, 5, { limit: 2 })), ['c@example.test']);
    }),

    test('a claimed mail is due again at the end of its claim', async ({ mails }) => {
      await mails.add(mailTo('a@example.test'));
      await claimAt(mails, 0, { until: 10 });
      expectEqual(await claimAt(mails, 9), []);
      const [again] = await claimAt(mails, 10, { claim: testUuid(2) });
      expectEqual([again?.attempts, again?.claim], [1, testUuid(2)]);
    }),

    test('of 25 callers at once, one gets a mail', async ({ mails }) => {
      await mails.add(mailTo('a@example.test'));
      await mails.add(mailTo('b@example.test'));
      const claimed = await atOnce(25, (index) =>
        claimAt(mails, 0, { limit: 1, claim: testUuid(index + 1) }),
      );
      expectEqual(emailsOf(claimed.flat()).toSorted(), ['a@example.test', 'b@example.test']);
    }),

    test('a finished mail is never claimed again', async ({ mails }) => {
      await mails.add(mailTo('a@example.test'));
      await mails.add(mailTo('b@example.test'));
      const first = await claimFirst(mails);
      expectEqual(await mails.finish(first), true);
      expectEqual(await mails.finish(first), false);
      expectEqual(emailsOf(await claimAt(mails, 59)), ['b@example.test']);
    }),

    test('a postponed mail is due at its time, and counts its attempts', async ({ mails }) => {
      await mails.add(mailTo('a@example.test'));
      const first = await claimFirst(mails);
      expectEqual(await mails.postpone({ ...first, dueAt: minutes(2) }), true);
      expectEqual(await claimAt(mails, 1), []);
      expectEqual(each(await claimAt(mails, 2), 'attempts'), [1]);
    }),

    test('a mail to owners replaces those of its kinds that wait, and stays due when they were', async (storage) => {
      await storage.load(twoOwners);
      const { mails } = storage;
      const tell = tellOwners(storage);
      await tell({ kind: 'webhook-failing' });
      for (const mail of await claimAt(mails, 0)) await mails.postpone({ ...mail, dueAt: minutes(5) });
      await tell({ kind: 'webhook-failing', at: 1 });
      await tell({ kind: 'webhook-working', at: 2 });
      expectEqual(await claimAt(mails, 4), []);
      const left = rows(await claimAt(mails, 5), 'email', 'kind', 'organizationId', 'createdAt', 'attempts');
      const facts = ['webhook-working', 1, minutes(2), 1];
      expectEqual(left, [
        [aUser(1).email, ...facts],
        [aUser(2).email, ...facts],
      ]);
    }),

    test('a mail to owners replaces no other kind, organization or recipient, and none that is claimed', async (storage) => {
      await storage.load(twoOwners);
      const { mails } = storage;
      const tell = tellOwners(storage);
      const kind = 'webhook-failing';
      await mails.add({ kind, email: aUser(1).email, organizationId: 2, createdAt: noon });
      await mails.add({ kind, email: aUser(3).email, organizationId: 1, createdAt: noon });
      await mails.add({ kind, email: aUser(1).email, createdAt: noon });
      await tell({ kind: 'access-key-replaced', replaces: [] });
      await tell({ kind: 'access-key-replaced', replaces: [] });
      await tell({ kind: 'webhook-working' });
      expectEqual((await claimAt(mails, 0)).length, 9);
      await tell({ kind: 'webhook-working', at: 1 });
      expectEqual(rows(await claimAt(mails, 1), 'kind', 'email'), [
        ['webhook-working', aUser(1).email],
        ['webhook-working', aUser(2).email],
      ]);
    }),

    test('of several mails that wait, the one to owners leaves one', async (storage) => {
      await storage.load(twoOwners);
      const { mails } = storage;
      const tell = tellOwners(storage);
      await tell({ kind: 'webhook-failing' });
      const claimed = await claimAt(mails, 0);
      await tell({ kind: 'webhook-working', at: 1 });
      for (const mail of claimed) await mails.postpone({ ...mail, dueAt: minutes(3) });
      await tell({ kind: 'webhook-failing', at: 2 });
      expectEqual(rows(await claimAt(mails, 9), 'kind', 'email', 'createdAt'), [
        ['webhook-failing', aUser(1).email, minutes(2)],
        ['webhook-failing', aUser(2).email, minutes(2)],
      ]);
    }),

    test('a claim that has ended changes nothing', async ({ mails }) => {
      await mails.add(mailTo('a@example.test'));
      const first = await claimFirst(mails);
      await claimAt(mails, 10, { claim: testUuid(2) });
      expectEqual(await mails.finish(first), false);
      expectEqual(await mails.postpone({ ...first, dueAt: minutes(11) }), false);
      expectEqual(await claimAt(mails, 19), []);
      expectEqual((await claimAt(mails, 20)).length, 1);
    }),
  ];
}
