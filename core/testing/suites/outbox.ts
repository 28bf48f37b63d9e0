import type { ContractTest } from '../expect.js';
import { type StartStorage, storageTests } from '../start-storage.js';
import { withWebhooks } from '../subscribe.js';
import { claimTests } from './outbox/claim.js';
import { finishTests } from './outbox/finish.js';
import { holdTests } from './outbox/hold.js';
import { recoverStaleTests } from './outbox/recover-stale.js';
import { renewTests } from './outbox/renew.js';
import { startTestTests } from './outbox/start-test.js';

/** The promises of `Outbox`. */
export function outboxSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Outbox', withWebhooks);
  return [
    ...claimTests(test),
    ...renewTests(test),
    ...finishTests(test),
    ...recoverStaleTests(test),
    ...startTestTests(test),
    ...holdTests(test),
  ];
}
