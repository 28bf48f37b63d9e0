import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { networkOf, readAddress } from '../values/address.js';
import type { Limit } from './ports/limits.js';
import type { FailedAttempt } from './ports/security-log.js';

/** What is counted: wrong access keys, or wrong tokens of directories. */
const words = { authenticate: 'access keys', directory: 'tokens' } as const;

/**
 * Counts what is wrong for the network of the address: `failedAuthenticateLimit` a minute. Both methods throw
 * `too-many-requests` when that is used up.
 */
export function wrongKeys(
  {
    limits,
    securityLog,
    settings,
  }: Uses<'limits.consume' | 'limits.waitFor' | 'securityLog.record' | 'settings.failedAuthenticateLimit'>,
  { name, address }: { readonly name: keyof typeof words; readonly address: string },
) {
  const limit: Limit = { name, points: settings.failedAuthenticateLimit, seconds: 60 };
  const network = networkOf(address);
  const record = (kind: FailedAttempt['kind']): void =>
    securityLog?.record({ kind, address: readAddress(address), account: null });
  const refuseAfter = (seconds: number): void => {
    if (seconds === 0) return;
    record(`${name}-refused`);
    const text = `Too many wrong ${words[name]}; try again in ${seconds} seconds`;
    throw new Refusal('too-many-requests', text, seconds);
  };
  return {
    /** Counts nothing. */
    async check(): Promise<void> {
      refuseAfter(await limits.waitFor(limit, network));
    },
    async count(): Promise<void> {
      refuseAfter(await limits.consume(limit, network));
      record(`${name}-failed`);
    },
  };
}
