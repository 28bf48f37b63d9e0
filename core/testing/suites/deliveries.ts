import type { ContractTest } from '../expect.js';
import { finished } from '../finished-deliveries.js';
import { keptAnswerTests } from '../kept-answers.js';
import type { MakeTest, StartStorage } from '../start-storage.js';
import { webhooksTest } from '../webhooks-test.js';
import { dropHeldTests } from './deliveries/drop-held.js';
import { findTests } from './deliveries/find.js';
import { listTests } from './deliveries/list.js';
import { redeliverTests } from './deliveries/redeliver.js';
import { redeliverMatchingTests } from './deliveries/redeliver-matching.js';

/** The promises of `Deliveries`. */
export function deliveriesSuite(start: StartStorage): readonly ContractTest[] {
  const test: MakeTest = (name, work) => webhooksTest(start, `Deliveries: ${name}`, work);
  return [
    ...listTests(test),
    ...findTests(test),
    ...redeliverTests(test),
    ...keptAnswerTests(test, 'redeliver', async (started) => {
      const { deliveries } = started.storage;
      const ids: number[] = [];
      for (let number = 0; number < 10; number += 1)
        ids.push(await finished(started.storage, { number, state: 'failed' }));
      const keyOf = (number: number) => ({ organizationId: 1, deliveryId: ids[number] ?? 0 });
      return {
        act: (number, answer) => deliveries.redeliver(keyOf(number), () => [answer]),
        isDone: async (number) => (await deliveries.find(keyOf(number)))?.state === 'pending',
      };
    }),
    ...redeliverMatchingTests(test),
    ...dropHeldTests(test),
  ];
}
