import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { networkOf, readAddress } from '../values/address.js';
import type { Secret } from '../values/secret.js';
import { isAccessKey } from './access-key.js';
import type { AccessKeyHolder, Limit, Organizations, SecurityEvent } from './ports.js';

/** Milliseconds; section 8. */
export const tokenLifetime = 24 * 60 * 60 * 1000;

export interface Authenticate {
  /** As it came: anything but a current key of 24 digits is refused alike (decision 30). */
  readonly accessKey: unknown;
  /** The IP address that the call comes from; wrong keys are counted for it (see `networkOf`). */
  readonly address: string;
}

/** Milliseconds for which a use of the same key is not noted again. */
const TOUCH_INTERVAL = 60 * 1000;

/** Exchanges an access key for a token of one day (section 4.1). */
export async function authenticate(
  {
    organizations,
    secrets,
    tokens,
    limits,
    clock,
    settings,
    securityLog,
  }: Pick<Deps, 'organizations' | 'secrets' | 'tokens' | 'limits' | 'clock' | 'settings' | 'securityLog'>,
  { accessKey, address }: Authenticate,
): Promise<{ readonly token: Secret }> {
  const wrongKeys: Limit = { name: 'authenticate', points: settings.failedAuthenticateLimit, seconds: 60 };
  const network = networkOf(address);
  const record = (kind: SecurityEvent['kind']): void =>
    securityLog?.record({ kind, address: readAddress(address), account: null });
  const refuseAfter = (seconds: number): void => {
    if (seconds === 0) return;
    record('authenticate-refused');
    throw tooManyWrongKeys(seconds);
  };
  refuseAfter(await limits.waitFor(wrongKeys, network));

  const hashes = isAccessKey(accessKey) ? secrets.accessKeyHashes(accessKey) : [];
  const organization = hashes.length > 0 ? await organizations.byAccessKeyHash(hashes) : null;
  if (organization === null) {
    refuseAfter(await limits.fail(wrongKeys, network));
    record('authenticate-failed');
    throw new Refusal('invalid-access-key', 'Invalid Access Key');
  }

  const now = clock.now();
  const token = await tokens.issue({
    organizationId: organization.id,
    generation: organization.accessKeyGeneration,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + tokenLifetime),
  });
  noteUse(organizations, organization, now);
  moveToCurrentKey(organizations, organization, hashes);
  return { token };
}

/**
 * An access key is known here alone: its use is the moment to hash it with the current secret key, so that a previous
 * one is needed no longer. Nobody waits for it; one that fails is made up for by the next use.
 */
function moveToCurrentKey(
  organizations: Organizations,
  { id: organizationId, accessKeyHash: from }: AccessKeyHolder,
  [to]: readonly string[],
): void {
  if (to === undefined || to === from) return;
  organizations.moveAccessKeyHash({ organizationId, from, to }).catch(() => {});
}

/** Nobody waits for it, and nobody is told when it fails: when a key was last used is for people to look at. */
function noteUse(
  organizations: Organizations,
  { id: organizationId, accessKeyGeneration: generation, accessKeyUsedAt }: AccessKeyHolder,
  at: Date,
): void {
  if (accessKeyUsedAt !== null && at.getTime() - accessKeyUsedAt.getTime() < TOUCH_INTERVAL) return;
  organizations.touchAccessKey({ organizationId, generation, at }).catch(() => {});
}

function tooManyWrongKeys(seconds: number): Refusal {
  return new Refusal(
    'too-many-requests',
    `Too many wrong access keys; try again in ${seconds} seconds`,
    seconds,
  );
}
