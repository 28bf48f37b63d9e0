import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import { noSuchOrganization } from '../../access/organization-not-found.js';
import type { Who } from '../../access/ports/audit-trail.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import { mayBeId } from '../../values/ids.js';
import type { Problem } from '../../values/problem.js';
import { refuseAny } from '../../values/problems.js';
import { noSuchUser } from '../person.js';
import type { Member, Role } from '../ports/members.js';
import { idpIdProblem, idpIdTaken, isIdpIdConflict } from './idp-id.js';
import { roleProblem } from './roles.js';

/** The actors that may add a member without their agreement. */
const adders: readonly Who['kind'][] = ['command-line', 'operator', 'program', 'user'];

/** The request of `addMember`. */
export interface AddMember extends Acting {
  /** The organization that the user joins. */
  readonly organizationId: number;
  /** The address of a user who exists, in any case. */
  readonly email: string;
  /** The role that the member starts with; only `member` if `by` is a user. */
  readonly role: Role;
  /**
   * The id under which the organization's identity provider knows the member: at most 500 characters, unique in the
   * organization; null: none.
   */
  readonly idpId: string | null;
}

/**
 * Makes an existing user a member, without an event. A pending invitation of the address is accepted: the member gets its
 * UUID and, unless one is given, its `idpId`. An e-mail address does not prove who has the account. So access keys may not
 * do this, and users (the owners) only with the role `member`.
 *
 * @throws `Refusal`: `invalid-request` with every problem, also if `by` is an access key or the `idpId` belongs to
 * another member or a pending invitation; `organization-not-found`; `user-not-found`; `already-member`.
 */
export async function addMember(
  {
    organizations,
    users,
    members,
    invitations,
    clock,
  }: Uses<
    'clock.now' | 'invitations.revokeExpired' | 'members.register' | 'organizations.byId' | 'users.byEmail'
  >,
  { organizationId, email, role, idpId, by }: AddMember,
): Promise<Member> {
  checkActor(by);
  const isPossible = mayBeId('organizationId', organizationId);
  refuseAny([
    by === undefined || adders.includes(by.who.kind)
      ? null
      : { field: 'by', code: 'not-allowed', message: `must not be an ${by.who.kind}: invite instead` },
    emailProblem('email', email),
    roleProblem(role) ?? (by?.who.kind === 'user' ? givenRoleProblem(role) : null),
    idpIdProblem(idpId),
  ]);
  if (!isPossible) throw noSuchOrganization(organizationId);
  const organization = await organizations.byId(organizationId);
  if (organization === null) throw noSuchOrganization(organizationId);
  const user = await users.byEmail(normalizeEmail(email));
  if (user === null) throw noSuchUser(email);

  const at = clock.now();
  await invitations.revokeExpired({ organizationId, at });
  const entry = { organizationId, user, uuid: null, role, idpId, invitationId: null, at };
  const member = await members.register(entry, () =>
    auditEntries(
      { by, at },
      { organizationId, action: 'member-added', subject: `${user.email}: ${role}`, aboutUserId: user.id },
    ),
  );
  if (typeof member === 'object') return member;
  if (member === 'unknown-organization') throw noSuchOrganization(organizationId);
  if (member === 'unknown-user') throw noSuchUser(email);
  if (isIdpIdConflict(member)) throw idpIdTaken(member);
  throw new Refusal('already-member', [
    {
      field: 'email',
      code: 'already-member',
      message: `${user.email} is a member of ${organization.name} already`,
    },
  ]);
}

function givenRoleProblem(role: Role): Problem | null {
  if (role === 'member') return null;
  const message = 'must be member: check who this is, and change it afterwards';
  return { field: 'role', code: 'not-allowed', message };
}
