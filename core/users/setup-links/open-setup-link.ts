import { auditEntries } from '../../access/audit-entries.js';
import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { readAddress } from '../../values/address.js';
import { type CreatedSession, createSession } from '../sessions/create-session.js';
import { recordSignedIn } from '../sessions/record-signed-in.js';
import type { RedeemLoginLink } from '../sessions/redeem-login-link.js';
import { findUsableSetupLink, setupLinkUnknown } from './setup-link.js';

/** The request of `openSetupLink`. */
export type OpenSetupLink = RedeemLoginLink;

/** Each opening is an entry of the activity. */
const openings: Limit = { name: 'setup-link', points: 20, seconds: 3600 };

/**
 * Starts a session of five minutes that opens the pages of sign-on and of the directory, and nothing else. The link can be
 * opened again until it ends.
 *
 * @throws `Refusal`: `setup-link-unknown`, also if it has ended, or the person who made it is not an owner any more;
 * `too-many-requests` after 20 times in an hour.
 */
export async function openSetupLink(
  deps: Uses<
    | 'clock.now'
    | 'limits.consume'
    | 'setupLinks.open'
    | typeof createSession
    | typeof findUsableSetupLink
    | typeof recordSignedIn
  >,
  { token, address = '', device }: OpenSetupLink,
): Promise<CreatedSession> {
  const { link, owner } = await findUsableSetupLink(deps, token);
  const { hash, organizationId } = link;
  const seconds = await deps.limits.consume(openings, hash);
  if (seconds > 0)
    throw new Refusal('too-many-requests', 'The link was opened too often; try again later', seconds);
  const at = deps.clock.now();
  const by = { who: { kind: 'setup-link' }, from: readAddress(address) } as const;
  const isOpened = await deps.setupLinks.open({ hash, at }, () =>
    auditEntries({ by, at }, { organizationId, action: 'setup-link-opened', subject: null }),
  );
  if (!isOpened) throw setupLinkUnknown();
  const created = await createSession(deps, {
    ...{ user: owner.user, boundTo: organizationId, startedBy: 'setup-link', sid: hash },
    ...{ passwordHash: null, device, refusal: setupLinkUnknown },
  });
  return recordSignedIn(deps, created, { by: 'setup-link', address });
}
