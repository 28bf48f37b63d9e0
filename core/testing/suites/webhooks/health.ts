import { testUuid } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectPassedOn } from '../../expect.js';
import { later, noon } from '../../noon.js';
import { cutOff, failedAttempt, finish, finished, queued } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function healthTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('health counts the failures in a row and when they began, until a delivery succeeds', async (storage) => {
      const { webhooks } = storage;
      const none = { failuresInRow: 0, failingSince: null, lastDeliveredAt: null };
      expectEqual(await webhooks.health(1), none);
      expectEqual(await webhooks.health(99), none);
      await finished(storage, { number: 1, state: 'failed', finishedAt: noon });
      await finished(storage, { number: 2, state: 'failed', finishedAt: later });
      expectEqual(await webhooks.health(1), { ...none, failuresInRow: 2, failingSince: noon });
      expectEqual(await webhooks.health(2), none);

      await finished(storage, { number: 3, state: 'delivered', finishedAt: later });
      expectEqual(await webhooks.health(1), { ...none, lastDeliveredAt: later });
      await finished(storage, { number: 4, state: 'failed', finishedAt: later });
      expectEqual(await webhooks.health(1), {
        failuresInRow: 1,
        failingSince: later,
        lastDeliveredAt: later,
      });
    }),

    test('tests, skipped and interrupted deliveries and lost claims do not count', async (storage) => {
      const { webhooks } = storage;
      await finished(storage, { number: 1, state: 'failed', finishedAt: noon });
      const health = await webhooks.health(1);
      await finished(storage, { number: 2, state: 'failed', isTest: true });
      await finished(storage, { number: 3, state: 'delivered', isTest: true });
      await finished(storage, { number: 4, state: 'skipped' });
      const deliveryId = await queued(storage, { number: 5 });
      await cutOff(storage, 1);
      await finish(storage, { deliveryId, state: 'failed' });
      expectEqual(await webhooks.health(1), health);
    }),

    test('a change of the configuration does not change the health', async (storage) => {
      await finished(storage, { number: 1, state: 'failed', finishedAt: noon });
      await storage.webhooks.configure(1, (current) => {
        if (current === null) throw new Error('There is no webhook');
        const { id, organizationId, ...settings } = current;
        return { ...settings, url: 'https://moved.test/' };
      });
      expectEqual((await storage.webhooks.health(1)).failuresInRow, 1);
    }),

    test('of 20 failures at once, none is lost, and one caller gets the notice of a step', async (storage) => {
      const ids: number[] = [];
      for (let number = 0; number < 20; number += 1) ids.push(await queued(storage, { number }));
      const notices = await atOnce(20, async (index) => {
        await finish(storage, { deliveryId: ids[index] ?? 0, state: 'failed' });
        return storage.webhooks.takeFailureNotice({ organizationId: 1, steps: [20] });
      });
      expectEqual((await storage.webhooks.health(1)).failuresInRow, 20);
      expectEqual(notices.filter((notice) => notice !== null).length, 1);
    }),

    test('a notice is returned at each step and not in between, and the steps start again after a success', async (storage) => {
      const { webhooks } = storage;
      const failuresNoticed = async (number: number, state: 'failed' | 'delivered') => {
        await finished(storage, { number, state });
        const notice = await webhooks.takeFailureNotice({ organizationId: 1, steps });
        expectEqual(await webhooks.takeFailureNotice({ organizationId: 1, steps }), null);
        return notice?.failuresInRow ?? 0;
      };
      const seen: number[] = [];
      for (let number = 1; number <= 7; number += 1) seen.push(await failuresNoticed(number, 'failed'));
      expectEqual(seen, [1, 2, 0, 0, 5, 0, 0]);
      expectEqual(await failuresNoticed(8, 'delivered'), 0);
      expectEqual(await failuresNoticed(9, 'failed'), 1);
      expectEqual(await webhooks.takeFailureNotice({ organizationId: 1, steps: [] }), null);
      expectEqual(await webhooks.takeFailureNotice({ organizationId: 2, steps }), null);
    }),

    test('every one of many failures is counted, with and without notices', async (storage) => {
      const { webhooks } = storage;
      const fail = async ({ from, to }: { readonly from: number; readonly to: number }) => {
        for (let number = from; number <= to; number += 1) {
          await finished(storage, { number, state: 'failed', finishedAt: number === 1 ? noon : later });
          if (number <= 130) await webhooks.takeFailureNotice({ organizationId: 1, steps });
        }
      };
      await fail({ from: 1, to: 130 });
      expectEqual((await webhooks.health(1)).failuresInRow, 130);
      await fail({ from: 131, to: 140 });
      expectEqual(await webhooks.health(1), {
        failuresInRow: 140,
        failingSince: noon,
        lastDeliveredAt: null,
      });
      await finished(storage, { number: 141, state: 'delivered', finishedAt: later });
      expectEqual(await webhooks.health(1), {
        failuresInRow: 0,
        failingSince: null,
        lastDeliveredAt: later,
      });
    }),

    test('after several missed steps, one notice is returned', async (storage) => {
      const { webhooks } = storage;
      for (let number = 1; number <= 6; number += 1) await finished(storage, { number, state: 'failed' });
      const take = () => webhooks.takeFailureNotice({ organizationId: 1, steps });
      expectEqual([(await take())?.failuresInRow, await take()], [6, null]);
    }),

    test('a step adds the mails of its caller, and so does the success that ends the failures, once', async (storage) => {
      const mailTo = (email: string) => () => [{ kind: 'webhook-failing', email, createdAt: noon } as const];
      const take = (email: string) =>
        storage.webhooks.takeFailureNotice({ organizationId: 1, steps }, mailTo(email));
      const end = async (number: number, state: 'delivered' | 'failed' | 'skipped') => {
        const deliveryId = await queued(storage, { number });
        const attempt = state === 'skipped' ? null : failedAttempt;
        const result = { deliveryId, claim: 'a', state, attempt, at: later };
        return storage.outbox.finish(result, ({ organizationId }) =>
          mailTo(`${number} of ${organizationId}`)(),
        );
      };
      await end(1, 'failed');
      await end(2, 'delivered');
      await end(3, 'failed');
      await take('three');
      await take('again');
      await end(4, 'skipped');
      await end(5, 'failed');
      await take('five');
      await end(6, 'delivered');
      await end(7, 'delivered');
      const mails = await storage.mails.claim({ limit: 9, claim: testUuid(1), at: later, until: later });
      expectEqual(mails.map(({ email }) => email).toSorted(), ['6 of 1', 'five', 'three']);
    }),

    test('a notice is not given if its mails cannot be added', async (storage) => {
      await finished(storage, { number: 1, state: 'failed' });
      const { webhooks } = storage;
      await expectPassedOn((fail) => webhooks.takeFailureNotice({ organizationId: 1, steps }, fail));
      const notice = await webhooks.takeFailureNotice({ organizationId: 1, steps });
      expectEqual(notice?.failuresInRow, 1);
    }),
  ];
}

const steps = [1, 2, 5];
