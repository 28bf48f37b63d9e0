import { parseInstant } from '@rollcall/core/rules';
import { alwaysRepeatable, callerOf, securedOperation } from '../operation.js';

/** Sends all events again that have failed since a time. */
export const redeliverFailed = securedOperation(
  'redeliverFailed',
  async ({ core, organization, input, address }) => {
    // The check has refused every other text.
    const since = parseInstant(input.since) ?? new Date();
    const count = await core.redeliverFailed({ organization, since, by: callerOf({ address }) });
    return { success: true as const, count };
  },
  alwaysRepeatable,
);
