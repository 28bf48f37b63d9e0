import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import { refuseAny } from '../../values/problems.js';
import type { Member, Role } from '../ports/members.js';
import { memberNotFound, notChanged } from './member-refusals.js';
import type { ReadMember } from './read-member.js';
import { roleProblem } from './roles.js';

/** The request of `changeRole`. */
export interface ChangeRole extends ReadMember, Acting {
  /** The new role; the one that the member already has changes nothing. */
  readonly role: Role;
  /** The role that the caller has seen. Refused if the member has another one by now. Left out: any. */
  readonly replaces?: Role | undefined;
}

/**
 * Gives a member another role; the last owner stays owner.
 *
 * @throws `Refusal`: `invalid-request` if `role` is not a role, or if the member has another one than `replaces`;
 * `member-not-found`; `last-owner` if the organization would be left without an owner.
 */
export async function changeRole(
  { members, clock }: Uses<'clock.now' | 'members.byUserId' | 'members.changeRole'>,
  { organization: { id: organizationId }, userId, role, replaces, by }: ChangeRole,
): Promise<Member> {
  checkActor(by);
  const isPossible = mayBeId('organization.id', organizationId) && mayBeId('userId', userId);
  refuseAny([roleProblem(role)]);
  if (!isPossible) throw memberNotFound();
  const at = clock.now();
  const changed = await members.changeRole({ organizationId, userId, role, replaces }, ({ user, before }) => {
    const subject = `${user.email}: ${before} → ${role}`;
    return auditEntries({ by, at }, { organizationId, action: 'role-changed', subject, aboutUserId: userId });
  });
  if (changed === 'outdated') throw outdated(await members.byUserId({ organizationId, userId }));
  if (typeof changed === 'string') throw notChanged(changed);
  return changed;
}

function outdated(member: Member | null): Refusal {
  if (member === null) return memberNotFound();
  const message = `was changed to ${member.role} in the meantime`;
  return new Refusal('invalid-request', [{ field: 'role', code: 'outdated', message }]);
}
