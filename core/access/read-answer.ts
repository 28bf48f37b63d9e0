import type { Uses } from '../deps.js';
import { UnknownKey } from '../errors.js';
import { checkId } from '../values/ids.js';
import { refuseAny } from '../values/problems.js';
import { answerLifetimeMs, idempotencyKeyProblem } from './idempotency-key.js';
import type { OfOrganization } from './of-organization.js';

/** The request of `readAnswer`. */
export interface ReadAnswer extends OfOrganization {
  /** The operation that was called. */
  readonly operation: string;
  /** The key of the call. */
  readonly key: string;
}

/**
 * Returns the answer that `answerOnce` keeps for the call, or null if it keeps none: there was no such call, it has not
 * ended, it began more than 24 hours ago, or the secret key that encrypted it is no longer configured.
 *
 * @throws `Refusal`: `invalid-request` if the key is not 1 to 255 printable ASCII characters. `TypeError` if
 * `organization.id` is not an id.
 */
export async function readAnswer(
  { clock, idempotencyKeys, secrets }: Uses<'clock.now' | 'idempotencyKeys.find' | 'secrets.decrypt'>,
  { organization, operation, key }: ReadAnswer,
): Promise<string | null> {
  const organizationId = checkId('organization.id', organization.id);
  refuseAny([idempotencyKeyProblem(key)]);
  const forgottenBefore = new Date(clock.now().getTime() - answerLifetimeMs);
  const encrypted = await idempotencyKeys.find({ organizationId, operation, key, forgottenBefore });
  if (encrypted === null) return null;
  try {
    return secrets.decrypt({ encrypted, organizationId }).reveal();
  } catch (error) {
    if (error instanceof UnknownKey) return null;
    throw error;
  }
}
