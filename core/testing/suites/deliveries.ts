import type { ContractTest } from '../expect.js';
import { keptAnswerTests } from '../kept-answers.js';
import { finished } from '../queued-deliveries.js';
import { type StartStorage, storageTests } from '../start-storage.js';
import { withWebhooks } from '../subscribe.js';
import { dropTests } from './deliveries/drop.js';
import { findTests } from './deliveries/find.js';
import { listTests } from './deliveries/list.js';
import { neighborsTests } from './deliveries/neighbors.js';
import { redeliverTests } from './deliveries/redeliver.js';
import { redeliverMatchingTests } from './deliveries/redeliver-matching.js';
import { summarizeTests } from './deliveries/summarize.js';

/** The promises of `Deliveries`. */
export function deliveriesSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Deliveries', withWebhooks);
  return [
    ...listTests(test),
    ...findTests(test),
    ...redeliverTests(test),
    ...keptAnswerTests(test, 'redeliver', async (storage) => {
      const { deliveries } = storage;
      const ids: number[] = [];
      for (let number = 0; number < 10; number += 1)
        ids.push(await finished(storage, { number, state: 'failed' }));
      const keyOf = (number: number) => ({ organizationId: 1, deliveryId: ids[number] ?? 0 });
      return {
        act: (number, answer) => deliveries.redeliver(keyOf(number), () => [answer]),
        isDone: async (number) => (await deliveries.find(keyOf(number)))?.state === 'pending',
      };
    }),
    ...redeliverMatchingTests(test),
    ...dropTests(test),
    ...neighborsTests(test),
    ...summarizeTests(test),
  ];
}
