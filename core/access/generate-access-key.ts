import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { ownersMails } from '../users/mails/owners-mails.js';
import { mayBeId } from '../values/ids.js';
import { keptUntil, maxKeepHours } from '../values/keep-hours.js';
import type { Secret } from '../values/secret.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries, keptText } from './audit-entries.js';
import { noSuchOrganization } from './organization-not-found.js';
import type { Organization } from './ports/organizations.js';

/** The request of `generateAccessKey`. */
export interface GenerateAccessKey extends Acting {
  /** The organization that gets the key. */
  readonly organizationId: number;
  /**
   * The `accessKeyGeneration` that the caller has seen, so that a repeated request does not replace the key again; 0:
   * there was no key. Left out: any generation.
   */
  readonly replaces?: number | undefined;
  /**
   * A whole number of hours up to 168: for so long, the old key and its tokens go on working beside the new one. 0, or
   * left out: they stop at once. A key that an earlier call has kept stops at once in any case.
   */
  readonly keepOldForHours?: number | undefined;
}

/**
 * Gives the organization a new access key. The old one and its tokens stop working at once, or after `keepOldForHours`.
 * The key is in this result only and cannot be read again; its last four digits are stored.
 *
 * @throws `Refusal`: `invalid-request` if `keepOldForHours` is not a whole number from 0 to 168,
 * `organization-not-found`; `access-key-outdated` if the organization does not have the generation `replaces`.
 */
export async function generateAccessKey(
  deps: Uses<
    | 'clock.now'
    | 'mailer.send'
    | 'organizations.replaceAccessKey'
    | 'secrets.accessKeyHashes'
    | 'secrets.newAccessKey'
  >,
  { organizationId, replaces, keepOldForHours = 0, by }: GenerateAccessKey,
): Promise<{ readonly accessKey: Secret; readonly organization: Organization }> {
  const { organizations, secrets, clock } = deps;
  checkActor(by);
  if (!mayBeId('organizationId', organizationId)) throw noSuchOrganization(organizationId);
  if (!Number.isInteger(keepOldForHours) || keepOldForHours < 0 || keepOldForHours > maxKeepHours) {
    throw new Refusal('invalid-request', [
      {
        field: 'keepOldForHours',
        code: 'not-allowed',
        message: `must be a whole number from 0 to ${maxKeepHours}`,
      },
    ]);
  }
  const accessKey = secrets.newAccessKey();
  const [hash] = secrets.accessKeyHashes(accessKey.reveal());
  if (hash === undefined) throw new Error('Secrets.accessKeyHashes gave no hash under the current key');

  const at = clock.now();
  const keepOldUntil = keepOldForHours === 0 ? undefined : keptUntil(at, keepOldForHours);
  const lastDigits = accessKey.reveal().slice(-4);
  const change = { organizationId, hash, lastDigits, at, replaces, keepOldUntil };
  const organization = await organizations.replaceAccessKey(change, ({ isFirst }) => {
    const action = isFirst ? 'access-key-generated' : 'access-key-replaced';
    const subject = isFirst ? null : keptText(keepOldForHours);
    return [
      ...auditEntries({ by, at }, { organizationId, action, subject }),
      ...(isFirst ? [] : ownersMails(deps, { kind: 'access-key-replaced', organizationId, at })),
    ];
  });
  if (organization !== null) return { accessKey, organization };
  if (replaces !== undefined)
    throw new Refusal('access-key-outdated', 'There is another access key by now; nothing was changed');
  throw noSuchOrganization(organizationId);
}
