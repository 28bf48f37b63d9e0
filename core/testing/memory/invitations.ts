import { renewedExpiry } from '../../users/invitations/expiry.js';
import { invitationAt, invitationState } from '../../users/invitations/invitation.js';
import type {
  IdpIdConflict,
  Invitation,
  InvitationOrder,
  Invitations,
  ListedState,
  NotPending,
} from '../../users/ports/invitations.js';
import { namedUser } from './audit-trail.js';
import { compareTexts } from './compare-texts.js';
import { writeJournal } from './journal.js';
import { contains, nameKey } from './people-search.js';
import { membershipOf, type State } from './state.js';
import { userByEmail } from './users.js';

export function memoryInvitations(state: State): Invitations {
  const acceptedBy = (organizationId: number, email: string): Invitation | undefined => {
    const member = membershipOf(state, { organizationId, userId: userByEmail(state, email)?.id });
    return [...state.invitations.values()].find(
      (stored) =>
        stored.organizationId === organizationId &&
        stored.userUuid === member?.uuid &&
        stored.acceptedAt !== null,
    );
  };
  const current = (organizationId: number, email: string): Invitation | undefined =>
    pendingInvitation(state, { organizationId, email }) ?? acceptedBy(organizationId, email);
  const listedState = (invitation: Invitation, at: Date | undefined): ListedState => {
    const found = invitationState(invitation);
    const other = current(invitation.organizationId, invitation.email);
    const isReplaced =
      found === 'revoked' && other !== undefined && invitationState(seen(other, at)) !== 'revoked';
    return isReplaced ? 'replaced' : found;
  };
  const inOrder = ({ organizationId, at, state: requestedState }: Omit<Query, 'limit'>): Invitation[] =>
    [...state.invitations.values()]
      .map((invitation) => seen(invitation, at))
      .filter((invitation) => invitation.organizationId === organizationId)
      .filter((invitation) => requestedState === undefined || listedState(invitation, at) === requestedState)
      .sort(compare);
  const isNewest = ({ id }: Invitation): boolean => {
    const invitation = state.invitations.get(id);
    return [...state.invitations.values()].every(
      (other) =>
        other.organizationId !== invitation?.organizationId ||
        other.email !== invitation.email ||
        byAge(invitation, other) <= 0,
    );
  };
  const isMember = ({ organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>): boolean =>
    membershipOf(state, { organizationId, userId: userByEmail(state, email)?.id }) !== undefined;
  const pendingOrWhyNot = (organizationId: number, invitationId: string): Invitation | NotPending => {
    const invitation = state.invitations.get(invitationId);
    if (invitation?.organizationId !== organizationId) return 'unknown';
    const found = invitationState(invitation);
    return found === 'pending' ? invitation : found;
  };
  return {
    async findOrCreatePending(fresh, journal) {
      if (isMember(fresh)) return 'already-member';
      const pending = pendingInvitation(state, fresh);
      if (pending !== undefined && (fresh.idpId === null || fresh.idpId === pending.idpId)) return pending;
      if (pending !== undefined && pending.idpId !== null) return 'other-idp-id';
      if (!state.organizations.has(fresh.organizationId)) return 'unknown-organization';
      const conflict = idpIdConflict(state, fresh);
      if (conflict !== null) return conflict;
      const stored = { ...(pending ?? fresh), idpId: fresh.idpId, acceptedAt: null, revokedAt: null };
      writeJournal(state, journal?.(stored), () => state.invitations.set(stored.id, stored));
      return stored;
    },
    async byId(invitationId) {
      return state.invitations.get(invitationId) ?? null;
    },
    async byUserUuid({ organizationId, uuid }) {
      const found = [...state.invitations.values()].find(
        (stored) => stored.organizationId === organizationId && stored.userUuid === uuid,
      );
      return found ?? null;
    },
    async current({ organizationId, emails }) {
      return [...new Set(emails)].flatMap((email) => current(organizationId, email) ?? []);
    },
    async list({ organizationId, at, state: requestedState, words, order = 'newest', offset, limit }) {
      const matching = inOrder({ organizationId, at }).filter(isNewest).filter(contains(words));
      const all = matching
        .filter(
          (invitation) => requestedState === undefined || listedState(invitation, at) === requestedState,
        )
        .sort(compareBy[order])
        .map((invitation) => ({ ...invitation, inviter: namedUser(state, invitation.invitedBy) }));
      const counts = { pending: 0, accepted: 0, revoked: 0, replaced: 0 };
      for (const invitation of matching) counts[listedState(invitation, at)] += 1;
      return { total: all.length, counts, invitations: all.slice(offset, offset + limit) };
    },
    async find({ email, idpId, isNewest: onlyNewest, words, after, limit, ...query }) {
      return inOrder(query)
        .filter((invitation) => onlyNewest !== true || isNewest(invitation))
        .filter(contains(words))
        .filter((invitation) => email === undefined || invitation.email === email)
        .filter((invitation) => idpId === undefined || invitation.idpId === idpId)
        .filter((invitation) => after === undefined || compare(after, invitation) < 0)
        .slice(0, limit);
    },
    async revokeExpired({ organizationId, at }) {
      for (const [id, invitation] of state.invitations)
        if (invitation.organizationId === organizationId)
          state.invitations.set(id, invitationAt(invitation, at));
    },
    async inviter({ organizationId, invitedBy }) {
      const user = namedUser(state, invitedBy);
      if (user === null) return null;
      const { role } = membershipOf(state, { organizationId, userId: user.id }) ?? {};
      return { ...user, isOwner: role === 'owner' };
    },
    async revoke({ organizationId, invitationId, at }, journal) {
      const invitation = pendingOrWhyNot(organizationId, invitationId);
      if (typeof invitation === 'string') return invitation;
      const revoked = { ...invitation, revokedAt: at };
      writeJournal(state, journal?.(revoked), () => state.invitations.set(invitationId, revoked));
      return revoked;
    },
    async renew({ organizationId, invitationId, retiredUuid, replaces, fresh }, journal) {
      const invitation = state.invitations.get(invitationId);
      if (invitation?.organizationId !== organizationId) return 'unknown';
      if (invitation.acceptedAt !== null) return 'accepted';
      if (isMember(invitation)) return 'already-member';
      if (listedState(invitation, undefined) === 'replaced') return 'replaced';
      const expiresAt = renewedExpiry(invitation, fresh);
      const renewed = { ...invitation, ...fresh, expiresAt, revokedAt: null };
      if (replaces !== undefined && ![replaces, renewed.idpId].includes(invitation.idpId)) return 'outdated';
      const conflict = idpIdConflict(state, renewed, { invitationId });
      if (conflict !== null) return conflict;
      writeJournal(state, journal?.({ ...renewed, before: invitation }), () => {
        const revokedAt = invitation.revokedAt ?? fresh.createdAt;
        const retired = { ...invitation, userUuid: retiredUuid, revokedAt };
        state.invitations.set(invitationId, retired);
        state.invitations.set(fresh.id, renewed);
      });
      return renewed;
    },
  };
}

type Query = Parameters<Invitations['find']>[0];

/** The invitation at the time; left out: as it is stored. */
function seen(invitation: Invitation, at: Date | undefined): Invitation {
  return at === undefined ? invitation : invitationAt(invitation, at);
}

/** Which member or other pending invitation of the organization has the `idpId`. Null: none. */
export function idpIdConflict(
  state: State,
  { organizationId, idpId }: Pick<Invitation, 'organizationId' | 'idpId'>,
  { invitationId }: { readonly invitationId?: string | undefined } = {},
): IdpIdConflict | null {
  if (idpId === null) return null;
  const has = (stored: Pick<Invitation, 'organizationId' | 'idpId'>): boolean =>
    stored.organizationId === organizationId && stored.idpId === idpId;
  if (state.memberships.some(has)) return 'idp-id-of-member';
  const isInvited = [...state.invitations.values()].some(
    (stored) => stored.id !== invitationId && has(stored) && isPending(stored),
  );
  return isInvited ? 'idp-id-of-invitation' : null;
}

/** Newest first. Of two of the same time, the one that was renewed is the older one. */
function byAge(one: Invitation, other: Invitation): number {
  const [isRevoked, isOtherRevoked] = [one.revokedAt !== null, other.revokedAt !== null];
  const sameTime = one.createdAt.getTime() === other.createdAt.getTime();
  return sameTime && isRevoked !== isOtherRevoked
    ? Number(isRevoked) - Number(isOtherRevoked)
    : compare(one, other);
}

/** Newest first. */
function compare(
  one: Pick<Invitation, 'createdAt' | 'id'>,
  other: Pick<Invitation, 'createdAt' | 'id'>,
): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || compareTexts(other.id, one.id);
}

const compareBy: Record<InvitationOrder, (one: Invitation, other: Invitation) => number> = {
  newest: compare,
  oldest: (one, other) => compare(other, one),
  name: (one, other) => compareTexts(nameKey(one), nameKey(other)) || compare(one, other),
};

export function pendingInvitation(
  state: State,
  { organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>,
): Invitation | undefined {
  return [...state.invitations.values()].find(
    (stored) => stored.organizationId === organizationId && stored.email === email && isPending(stored),
  );
}

export function isPending(invitation: Invitation): boolean {
  return invitationState(invitation) === 'pending';
}
