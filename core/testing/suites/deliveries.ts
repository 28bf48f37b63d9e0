import type { ContractTest } from '../expect.js';
import type { MakeTest, StartStorage } from '../start-storage.js';
import { webhooksTest } from '../webhooks-test.js';
import { dropHeldTests } from './deliveries/drop-held.js';
import { listTests } from './deliveries/list.js';
import { redeliverTests } from './deliveries/redeliver.js';
import { redeliverMatchingTests } from './deliveries/redeliver-matching.js';

/** The promises of `Deliveries`. */
export function deliveriesSuite(start: StartStorage): readonly ContractTest[] {
  const test: MakeTest = (name, work) => webhooksTest(start, `Deliveries: ${name}`, work);
  return [
    ...listTests(test),
    ...redeliverTests(test),
    ...redeliverMatchingTests(test),
    ...dropHeldTests(test),
  ];
}
