import type { ContractTest } from '../expect.js';
import { addressTests } from './webhook-sender/addresses.js';
import { answerTests } from './webhook-sender/answers.js';
import { recordTests } from './webhook-sender/records.js';
import { requestTests } from './webhook-sender/requests.js';
import { type SenderSuiteOptions, senderTests } from './webhook-sender/sender-trial.js';
import { timeLimitTests } from './webhook-sender/time-limits.js';

/** The promises of `WebhookSender`. */
export function webhookSenderSuite(options: SenderSuiteOptions): readonly ContractTest[] {
  const test = senderTests(options);
  return [
    ...requestTests(test),
    ...addressTests(test, options.start),
    ...answerTests(test),
    ...recordTests(test),
    ...timeLimitTests(test),
  ];
}
