import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import type { Secret } from '../values/secret.js';
import { isAccessKey } from './access-key.js';
import { isValidGeneration, tokenLifetimeMs } from './key-generation.js';
import type { AccessKeyHolder } from './ports/organizations.js';
import { wrongKeys } from './wrong-keys.js';

/** The request of `authenticate`. */
export interface Authenticate {
  /** As received. Every value that is not a current access key is refused in the same way. */
  readonly accessKey: unknown;
  /** The IP address that the call comes from; wrong keys are counted for it (see `networkOf`). */
  readonly address: string;
  /** Is told the organization of a key that is or was its own, even if the call is refused. Left out: no one is. */
  readonly identified?: ((organizationId: number) => void) | undefined;
}

/** The last use of a key is stored at most once in this interval. */
const TOUCH_INTERVAL_MS = 60 * 1000;

/**
 * Exchanges an access key for a token that is valid for one day.
 *
 * @throws `Refusal`: `invalid-access-key` for every value that is not a current key, `too-many-requests` after too many
 * wrong keys from the network.
 */
export async function authenticate(
  deps: Uses<
    | 'clock.now'
    | 'observer.olderKeyUsed'
    | 'organizations.byAccessKeyHash'
    | 'organizations.moveAccessKeyHash'
    | 'organizations.touchAccessKey'
    | 'secrets.accessKeyHashes'
    | 'tokens.issue'
    | typeof wrongKeys
  >,
  { accessKey, address, identified }: Authenticate,
): Promise<{ readonly token: Secret }> {
  const { organizations, secrets, tokens, clock, observer } = deps;
  const wrong = wrongKeys(deps, { name: 'authenticate', address });
  await wrong.check();

  const hashes = isAccessKey(accessKey) ? secrets.accessKeyHashes(accessKey) : [];
  const organization = hashes.length > 0 ? await organizations.byAccessKeyHash(hashes) : null;
  const now = clock.now();
  if (organization !== null) identified?.(organization.id);
  if (organization === null || !isValidGeneration(organization, organization.keyGeneration, now)) {
    await wrong.count();
    throw new Refusal('invalid-access-key', 'Invalid Access Key');
  }

  const token = await tokens.issue({
    organizationId: organization.id,
    generation: organization.keyGeneration,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + tokenLifetimeMs),
  });
  if (organization.keyGeneration !== organization.accessKeyGeneration)
    observer?.olderKeyUsed({ organizationId: organization.id, by: 'access-key' });
  recordUse({ organizations }, organization, now);
  moveToCurrentKey({ organizations }, organization, hashes);
  return { token };
}

/**
 * Rehashes the access key with the current secret key, so that the previous secret key can be removed later. Only
 * `authenticate` sees the access key itself. The caller does not wait; after a failure, the next use tries again.
 */
function moveToCurrentKey(
  { organizations }: Uses<'organizations.moveAccessKeyHash'>,
  { id: organizationId, accessKeyHash: from }: AccessKeyHolder,
  [to]: readonly string[],
): void {
  if (to === undefined || to === from) return;
  organizations.moveAccessKeyHash({ organizationId, from, to }).catch(() => {});
}

/** The caller does not wait. A failure is ignored, because the time of last use is only shown to people. */
function recordUse(
  { organizations }: Uses<'organizations.touchAccessKey'>,
  { id: organizationId, keyGeneration: generation, accessKeyUsedAt }: AccessKeyHolder,
  at: Date,
): void {
  if (accessKeyUsedAt !== null && at.getTime() - accessKeyUsedAt.getTime() < TOUCH_INTERVAL_MS) return;
  organizations.touchAccessKey({ organizationId, generation, at }).catch(() => {});
}
