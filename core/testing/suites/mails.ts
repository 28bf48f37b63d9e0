import type { ClaimedMail, Mails, NewMail } from '../../users/ports/mails.js';
import { testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { type MakeTest, type StartStorage, storageTest } from '../start-storage.js';

const minute = (number: number): Date => new Date(Date.UTC(2026, 10, 20, 12, number));
const noon = minute(0);

const mailTo = (email: string, createdAt = noon): NewMail => ({ kind: 'password-reset', email, createdAt });

/** Claims from one minute to another, in the order of the ids. */
async function claimAt(
  mails: Mails,
  from: number,
  { limit = 10, until = from + 10, claim = testUuid(1) } = {},
): Promise<readonly ClaimedMail[]> {
  const claimed = await mails.claim({ limit, claim, at: minute(from), until: minute(until) });
  return [...claimed].sort((one, other) => one.id - other.id);
}

const emailsOf = (claimed: readonly ClaimedMail[]): readonly string[] => claimed.map(({ email }) => email);

/** The promises of `Mails`. */
export function mailsSuite(start: StartStorage): readonly ContractTest[] {
  const test: MakeTest = (name, work) => storageTest(start, `Mails: ${name}`, work);
  return [
    test('a mail is claimed as it was added, to any address', async ({ storage: { mails } }) => {
      await mails.add({
        ...{ kind: 'webhook-failing', email: 'nobody@example.test', createdAt: noon },
        organizationId: 99,
        invitationId: testUuid(9),
      });
      const [mail, ...others] = await claimAt(mails, 0);
      expectEqual(
        [mail && { ...mail, id: 0 }, others],
        [
          {
            ...{ id: 0, kind: 'webhook-failing', email: 'nobody@example.test', createdAt: noon },
            organizationId: 99,
            invitationId: testUuid(9),
            ...{ claim: testUuid(1), attempts: 0 },
          },
          [],
        ],
      );
    }),

    test('a mail is not due before it was added', async ({ storage: { mails } }) => {
      await mails.add(mailTo('a@example.test', minute(5)));
      expectEqual(await claimAt(mails, 4), []);
      expectEqual(emailsOf(await claimAt(mails, 5)), ['a@example.test']);
    }),

    test('those that have been due longest are claimed first', async ({ storage: { mails } }) => {
      for (const [email, at] of [['c', 3] as const, ['a', 1] as const, ['b', 2] as const])
        await mails.add(mailTo(`${email}@example.test`, minute(at)));
      expectEqual(emailsOf(await claimAt(mails, 5, { limit: 2 })), ['a@example.test', 'b@example.test']);
      expectEqual(emailsOf(await claimAt(mails, 5, { limit: 2 })), ['c@example.test']);
    }),

    test('a claimed mail is due again at the end of its claim', async ({ storage: { mails } }) => {
      await mails.add(mailTo('a@example.test'));
      await claimAt(mails, 0, { until: 10 });
      expectEqual(await claimAt(mails, 9), []);
      const [again] = await claimAt(mails, 10, { claim: testUuid(2) });
      expectEqual([again?.attempts, again?.claim], [1, testUuid(2)]);
    }),

    test('of 25 callers at once, one gets a mail', async ({ storage: { mails } }) => {
      await mails.add(mailTo('a@example.test'));
      await mails.add(mailTo('b@example.test'));
      const claimed = await atOnce(25, (index) =>
        claimAt(mails, 0, { limit: 1, claim: testUuid(index + 1) }),
      );
      expectEqual(emailsOf(claimed.flat()).toSorted(), ['a@example.test', 'b@example.test']);
    }),

    test('a finished mail is never claimed again', async ({ storage: { mails } }) => {
      await mails.add(mailTo('a@example.test'));
      await mails.add(mailTo('b@example.test'));
      const [first] = await claimAt(mails, 0);
      if (first === undefined) throw new Error('nothing was claimed');
      expectEqual(await mails.finish(first), true);
      expectEqual(await mails.finish(first), false);
      expectEqual(emailsOf(await claimAt(mails, 59)), ['b@example.test']);
    }),

    test('a postponed mail is due at its time, and counts its attempts', async ({ storage: { mails } }) => {
      await mails.add(mailTo('a@example.test'));
      const [first] = await claimAt(mails, 0);
      if (first === undefined) throw new Error('nothing was claimed');
      expectEqual(await mails.postpone({ ...first, dueAt: minute(2) }), true);
      expectEqual(await claimAt(mails, 1), []);
      expectEqual(
        (await claimAt(mails, 2)).map(({ attempts }) => attempts),
        [1],
      );
    }),

    test('a claim that has ended changes nothing', async ({ storage: { mails } }) => {
      await mails.add(mailTo('a@example.test'));
      const [first] = await claimAt(mails, 0, { claim: testUuid(1) });
      await claimAt(mails, 10, { claim: testUuid(2) });
      if (first === undefined) throw new Error('nothing was claimed');
      expectEqual(await mails.finish(first), false);
      expectEqual(await mails.postpone({ ...first, dueAt: minute(11) }), false);
      expectEqual(await claimAt(mails, 19), []);
      expectEqual((await claimAt(mails, 20)).length, 1);
    }),
  ];
}
