import type { Uses } from '../../deps.js';
import { Refusal, refusal } from '../../errors.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';
import { registerMember } from '../members/register-member.js';
import { newPasswordProblem } from '../passwords/password.js';
import { nameProblems } from '../person.js';
import type { Invitation } from '../ports/invitations.js';
import type { NewMember, NotRegistered } from '../ports/members.js';
import { requireSecondStep } from '../second-factor/second-step.js';
import { checkPassword, type SignIn } from '../sessions/check-password.js';
import { type CreatedSession, createSession } from '../sessions/create-session.js';
import { recordSignedIn } from '../sessions/record-signed-in.js';
import { closedInvitation, findPendingInvitation } from './invitation.js';
import type { ReadPendingInvitation } from './read-pending-invitation.js';

/** The request of `acceptInvitation`. */
export interface AcceptInvitation extends ReadPendingInvitation, Pick<SignIn, 'device'> {
  /**
   * `new`: the name and a password for the new account, which must keep the rules of `setPassword`. `known`: the password
   * of the account that has the invited address.
   */
  readonly person:
    | { readonly is: 'new'; readonly firstName: string; readonly lastName: string; readonly password: Secret }
    | { readonly is: 'known'; readonly password: Secret };
  /** The IP address of the caller; wrong passwords are counted for it. */
  readonly address: string;
}

/** The session of the new member. */
export interface AcceptedInvitation extends CreatedSession {
  /** The organization that the person is now a member of. */
  readonly organizationId: number;
}

/**
 * Makes the invited person a member, once, with the role that the invitation gives, and signs them in. The event is
 * written in the same transaction. A person who has an account must give its password, because the inviting organization
 * has the URL too. The password starts the session, not the URL, so the session is not limited to one organization.
 *
 * @throws `Refusal`: `second-step-required` (a `SecondStepRequired`) if the person has joined, and has a second factor:
 * `passSecondStep` starts the session; `invitation-unknown`, `invitation-used`, `invitation-revoked`, `invitation-expired`;
 * `invalid-request` with every problem of the new name and password; `sign-in-required` if a new person has an account;
 * `wrong-credentials`; `too-many-requests` after too many wrong passwords; `already-member`; `session-not-started` if the
 * person has joined, but their password was changed while it was checked: they can sign in with the new one.
 */
export async function acceptInvitation(
  deps: Uses<
    | typeof acceptingUser
    | typeof createSession
    | typeof findPendingInvitation
    | typeof registerMember
    | typeof requireSecondStep
  >,
  request: AcceptInvitation,
): Promise<AcceptedInvitation> {
  const invitation = await findPendingInvitation(deps, request.token);
  const { user, passwordHash } = await acceptingUser(deps, invitation, request);
  const member = await registerMember(
    deps,
    {
      organizationId: invitation.organizationId,
      user,
      uuid: invitation.userUuid,
      role: null,
      idpId: null,
      invitationId: invitation.id,
    },
    { from: request.address },
  );
  if (typeof member === 'string') throw refusalOf(member);
  if (request.person.is === 'known')
    await requireSecondStep(deps, { user: member.user, passwordHash, by: 'invitation' });
  const { device, address } = request;
  const created = await createSession(deps, {
    ...{ user: member.user, boundTo: null, passwordHash, device },
    refusal: sessionNotStarted,
  });
  const { organizationId } = invitation;
  return recordSignedIn(deps, { ...created, organizationId }, { by: 'invitation', address });
}

function refusalOf(reason: NotRegistered): Error {
  if (reason === 'account-exists') return signInRequired();
  if (reason === 'invitation-closed') return closedInvitation('accepted');
  if (reason === 'unknown-user') return closedInvitation('unknown');
  if (reason === 'already-member')
    return new Refusal('already-member', 'You are a member of this organization already');
  return new Error(`an invitation cannot be accepted: ${reason}`);
}

async function acceptingUser(
  deps: Uses<
    'clock.now' | 'organizations.byId' | 'passwords.hash' | typeof checkPassword | typeof newPasswordProblem
  >,
  invitation: Invitation,
  { person, address }: AcceptInvitation,
): Promise<{ readonly user: NewMember['user']; readonly passwordHash: string }> {
  const { userUuid: uuid } = invitation;
  // The storage may have an address that another program wrote, unchecked.
  refuseAny([emailProblem('email', invitation.email)]);
  const email = normalizeEmail(invitation.email);
  if (person.is === 'known') {
    // The address comes from the invitation, so only the password can be wrong.
    return checkPassword(deps, {
      email,
      password: person.password,
      address,
      wrongReason: 'The password is wrong',
    });
  }

  const organization = await deps.organizations.byId(invitation.organizationId);
  const { firstName, lastName, password } = person;
  const chosen = {
    password,
    person: { email, firstName, lastName },
    organizations: organization === null ? [] : [organization],
  };
  refuseAny([...nameProblems(person), await newPasswordProblem(deps, chosen)]);
  if ((await deps.users.byEmail(email)) !== null) throw signInRequired();
  const passwordHash = await deps.passwords.hash(password);
  const createdAt = deps.clock.now();
  return { user: { uuid, email, firstName, lastName, passwordHash, createdAt }, passwordHash };
}

const signInRequired = refusal(
  'sign-in-required',
  'There is an account with this address: sign in with its password to accept',
);
const sessionNotStarted = refusal(
  'session-not-started',
  'You have joined, but your password was changed at the same moment: sign in with the new one',
);
