import type { FailedSignOn } from '../../access/ports/security-log.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';

/** Tells the security log why a sign-on has failed. */
export function recordFailure(
  { securityLog }: Uses<'securityLog.record'>,
  {
    organizationId,
    outcome,
    reason,
    address,
  }: Pick<FailedSignOn, 'organizationId' | 'outcome' | 'reason'> & { readonly address: string },
): void {
  securityLog?.record({
    kind: 'sign-on-failed',
    organizationId,
    outcome,
    reason,
    address: readAddress(address),
  });
}
