import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries, keptText } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import { organizationNotFound } from '../../access/organization-not-found.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import { keptUntil, maxKeepHours } from '../../values/keep-hours.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';

/** The request of `issueDirectoryToken`. */
export interface IssueDirectoryToken extends OfOrganization, Acting {
  /**
   * When the current token that the caller has seen was created, so that a repeated request does not replace the token
   * again; null: there was none. Left out: any.
   */
  readonly replaces?: Date | null | undefined;
  /** A whole number of hours up to 168: for so long, the token before goes on working. 0, the default: it ends at once. */
  readonly keepOldForHours?: number | undefined;
}

/**
 * Gives the organization's directory a new token, which turns the directory on. The token is in this result only and cannot
 * be read again.
 *
 * @throws `Refusal`: `invalid-request` if `keepOldForHours` is not a whole number from 0 to 168; `directory-token-outdated`
 * if there is another token than `replaces`; `organization-not-found`.
 */
export async function issueDirectoryToken(
  { directoryTokens, secrets, clock }: Uses<'clock.now' | 'directoryTokens.add' | 'secrets.newToken'>,
  { organization: { id: organizationId }, replaces, keepOldForHours = 0, by }: IssueDirectoryToken,
): Promise<{ readonly token: Secret }> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId))
    throw organizationNotFound('organization.id', organizationId);
  const isAllowed =
    Number.isInteger(keepOldForHours) && keepOldForHours >= 0 && keepOldForHours <= maxKeepHours;
  const message = `must be a whole number from 0 to ${maxKeepHours}`;
  refuseAny([isAllowed ? null : { field: 'keepOldForHours', code: 'not-allowed', message }]);
  const { token, hash } = secrets.newToken('directory');
  const at = clock.now();
  const keepOldUntil = keepOldForHours === 0 ? null : keptUntil(at, keepOldForHours);
  const added = await directoryTokens.add(
    { hash, organizationId, createdAt: at, keepOldUntil, replaces },
    ({ isFirst }) =>
      auditEntries(
        { by, at },
        {
          organizationId,
          action: 'directory-token-issued',
          subject: isFirst ? null : keptText(keepOldForHours),
        },
      ),
  );
  if (added === 'added') return { token };
  if (added === 'unknown-organization') throw organizationNotFound('organization.id', organizationId);
  throw new Refusal(
    'directory-token-outdated',
    'The token was replaced in the meantime. Nothing was changed',
  );
}
