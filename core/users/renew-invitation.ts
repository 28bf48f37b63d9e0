import { type Acting, actorOf, checkActor } from '../access/actor.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { refuseAny } from '../values/problems.js';
import { idpIdOutdated, idpIdProblem, idpIdTaken, isIdpIdConflict } from './idp-id.js';
import { closedInvitation, type InvitationKey, invitationIdOf } from './invitation.js';
import { invitationMail, mayBeMailed } from './invitation-mail.js';
import { type InvitationView, invitationView } from './invitation-view.js';
import { type AsksForMail, alreadyMember, type InvitedUser, invitedUser } from './invite-user.js';
import { nameProblems } from './person.js';
import type { NewInvitation, NotRenewed } from './ports.js';

/** The request of `renewInvitation`. */
export type RenewInvitation = OfOrganization &
  Acting &
  AsksForMail &
  InvitationKey &
  CorrectedInvitation &
  SeenInvitation;

/** What the caller has seen of the old invitation. */
export interface SeenInvitation {
  /**
   * The `idpId` that the new one replaces; null: none. Refused if the old invitation has another one by now. Left out: any.
   */
  readonly replaces?: string | null | undefined;
}

/** What a renewed invitation has instead of what the old one had. */
export interface CorrectedInvitation {
  /** One line of at most 300 characters; left out: the same as before. */
  readonly firstName?: string | undefined;
  /** One line of at most 300 characters; left out: the same as before. */
  readonly lastName?: string | undefined;
  /**
   * The id under which the organization's identity provider will know the member, as in `InviteUser`; null: none; left
   * out: the same as before.
   */
  readonly idpId?: string | null | undefined;
}

/** The renewed invitation, with its new URL. */
export interface RenewedInvitation extends InvitedUser, Omit<InvitationView, 'inviter' | 'invitationUrl'> {}

/**
 * Replaces a pending or revoked invitation with a new one that has a new URL. The old URL stops working. The person keeps
 * the UUID that the organization got.
 *
 * @throws `Refusal`: `invitation-unknown`, `invitation-used`; `invitation-revoked` if the address has another pending
 * invitation; `invalid-request` with every problem of the names and the `idpId`, if the `idpId` belongs to another
 * member or pending invitation, or if the invitation has another one than `replaces`; `already-member`.
 */
export async function renewInvitation(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.byId'
    | 'invitations.byUserUuid'
    | 'invitations.renew'
    | 'limits.fail'
    | 'links.invitation'
    | 'mailer.send'
    | 'secrets.invitationToken'
    | 'secrets.keyId'
  >,
  { by, sendMail = false, ...request }: RenewInvitation,
): Promise<RenewedInvitation> {
  const { invitations, secrets, ids, clock } = deps;
  checkActor(by);
  refuseAny(correctionProblems(request));
  const invitationId = await invitationIdOf(deps, request);
  const organizationId = request.organization.id;
  const at = clock.now();
  const isMailed = sendMail && (await isMailable(deps, { organizationId, invitationId }));
  const fresh = { id: ids.uuid(), keyId: secrets.keyId, createdAt: at, invitedBy: actorOf({ by }).who };
  const renewed = await invitations.renew(
    {
      organizationId,
      invitationId,
      retiredUuid: ids.uuid(),
      replaces: request.replaces,
      fresh: { ...fresh, ...correctionOf(request) },
    },
    (stored) => [
      ...auditEntries({ by, at }, { organizationId, action: 'invitation-renewed', subject: stored.email }),
      ...(isMailed ? [invitationMail(stored, at)] : []),
    ],
  );
  if (renewed === 'outdated') throw idpIdOutdated((await invitations.byId(invitationId))?.idpId ?? null);
  if (typeof renewed === 'string') throw notRenewed(renewed);
  return {
    ...invitationView(deps, renewed, new Map()),
    ...invitedUser(deps, renewed),
    ...(sendMail && { isMailed }),
  };
}

/** Whether the person may get another mail today. */
async function isMailable(
  deps: Uses<'invitations.byId' | 'limits.fail' | 'mailer.send'>,
  { organizationId, invitationId }: { readonly organizationId: number; readonly invitationId: string },
): Promise<boolean> {
  const known = await deps.invitations.byId(invitationId);
  return (
    known?.organizationId === organizationId && mayBeMailed(deps, { organizationId, email: known.email })
  );
}

function correctionProblems({ firstName, lastName, idpId }: CorrectedInvitation) {
  return [
    ...nameProblems({ firstName: given(firstName), lastName: given(lastName) }),
    idpIdProblem(idpId === undefined ? null : idpId),
  ];
}

/** A valid name stands for one that is left out. */
function given(name: string | undefined): string {
  return name === undefined ? 'same' : name;
}

/** The parts that are given. */
function correctionOf({
  firstName,
  lastName,
  idpId,
}: CorrectedInvitation): Partial<Pick<NewInvitation, keyof CorrectedInvitation>> {
  return {
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(idpId !== undefined && { idpId }),
  };
}

function notRenewed(why: NotRenewed): Error {
  if (why === 'already-member') return alreadyMember();
  if (isIdpIdConflict(why)) return idpIdTaken(why);
  return closedInvitation(why);
}
