import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import type { Member, Role } from '../users/ports/members.js';
import type { Session, StartedBy } from '../users/ports/sessions.js';
import { checkId, mayBeId } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { secondFactorRequired, sessionBound, signOnRequired } from './password-sign-in-required.js';
import type { Organization } from './ports/organizations.js';

/** From the least to the most permissions. */
const ranks: readonly Role[] = ['member', 'admin', 'owner'];

/** The request of `authorizeMember`. */
export interface AuthorizeMember {
  /**
   * The session that `resumeSession` returned. Without `startedBy`, a session that is limited to an organization counts as
   * started by a login link, and any other by the password. Without `hasSecondFactor`, it has none.
   */
  readonly session: Pick<Session, 'user' | 'boundTo'> & {
    readonly startedBy?: StartedBy | undefined;
    readonly hasSecondFactor?: boolean | undefined;
  };
  /** The organization as the URL of the page names it. */
  readonly organizationId: number;
  /** The minimum role. An owner may do everything that an admin may, and an admin everything that a member may. */
  readonly role: Role;
  /** Whether the session of a set-up link may do it. Left out: it may not. */
  readonly isForSetup?: boolean | undefined;
}

/**
 * Checks that the session's user is a member of the organization with at least the given role. A session that a login
 * link started is valid only for the member pages of its organization, whatever the user's role, one that sign-on started
 * only for its organization, and one that a set-up link started only for what is set up there. A session that the password
 * started opens neither a membership that needs sign-on nor an organization that requires it, unless the user is an owner:
 * nobody is to be locked out. Where the organization requires it, such a session of an owner or admin must have a second
 * factor. An organization that the user does not belong to is refused like one that does not exist.
 *
 * @throws `Refusal`: `session-bound` if the session may not do this, `organization-not-found`, `sign-on-required`,
 * `second-factor-required`, `role-too-low`.
 * `TypeError` if `role` is not a role.
 */
export async function authorizeMember(
  {
    members,
    organizations,
    secondFactors,
    signOns,
  }: Uses<'members.byUserId' | 'organizations.byId' | 'secondFactors.isRequired' | 'signOns.opens'>,
  { session, organizationId, role, isForSetup = false }: AuthorizeMember,
): Promise<{ readonly member: Member; readonly organization: Organization }> {
  checkOneOf('role', ranks, role);
  const isPossible = mayBeId('organizationId', organizationId);
  const { boundTo, user, startedBy = boundTo === null ? 'password' : 'login-link' } = session;
  const isByPassword = startedBy === 'password';
  const isElsewhere = boundTo !== null && boundTo !== organizationId;
  const isOther = startedBy === 'login-link' ? role !== 'member' : startedBy === 'setup-link' && !isForSetup;
  if (isElsewhere || isOther) throw sessionBound(startedBy);

  const key = { organizationId, userId: checkId('session.user.id', user.id) };
  const member = isPossible ? await members.byUserId(key) : null;
  const mayNeedSignOn = isByPassword && member !== null && member.role !== 'owner';
  const mayNeedFactor =
    isByPassword && session.hasSecondFactor !== true && member !== null && member.role !== 'member';
  const [organization, openedBy, needsFactor] = await Promise.all([
    member === null ? null : organizations.byId(organizationId),
    mayNeedSignOn ? signOns.opens(key) : 'any',
    mayNeedFactor && secondFactors.isRequired(organizationId),
  ]);
  if (member === null || organization === null)
    throw new Refusal('organization-not-found', 'There is no such organization');
  if (openedBy === 'sign-on') throw signOnRequired();
  if (needsFactor) throw secondFactorRequired();
  if (ranks.indexOf(member.role) < ranks.indexOf(role))
    throw new Refusal('role-too-low', `This needs the role ${role}`);
  return { member, organization };
}
