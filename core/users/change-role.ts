import { type Acting, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';
import { refuseAny } from '../values/problems.js';
import type { Member, NotChanged, Role } from './ports.js';
import { roleProblem } from './roles.js';

/** The request of `changeRole`. */
export interface ChangeRole extends OfOrganization, Acting {
  /** The member whose role changes. */
  readonly userId: number;
  /** The new role; the one that the member already has changes nothing. */
  readonly role: Role;
}

/**
 * Gives a member another role; the last owner stays owner.
 *
 * @throws `Refusal`: `invalid-request` if `role` is not a role; `member-not-found`; `last-owner` if the organization
 * would be left without an owner.
 */
export async function changeRole(
  { members, clock }: Uses<'clock.now' | 'members.changeRole'>,
  { organization: { id: organizationId }, userId, role, by }: ChangeRole,
): Promise<Member> {
  checkActor(by);
  refuseAny([roleProblem(role)]);
  if (!isId(organizationId) || !isId(userId)) throw notChanged('not-a-member');
  const at = clock.now();
  const changed = await members.changeRole({ organizationId, userId, role }, ({ user }) =>
    auditEntries({ by, at }, { organizationId, action: 'role-changed', subject: `${user.email}: ${role}` }),
  );
  if (typeof changed === 'string') throw notChanged(changed);
  return changed;
}

export function notChanged(why: NotChanged): Refusal {
  if (why === 'last-owner')
    return new Refusal('last-owner', 'This is the last owner. Make someone else an owner first');
  return new Refusal('member-not-found', 'There is no such member');
}
