import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';

/** The request of `endDirectoryTokens`. */
export interface EndDirectoryTokens extends OfOrganization, Acting {
  /** `old`: the token before the current one. `all`: every token, which turns the directory off. */
  readonly which: 'old' | 'all';
}

/**
 * Ends tokens of the organization's directory at once. People stay as they are.
 *
 * @throws `Refusal`: `directory-token-outdated` if there is no such token.
 */
export async function endDirectoryTokens(
  { directoryTokens, clock }: Uses<'clock.now' | 'directoryTokens.end'>,
  { organization: { id: organizationId }, which, by }: EndDirectoryTokens,
): Promise<void> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId)) throw ended();
  const at = clock.now();
  const isOld = which === 'old';
  const isEnded = await directoryTokens.end({ organizationId, isOld }, () => {
    const subject = isOld ? 'the one before' : null;
    return auditEntries({ by, at }, { organizationId, action: 'directory-token-ended', subject });
  });
  if (!isEnded) throw ended();
}

const ended = refusal('directory-token-outdated', 'The token has ended already');
