import { type Acting, actorOf, checkActor } from '../../access/acting.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { mayBeId } from '../../values/ids.js';
import { refuseAny } from '../../values/problems.js';
import { idpIdOutdated, idpIdProblem, idpIdTaken, isIdpIdConflict } from '../members/idp-id.js';
import { nameProblems } from '../person.js';
import type { InvitedRole, NewInvitation, NotRenewed } from '../ports/invitations.js';
import { type Expiring, expiryAfter, expiryProblem } from './expiry.js';
import { closedInvitation, type InvitationKey, invitationIdOf } from './invitation.js';
import { invitationEntries } from './invitation-entries.js';
import { invitationMail, type RequestedMail, withMailCounted } from './invitation-mail.js';
import { type InvitationView, invitationView } from './invitation-view.js';
import {
  type AsksForMail,
  alreadyMember,
  type InvitedUser,
  invitedRoleProblem,
  invitedUser,
  mayInviteAdmins,
} from './invite.js';

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
  /** As in `InviteUser`. Left out: the same as before, if the caller may give it, or else `member`. */
  readonly role?: InvitedRole | undefined;
  /** As in `InviteUser`. Left out: valid as long as before. */
  readonly expiresInDays?: Expiring['expiresInDays'];
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
    typeof invitationIdOf | typeof invitedRoleProblem | typeof mailTo | typeof renew | typeof withMailCounted
  >,
  request: RenewInvitation,
): Promise<RenewedInvitation> {
  checkActor(request.by);
  const { organization, role = 'member', by } = request;
  const isPossible = mayBeId('organization.id', organization.id);
  refuseAny([
    ...correctionProblems(request),
    isPossible ? await invitedRoleProblem(deps, { organizationId: organization.id, role, by }) : null,
  ]);
  const invitationId = await invitationIdOf(deps, request);
  const mail = request.sendMail ? await mailTo(deps, request, invitationId) : null;
  return withMailCounted(deps, mail, (isMailed) => renew(deps, request, { invitationId, isMailed }));
}

async function renew(
  deps: Uses<
    | 'clock.now'
    | 'ids.uuid'
    | 'invitations.byId'
    | 'invitations.renew'
    | 'invitations.revokeExpired'
    | 'secrets.keyId'
    | typeof invitationView
    | typeof mayInviteAdmins
  >,
  { by, sendMail = false, ...request }: RenewInvitation,
  { invitationId, isMailed }: { readonly invitationId: string; readonly isMailed: boolean },
): Promise<RenewedInvitation> {
  const { invitations, secrets, ids, clock } = deps;
  const organizationId = request.organization.id;
  const at = clock.now();
  const fresh = { id: ids.uuid(), keyId: secrets.keyId, createdAt: at, invitedBy: actorOf({ by }).who };
  const mayKeepRole = await mayInviteAdmins(deps, organizationId, by);
  const { role = mayKeepRole ? undefined : 'member', expiresInDays } = request;
  await invitations.revokeExpired({ organizationId, at });
  const renewed = await invitations.renew(
    {
      organizationId,
      invitationId,
      retiredUuid: ids.uuid(),
      replaces: request.replaces,
      fresh: {
        ...{ ...fresh, ...correctionOf(request) },
        ...(role !== undefined && { role }),
        ...(expiresInDays !== undefined && { expiresAt: expiryAfter(at, expiresInDays) }),
      },
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

function correctionProblems({ firstName, lastName, idpId, expiresInDays }: CorrectedInvitation) {
  return [
    ...nameProblems({ firstName: given(firstName), lastName: given(lastName) }),
    idpIdProblem(idpId === undefined ? null : idpId),
    expiryProblem({ expiresInDays }),
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
}: CorrectedInvitation): Partial<Pick<NewInvitation, 'firstName' | 'lastName' | 'idpId'>> {
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
