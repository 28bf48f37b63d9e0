import { type Acting, actorOf, checkActor } from '../../access/acting.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { refuseAny } from '../../values/problems.js';
import { idpIdOutdated, idpIdProblem, idpIdTaken, isIdpIdConflict } from '../members/idp-id.js';
import { nameProblems } from '../person.js';
import type { NewInvitation, NotRenewed } from '../ports/invitations.js';
import { closedInvitation, type InvitationKey, invitationIdOf } from './invitation.js';
import { invitationEntries } from './invitation-entries.js';
import { invitationMail, type RequestedMail, withMailCounted } from './invitation-mail.js';
import { type InvitationView, invitationView } from './invitation-view.js';
import { type AsksForMail, alreadyMember, type InvitedUser, invitedUser } from './invite.js';

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
export async function renewInvitation(deps: RenewDeps, request: RenewInvitation): Promise<RenewedInvitation> {
  checkActor(request.by);
  refuseAny(correctionProblems(request));
  const invitationId = await invitationIdOf(deps, request);
  const mail = request.sendMail ? await mailTo(deps, request, invitationId) : null;
  return withMailCounted(deps, mail, (isMailed) => renew(deps, request, { invitationId, isMailed }));
}

type RenewDeps = Uses<
  | 'clock.now'
  | 'ids.uuid'
  | 'invitations.byId'
  | 'invitations.byUserUuid'
  | 'invitations.renew'
  | 'limits.consume'
  | 'limits.forgive'
  | 'links.invitation'
  | 'mailer.send'
  | 'secrets.invitationToken'
  | 'secrets.keyId'
>;

async function renew(
  deps: RenewDeps,
  { by, sendMail = false, ...request }: RenewInvitation,
  { invitationId, isMailed }: { readonly invitationId: string; readonly isMailed: boolean },
): Promise<RenewedInvitation> {
  const { invitations, secrets, ids, clock } = deps;
  const organizationId = request.organization.id;
  const at = clock.now();
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
      ...invitationEntries({ by, at }, 'invitation-renewed', stored),
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

/** The mail to the invited person. Null if the organization has no such invitation. */
async function mailTo(
  { invitations }: Uses<'invitations.byId'>,
  { organization: { id: organizationId } }: OfOrganization,
  invitationId: string,
): Promise<RequestedMail | null> {
  const known = await invitations.byId(invitationId);
  return known?.organizationId === organizationId ? { organizationId, email: known.email } : null;
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
