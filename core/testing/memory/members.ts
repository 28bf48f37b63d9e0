import type { Journal } from '../../access/ports/journal.js';
import { givenRole } from '../../users/invitations/given-role.js';
import type { Invitation } from '../../users/ports/invitations.js';
import type {
  Member,
  MemberFilters,
  MemberKey,
  MemberOrder,
  Members,
  MembershipFacts,
  NewMember,
  NotRegistered,
  Role,
} from '../../users/ports/members.js';
import { compareTexts } from './compare-texts.js';
import { endIdentities, identityOf } from './identities.js';
import { idpIdConflict, isPending, pendingInvitation } from './invitations.js';
import { writeJournal } from './journal.js';
import { isSameMember, replaceMembership, toMember } from './memberships.js';
import { toOrganization } from './organizations.js';
import { contains, nameKey } from './people-search.js';
import { hasFactor } from './second-factor-of.js';
import { endSetUp } from './setup-links.js';
import {
  deleteWhere,
  existing,
  membershipIn,
  membershipOf,
  nextId,
  type State,
  type StoredMembership,
  type StoredSessionState,
  type StoredUser,
} from './state.js';
import { userByEmail } from './users.js';

export function memoryMembers(state: State): Members {
  const memberOf = (membership: StoredMembership | undefined): Member | null =>
    membership === undefined ? null : toMember(state, membership);
  return {
    async byIdpId({ organizationId, idpId }) {
      return memberOf(membershipIn(state, organizationId, (stored) => stored.idpId === idpId));
    },
    async byUuid({ organizationId, uuid }) {
      return memberOf(membershipIn(state, organizationId, (stored) => stored.uuid === uuid));
    },
    async byUserId(key) {
      return memberOf(membershipOf(state, key));
    },
    async ofUser(userId) {
      return state.memberships
        .filter((membership) => membership.userId === userId)
        .sort((one, other) => one.organizationId - other.organizationId)
        .map(({ organizationId, role }) => {
          const organization = existing(state.organizations.get(organizationId));
          return { organization: toOrganization(organization), role };
        });
    },
    async register(entry, journal) {
      return register(state, entry, journal);
    },
    async list({ organizationId, words, role, order = 'role', offset, limit }) {
      const matching = state.memberships
        .filter((membership) => membership.organizationId === organizationId)
        .map((membership) => ({
          ...toMember(state, membership),
          canSignIn: existing(state.users.get(membership.userId)).passwordHash !== null,
          hasSecondFactor: hasFactor(state, membership.userId),
          isLinked: identityOf(state, membership) !== null,
          lastSignInAt: lastSignIn(state, membership),
        }))
        .filter(matches({ words }));
      const all = matching
        .filter(matches({ role }))
        .sort((one, other) => compareBy[order](one, other) || compareTexts(one.user.email, other.user.email));
      const counts = { owner: 0, admin: 0, member: 0 };
      for (const member of matching) counts[member.role] += 1;
      return { total: all.length, counts, members: all.slice(offset, offset + limit) };
    },
    async listByEmail({ organizationId, after, limit, ...filters }) {
      return state.memberships
        .filter((membership) => membership.organizationId === organizationId)
        .map((membership) => toMember(state, membership))
        .filter(matches(filters))
        .filter(({ user }) => after === null || compareTexts(user.email, after) > 0)
        .sort((one, other) => compareTexts(one.user.email, other.user.email))
        .slice(0, limit);
    },
    async setIdpId({ idpId, replaces, ...key }, journal) {
      const membership = membershipOf(state, key);
      if (membership === undefined) return 'not-a-member';
      if (membership.idpId === idpId) return toMember(state, membership);
      if (replaces !== undefined && membership.idpId !== replaces) return 'outdated';
      const entry = state.directoryPeople.get(`${key.organizationId}/${membership.uuid}`)?.entry;
      if (entry != null && entry.externalId !== null) return 'kept-by-directory';
      const conflict = idpIdConflict(state, { ...key, idpId });
      if (conflict !== null) return conflict;
      const changed = { ...membership, idpId };
      const member = toMember(state, changed);
      writeJournal(state, journal?.({ ...member, before: membership.idpId }), () =>
        replaceMembership(state, membership, changed),
      );
      return member;
    },
    async changeRole({ role, replaces, ...key }, journal) {
      const membership = membershipOf(state, key);
      if (membership === undefined) return 'not-a-member';
      if (membership.role === role) return toMember(state, membership);
      if (replaces !== undefined && membership.role !== replaces) return 'outdated';
      if (isLastOwner(state, membership)) return 'last-owner';
      const changed = { ...membership, role };
      const member = toMember(state, changed);
      writeJournal(state, journal?.({ ...member, before: membership.role }), () => {
        replaceMembership(state, membership, changed);
        const isMakers = state.setupLinks.get(key.organizationId)?.userId === key.userId;
        if (isMakers && role !== 'owner') endSetUp(state, key.organizationId);
      });
      return member;
    },
    async remove({ at, keepsOwners, ...key }, journal) {
      const membership = membershipOf(state, key);
      if (membership === undefined) return 'not-a-member';
      if (membership.role === 'owner' && keepsOwners) return 'is-owner';
      if (isLastOwner(state, membership)) return 'last-owner';
      const member = toMember(state, membership);
      const organization = toOrganization(existing(state.organizations.get(key.organizationId)));
      writeJournal(state, journal?.({ organization, member }), () =>
        endMembership(state, membership, { at, keptRole: 'member' }),
      );
      return member;
    },
  };
}

/** Registers at once, so that another port can do so in its own change. */
export function register(
  state: State,
  entry: NewMember,
  journal?: Journal<MembershipFacts>,
): Member | NotRegistered {
  const { organizationId, invitationId, at } = entry;
  const accepted = invitationId === null ? null : state.invitations.get(invitationId);
  if (accepted !== null && (accepted === undefined || !isOpen(accepted, at))) return 'invitation-closed';
  if ('email' in entry.user && !('id' in entry.user) && userByEmail(state, entry.user.email)) {
    return 'account-exists';
  }

  const user: StoredUser | undefined =
    'id' in entry.user ? state.users.get(entry.user.id) : { ...entry.user, id: nextId(state), avatar: null };
  if (user === undefined) return 'unknown-user';
  const colleagues = state.memberships.filter((stored) => stored.organizationId === organizationId);
  if (colleagues.some((stored) => stored.userId === user.id)) return 'already-member';
  const isFree = (wanted: string) => colleagues.every(({ idpId }) => idpId !== wanted);
  const found = accepted ?? pendingInvitation(state, { organizationId, email: user.email });
  const invitation = found !== undefined && isOpen(found, at) ? found : undefined;
  const conflict = idpIdConflict(state, entry, { invitationId: invitation?.id });
  if (conflict !== null) return conflict;
  const invitedIdpId = invitation?.idpId ?? null;
  const inviterId = invitation?.invitedBy?.kind === 'user' ? invitation.invitedBy.userId : null;
  const isByOwner = colleagues.some(({ userId, role }) => userId === inviterId && role === 'owner');
  const membership: StoredMembership = {
    organizationId,
    userId: user.id,
    uuid: entry.uuid ?? invitation?.userUuid ?? user.uuid,
    role: entry.role ?? (invitation === undefined ? 'member' : givenRole(invitation, isByOwner)),
    idpId: entry.idpId ?? (invitedIdpId !== null && isFree(invitedIdpId) ? invitedIdpId : null),
    joinedAt: at,
    needsSignOn: entry.needsSignOn,
  };

  const stored = state.organizations.get(organizationId);
  if (stored === undefined) return 'unknown-organization';
  const organization = toOrganization(stored);
  const member = toMember(state, membership, user);
  writeJournal(state, journal?.({ organization, member }), () => {
    state.users.set(user.id, user);
    state.memberships = [...state.memberships, membership];
    if (invitation) state.invitations.set(invitation.id, { ...invitation, acceptedAt: at });
  });
  return member;
}

/** Whether the invitation is pending and has not expired by then. */
function isOpen(invitation: Invitation, at: Date): boolean {
  return isPending(invitation) && (invitation.expiresAt === null || invitation.expiresAt > at);
}

const roleOrder: readonly Role[] = ['owner', 'admin', 'member'];

const compareBy: Record<MemberOrder, (one: Member, other: Member) => number> = {
  role: (one, other) => roleOrder.indexOf(one.role) - roleOrder.indexOf(other.role),
  name: (one, other) => compareTexts(nameKey(one.user), nameKey(other.user)),
  newest: (one, other) => other.joinedAt.getTime() - one.joinedAt.getTime(),
};

function matches({ email, idpId, role, words }: MemberFilters): (member: Member) => boolean {
  const hasWords = contains(words);
  return (member) =>
    (email === undefined || member.user.email === email) &&
    (idpId === undefined || member.idpId === idpId) &&
    (role === undefined || member.role === role) &&
    hasWords({ ...member.user, idpId: member.idpId });
}

export function isLastOwner(state: State, membership: StoredMembership): boolean {
  const owners = state.memberships.filter(
    ({ organizationId, role }) => organizationId === membership.organizationId && role === 'owner',
  );
  return membership.role === 'owner' && owners.length === 1;
}

/** Ends the membership, and everything that belongs to it and could still be used. */
export function endMembership(
  state: State,
  membership: StoredMembership,
  { at, keptRole }: { readonly at: Date; readonly keptRole: Role },
): void {
  const { organizationId, userId, uuid } = membership;
  state.memberships = state.memberships.filter((stored) => stored !== membership);
  endAccess(state, membership, ({ boundTo }) => boundTo === organizationId);
  endIdentities(state, (identity) => isSameMember(identity, membership));
  const { email } = existing(state.users.get(userId));
  const invitation = pendingInvitation(state, { organizationId, email });
  if (invitation !== undefined) state.invitations.set(invitation.id, { ...invitation, revokedAt: at });
  const key = `${organizationId}/${uuid}`;
  const person = state.directoryPeople.get(key);
  if (person?.entry != null)
    state.directoryPeople.set(key, {
      ...person,
      entry: { ...person.entry, isActive: false },
      kept: { ...membership, role: keptRole },
    });
}

/** Ends the links, the feed and some of the sessions of a member. */
export function endAccess(
  state: State,
  key: MemberKey,
  ends: (session: Pick<StoredSessionState, 'boundTo'>) => boolean,
): void {
  state.calendarFeeds.delete(`${key.organizationId}/${key.userId}`);
  deleteWhere(state.sessions, (session) => session.userId === key.userId && ends(session));
  deleteWhere(state.loginLinks, (link) => isSameMember(link, key));
  deleteWhere(state.setupLinks, (link) => isSameMember(link, key));
}

function lastSignIn(state: State, member: MemberKey): Date | null {
  const links = [...state.auditEntries.values()].filter(
    ({ organizationId, action, actor: { who } }) =>
      organizationId === member.organizationId &&
      action === 'login-link-redeemed' &&
      who.kind === 'user' &&
      who.userId === member.userId,
  );
  const password = state.users.get(member.userId)?.signedInAt ?? null;
  const times = [password, identityOf(state, member)?.usedAt ?? null, ...links.map(({ at }) => at)];
  const latest = Math.max(...times.map((at) => at?.getTime() ?? 0));
  return latest === 0 ? null : new Date(latest);
}
