import { organizationNotFound } from '../../access/organization-not-found.js';
import type { Uses } from '../../deps.js';
import { mayBeId } from '../../values/ids.js';
import { refuseAny } from '../../values/problems.js';
import { alreadyMember } from '../invitations/invite.js';
import { normalizedPerson, personProblems } from '../person.js';
import type { Member, NotRegistered, Role } from '../ports/members.js';
import type { Person } from '../user.js';
import { idpIdProblem, idpIdTaken, isIdpIdConflict } from './idp-id.js';
import { registerMember } from './register-member.js';
import { roleProblem } from './roles.js';

/** Retries when the account is created or erased at the same time. */
const MAX_ROUNDS = 5;

/** The request of `registerUser`. */
export interface RegisterUser extends Person {
  /** The organization that the person joins. */
  readonly organizationId: number;
  /** The role that the member starts with; `member` by default. */
  readonly role?: Role;
  /**
   * The id under which the organization's identity provider knows the member: at most 500 characters, unique in the
   * organization. Null, the default: none.
   */
  readonly idpId?: string | null;
}

/**
 * Makes a person a member, for a program that has already identified the person. An existing user with this address
 * stays unchanged; otherwise a user is created. Each membership makes one event. A pending invitation of the address is
 * accepted: the member gets its UUID and, unless one is given, its `idpId`.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the person, the role and the `idpId`, or if the `idpId`
 * belongs to another member or a pending invitation; `organization-not-found`; `already-member`.
 */
export async function registerUser(
  deps: Uses<'invitations.revokeExpired' | 'users.byEmail' | typeof registerMember>,
  { organizationId, role = 'member', idpId = null, ...request }: RegisterUser,
): Promise<Member> {
  const isPossible = mayBeId('organizationId', organizationId);
  refuseAny([...personProblems(request), roleProblem(role), idpIdProblem(idpId)]);
  if (!isPossible) throw organizationNotFound('organizationId', organizationId);
  const person = normalizedPerson(request);
  await deps.invitations.revokeExpired({ organizationId, at: deps.clock.now() });
  const entry = { organizationId, role, idpId, uuid: null, invitationId: null };
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const createdAt = deps.clock.now();
    const known = await deps.users.byEmail(person.email);
    const user = known ?? { ...person, uuid: deps.ids.uuid(), passwordHash: null, createdAt };
    const member = await registerMember(deps, { ...entry, user });
    // Another caller may just have created the user, or erased the person.
    if (member !== 'account-exists' && member !== 'unknown-user') return registered(member, organizationId);
  }
  throw new Error('Members.register and Users.byEmail do not agree on whether there is an account');
}

function registered(member: Member | NotRegistered, organizationId: number): Member {
  if (typeof member === 'object') return member;
  if (member === 'unknown-organization') throw organizationNotFound('organizationId', organizationId);
  if (isIdpIdConflict(member)) throw idpIdTaken(member);
  throw alreadyMember();
}
