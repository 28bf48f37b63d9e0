import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';
import type { Secret } from '../values/secret.js';
import { type Acting, checkActor } from './actor.js';
import { auditEntries } from './audit-entries.js';
import type { Organization } from './ports.js';

/** The request of `generateAccessKey`. */
export interface GenerateAccessKey extends Acting {
  /** The organization that gets the key. */
  readonly organizationId: number;
  /**
   * The `accessKeyGeneration` that the caller has seen, so that a repeated request does not replace the key again; 0:
   * there was no key. Left out: any generation.
   */
  readonly replaces?: number | undefined;
}

/**
 * Gives the organization a new access key; the old one and its tokens stop working at once. The key is in this result
 * only and cannot be read again.
 *
 * @throws `Refusal`: `organization-not-found`; `access-key-outdated` if the organization does not have the generation
 * `replaces`.
 */
export async function generateAccessKey(
  {
    organizations,
    secrets,
    clock,
  }: Uses<
    'clock.now' | 'organizations.replaceAccessKey' | 'secrets.accessKeyHashes' | 'secrets.newAccessKey'
  >,
  { organizationId, replaces, by }: GenerateAccessKey,
): Promise<{ readonly accessKey: Secret; readonly organization: Organization }> {
  checkActor(by);
  if (!isId(organizationId)) throw notFound(organizationId);
  const accessKey = secrets.newAccessKey();
  const [hash] = secrets.accessKeyHashes(accessKey.reveal());
  if (hash === undefined) throw new Error('Secrets.accessKeyHashes gave no hash under the current key');

  const at = clock.now();
  const change = { organizationId, hash, at, replaces };
  const organization = await organizations.replaceAccessKey(change, ({ isFirst }) => {
    const action = isFirst ? 'access-key-generated' : 'access-key-replaced';
    return auditEntries({ by, at }, { organizationId, action, subject: null });
  });
  if (organization !== null) return { accessKey, organization };
  if (replaces !== undefined)
    throw new Refusal('access-key-outdated', 'There is another access key by now; nothing was changed');
  throw notFound(organizationId);
}

function notFound(organizationId: number): Refusal {
  return new Refusal('organization-not-found', `There is no organization ${organizationId}`);
}
