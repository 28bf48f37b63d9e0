import { parseInstant } from '@rollcall/core/rules';
import { alwaysRepeatable, securedOperation } from '../operation.js';

/** Sends all events again that have failed since a time. */
export const redeliverFailed = securedOperation(
  'redeliverFailed',
  async ({ core, organization, input, by }) => {
    // The check has refused every other text.
    const since = parseInstant(input.since) ?? new Date();
    const count = await core.redeliverFailed({ organization, since, by });
    return { success: true as const, count };
  },
  alwaysRepeatable,
);
