import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { type ReadMember, readMember } from '../members/read-member.js';
import { sessionEndsInMs } from './session.js';

/** The request of `signOutMember`. */
export interface SignOutMember extends ReadMember, Acting {}

/**
 * Ends the sessions of a member, at once and on every instance: those that the organization's login links started and, if
 * the person is in no other organization, all others. They can sign in again. `ended`: the sessions that still worked.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function signOutMember(
  deps: Uses<'clock.now' | 'members.byUserId' | 'sessions.endAll'>,
  { organization, userId, by }: SignOutMember,
): Promise<{ readonly ended: number }> {
  checkActor(by);
  const { organizationId, user } = await readMember(deps, { organization, userId });
  const at = deps.clock.now();
  let ended = 0;
  await deps.sessions.endAll({ userId: user.id, onlyOf: organizationId }, (stored) => {
    ended = stored.filter((session) => sessionEndsInMs(session, at) > 0).length;
    const entry = { organizationId, action: 'member-signed-out', aboutUserId: user.id } as const;
    return ended === 0 ? [] : auditEntries({ by, at }, { ...entry, subject: user.email });
  });
  return { ended };
}
