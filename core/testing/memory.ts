import type {
  AuditEntry,
  AuditTrail,
  BuildAuditEntries,
  NamedUser,
  NewAuditEntry,
  Organization,
  Organizations,
  Who,
} from '../access/ports.js';
import { cancelStatus, isSelected, isUpcoming } from '../meetings/meeting.js';
import type { CalendarFeed, CalendarFeeds, Meetings, MemberAt, Places } from '../meetings/ports.js';
import type { StoragePorts } from '../ports.js';
import { invitationState } from '../users/invitation.js';
import type {
  Invitation,
  Invitations,
  ListedState,
  LoginLink,
  LoginLinks,
  Member,
  Members,
  NotPending,
  Role,
  Session,
  Sessions,
  User,
  Users,
} from '../users/ports.js';
import { anyCasePattern } from '../values/any-case.js';
import type {
  Attempt,
  ClaimedDelivery,
  Deliveries,
  Delivery,
  DeliverySelection,
  EventName,
  NewEvent,
  Outbox,
  Webhook,
  WebhookHealth,
  Webhooks,
} from '../webhooks/ports.js';
import type { Dataset, DatasetMeeting, DatasetRegistration, DatasetWaitingPlace } from './dataset.js';
import { encodeRows } from './encode-row.js';

interface StoredOrganization extends Organization {
  readonly accessKeyHash: string | null;
  readonly accessKeyCreatedAt: Date | null;
  readonly accessKeyUsedAt: Date | null;
}

interface StoredUser extends User {
  readonly passwordHash: string | null;
}

interface StoredMembership {
  readonly organizationId: number;
  readonly userId: number;
  readonly uuid: string;
  readonly role: Role;
  readonly idpId: string | null;
}

interface StoredDelivery {
  readonly id: number;
  readonly organizationId: number;
  readonly eventId: string;
  readonly eventName: EventName;
  readonly body: string;
  readonly isTest: boolean;
  readonly createdAt: Date;
  state: Delivery['state'];
  finishedAt: Date | null;
  isDropped: boolean;
  claim: string | null;
  claimedAt: Date | null;
  claims: number;
  attempts: readonly Attempt[];
}

interface State {
  readonly organizations: Map<number, StoredOrganization>;
  readonly users: Map<number, StoredUser>;
  memberships: readonly StoredMembership[];
  readonly invitations: Map<string, Invitation>;
  readonly loginLinks: Map<string, LoginLink>;
  readonly sessions: Map<string, Omit<Session, 'user'> & { readonly userId: number }>;
  readonly meetings: Map<number, DatasetMeeting>;
  readonly registrations: Map<string, DatasetRegistration>;
  readonly waitingPlaces: Map<string, DatasetWaitingPlace>;
  readonly webhooks: Map<number, Webhook>;
  /** By organization, with the largest step that was noticed. */
  readonly healths: Map<number, WebhookHealth & { readonly noticed: number }>;
  readonly deliveries: Map<number, StoredDelivery>;
  readonly auditEntries: Map<number, Omit<AuditEntry, 'user'>>;
  /** By member. */
  readonly calendarFeeds: Map<string, CalendarFeed & { readonly hash: string }>;
  lastId: number;
}

/** Every storing port in memory, with the promises kept, for tests and trials; `load` adds or replaces records. */
export function memoryStorage(): StoragePorts & { load(dataset: Dataset): Promise<void> } {
  const state: State = {
    organizations: new Map(),
    users: new Map(),
    memberships: [],
    invitations: new Map(),
    loginLinks: new Map(),
    sessions: new Map(),
    meetings: new Map(),
    registrations: new Map(),
    waitingPlaces: new Map(),
    webhooks: new Map(),
    healths: new Map(),
    deliveries: new Map(),
    auditEntries: new Map(),
    calendarFeeds: new Map(),
    lastId: 1_000_000,
  };
  return {
    load: async (dataset) => load(state, dataset),
    organizations: memoryOrganizations(state),
    users: memoryUsers(state),
    members: memoryMembers(state),
    invitations: memoryInvitations(state),
    loginLinks: memoryLoginLinks(state),
    sessions: memorySessions(state),
    meetings: memoryMeetings(state),
    webhooks: memoryWebhooks(state),
    outbox: memoryOutbox(state),
    deliveries: memoryDeliveries(state),
    auditTrail: memoryAuditTrail(state),
    calendarFeeds: memoryCalendarFeeds(state),
  };
}

function load(state: State, dataset: Dataset): void {
  for (const organization of dataset.organizations ?? []) {
    const stored = state.organizations.get(organization.id);
    const rest = stored ?? { timeZone: null, accessKeyGeneration: 0, ...noAccessKey };
    state.organizations.set(organization.id, { ...rest, ...organization });
  }
  for (const user of dataset.users ?? []) {
    state.users.set(user.id, { passwordHash: state.users.get(user.id)?.passwordHash ?? null, ...user });
  }
  for (const membership of dataset.memberships ?? []) {
    const { uuid } = existing(state.users.get(membership.userId));
    const others = state.memberships.filter((stored) => !isSame(stored, membership));
    state.memberships = [...others, { uuid, ...membership }];
  }
  for (const meeting of dataset.meetings ?? []) state.meetings.set(meeting.id, meeting);
  for (const place of dataset.registrations ?? []) state.registrations.set(placeKey(place), place);
  for (const place of dataset.waitingPlaces ?? []) state.waitingPlaces.set(placeKey(place), place);
}

const noAccessKey = { accessKeyHash: null, accessKeyCreatedAt: null, accessKeyUsedAt: null };

function memoryOrganizations(state: State): Organizations {
  const shown = shownOrganization;
  return {
    async byId(organizationId) {
      const organization = state.organizations.get(organizationId);
      return organization === undefined ? null : shown(organization);
    },
    async byAccessKeyHash(hashes) {
      const found = [...state.organizations.values()].find(
        ({ accessKeyHash }) => accessKeyHash !== null && hashes.includes(accessKeyHash),
      );
      if (found === undefined) return null;
      const { accessKeyUsedAt, accessKeyHash } = found;
      return { ...shown(found), accessKeyUsedAt, accessKeyHash: accessKeyHash ?? '' };
    },
    async moveAccessKeyHash({ organizationId, from, to }) {
      const organization = state.organizations.get(organizationId);
      if (organization?.accessKeyHash !== from) return false;
      state.organizations.set(organizationId, { ...organization, accessKeyHash: to });
      return true;
    },
    async replaceAccessKey({ organizationId, hash, at, replaces }, buildEntries) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return null;
      if (replaces !== undefined && replaces !== organization.accessKeyGeneration) return null;
      const seconds = Math.floor(at.getTime() / 1000);
      const accessKeyGeneration = Math.max(organization.accessKeyGeneration + 1, seconds);
      const key = { accessKeyHash: hash, accessKeyCreatedAt: at, accessKeyUsedAt: null, accessKeyGeneration };
      const replaced = { ...organization, ...key };
      const isFirst = organization.accessKeyHash === null;
      const entries = buildEntries?.({ organization: shown(replaced), isFirst });
      state.organizations.set(organizationId, replaced);
      addEntries(state, entries);
      return shown(replaced);
    },
    async accessKey(organizationId) {
      const { accessKeyCreatedAt: createdAt = null, accessKeyUsedAt: usedAt = null } =
        state.organizations.get(organizationId) ?? {};
      return createdAt === null ? null : { createdAt, usedAt };
    },
    async touchAccessKey({ organizationId, generation, at }) {
      const organization = state.organizations.get(organizationId);
      if (organization?.accessKeyGeneration !== generation) return;
      const { accessKeyUsedAt } = organization;
      if (accessKeyUsedAt !== null && accessKeyUsedAt >= at) return;
      state.organizations.set(organizationId, { ...organization, accessKeyUsedAt: at });
    },
    async setTimeZone({ organizationId, timeZone }, buildEntries) {
      const organization = state.organizations.get(organizationId);
      if (organization === undefined) return null;
      const changed = { ...organization, timeZone };
      const entries = buildEntries?.(shown(changed));
      state.organizations.set(organizationId, changed);
      addEntries(state, entries);
      return shown(changed);
    },
    async create({ name, eap }) {
      const id = nextId(state);
      const organization = { id, name, eap, timeZone: null, accessKeyGeneration: 0, ...noAccessKey };
      state.organizations.set(id, organization);
      return shown(organization);
    },
    async list() {
      return [...state.organizations.values()].map(shown).sort((one, other) => one.id - other.id);
    },
  };
}

function memoryUsers(state: State): Users {
  return {
    async byEmail(email) {
      const user = userByEmail(state, email);
      return user === undefined ? null : shownUser(user);
    },
    async passwordHash(userId) {
      return state.users.get(userId)?.passwordHash ?? null;
    },
    async setPasswordHash({ userId, hash }) {
      const user = state.users.get(userId);
      if (user === undefined) return false;
      state.users.set(userId, { ...user, passwordHash: hash });
      for (const [key, session] of state.sessions) if (session.userId === userId) state.sessions.delete(key);
      return true;
    },
    async replacePasswordHash({ from, to, session: { hash, userId, boundTo, openedAt } }) {
      const user = state.users.get(userId);
      if (user === undefined || user.passwordHash !== from) return false;
      state.users.set(userId, { ...user, passwordHash: to });
      for (const [key, session] of state.sessions) if (session.userId === userId) state.sessions.delete(key);
      state.sessions.set(hash, { userId, boundTo, openedAt, seenAt: openedAt });
      return true;
    },
    async setEmail({ from, to }, buildEntries) {
      const user = userByEmail(state, from);
      if (user === undefined) return 'not-a-user';
      if (to !== from && userByEmail(state, to) !== undefined) return 'email-taken';
      const changed = { ...user, email: to };
      const organizationIds = state.memberships
        .filter(({ userId }) => userId === user.id)
        .map(({ organizationId }) => organizationId)
        .sort((one, other) => one - other);
      const entries = buildEntries?.({ user: shownUser(changed), organizationIds });
      state.users.set(user.id, changed);
      for (const [key, session] of state.sessions) if (session.userId === user.id) state.sessions.delete(key);
      addEntries(state, entries);
      return shownUser(changed);
    },
    async create(user) {
      if (userByEmail(state, user.email) !== undefined) return null;
      const created = { ...user, id: nextId(state), avatar: null };
      state.users.set(created.id, created);
      return shownUser(created);
    },
  };
}

function memoryMembers(state: State): Members {
  const find = (is: (membership: StoredMembership) => boolean): Member | null => {
    const membership = state.memberships.find(is);
    return membership === undefined ? null : shownMember(state, membership);
  };
  return {
    async byIdpId({ organizationId, idpId }) {
      return find((membership) => membership.organizationId === organizationId && membership.idpId === idpId);
    },
    async byUuid({ organizationId, uuid }) {
      return find((membership) => membership.organizationId === organizationId && membership.uuid === uuid);
    },
    async byUserId(key) {
      return find((membership) => isSame(membership, key));
    },
    async ofUser(userId) {
      return state.memberships
        .filter((membership) => membership.userId === userId)
        .sort((one, other) => one.organizationId - other.organizationId)
        .map(({ organizationId, role }) => {
          const organization = existing(state.organizations.get(organizationId));
          return { organization: shownOrganization(organization), role };
        });
    },
    async register(entry, buildEvent, buildEntries) {
      const { organizationId, invitationId, at } = entry;
      const invitation = invitationId === null ? null : state.invitations.get(invitationId);
      if (invitation !== null && (invitation === undefined || !isPending(invitation)))
        return 'invitation-closed';
      if ('email' in entry.user && !('id' in entry.user) && userByEmail(state, entry.user.email)) {
        return 'account-exists';
      }

      const user: StoredUser =
        'id' in entry.user
          ? existing(state.users.get(entry.user.id))
          : { ...entry.user, id: nextId(state), avatar: null };
      const membership: StoredMembership = {
        organizationId,
        userId: user.id,
        uuid: entry.uuid ?? user.uuid,
        role: entry.role,
        idpId: entry.idpId,
      };
      const colleagues = state.memberships.filter((stored) => stored.organizationId === organizationId);
      if (colleagues.some((stored) => stored.userId === user.id)) return 'already-member';
      const idpIdTaken = entry.idpId !== null && colleagues.some(({ idpId }) => idpId === entry.idpId);
      if (idpIdTaken) return 'idp-id-taken';

      const organization = shownOrganization(existing(state.organizations.get(organizationId)));
      const member = {
        organizationId,
        user: shownUser(user),
        uuid: membership.uuid,
        role: entry.role,
        idpId: entry.idpId,
      };
      const event = buildEvent({ organization, member, webhook: state.webhooks.get(organizationId) ?? null });
      const entries = buildEntries?.(member);

      state.users.set(user.id, user);
      state.memberships = [...state.memberships, membership];
      if (invitation) state.invitations.set(invitation.id, { ...invitation, acceptedAt: at });
      if (event !== null) addDelivery(state, event);
      addEntries(state, entries);
      return member;
    },
    async list({ organizationId, words = [], offset, limit }) {
      const patterns = words.map(anyCasePattern);
      const all = state.memberships
        .filter((membership) => membership.organizationId === organizationId)
        .map((membership) => ({
          ...shownMember(state, membership),
          canSignIn: existing(state.users.get(membership.userId)).passwordHash !== null,
        }))
        .filter(({ user }) => {
          const text = `${user.firstName} ${user.lastName} ${user.email}`;
          return patterns.every((pattern) => pattern.test(text));
        })
        .sort(
          (one, other) =>
            roleOrder.indexOf(one.role) - roleOrder.indexOf(other.role) ||
            compareTexts(one.user.email, other.user.email),
        );
      return { total: all.length, members: all.slice(offset, offset + limit) };
    },
    async changeRole({ role, ...key }, buildEntries) {
      const membership = state.memberships.find((stored) => isSame(stored, key));
      if (membership === undefined) return 'not-a-member';
      if (membership.role === role) return shownMember(state, membership);
      if (isLastOwner(state, membership)) return 'last-owner';
      const changed = { ...membership, role };
      const member = shownMember(state, changed);
      const entries = buildEntries?.(member);
      state.memberships = state.memberships.map((stored) => (stored === membership ? changed : stored));
      addEntries(state, entries);
      return member;
    },
    async remove({ at, ...key }, buildEntries) {
      const membership = state.memberships.find((stored) => isSame(stored, key));
      if (membership === undefined) return 'not-a-member';
      if (isLastOwner(state, membership)) return 'last-owner';
      const member = shownMember(state, membership);
      const entries = buildEntries?.(member);
      state.memberships = state.memberships.filter((stored) => stored !== membership);
      state.calendarFeeds.delete(`${key.organizationId}/${key.userId}`);
      endMembership(state, member, at);
      addEntries(state, entries);
      return member;
    },
  };
}

const roleOrder: readonly Role[] = ['owner', 'admin', 'member'];

/** In the order of the characters' numbers. */
function compareTexts(one: string, other: string): number {
  const others = [...other].map((character) => character.codePointAt(0) ?? 0);
  const numbers = [...one].map((character) => character.codePointAt(0) ?? 0);
  for (const [index, number] of numbers.entries()) {
    const difference = number - (others[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return numbers.length - others.length;
}

function isLastOwner(state: State, membership: StoredMembership): boolean {
  const owners = state.memberships.filter(
    ({ organizationId, role }) => organizationId === membership.organizationId && role === 'owner',
  );
  return membership.role === 'owner' && owners.length === 1;
}

/** What could still be used of a membership ends with it. */
function endMembership(state: State, { organizationId, user }: Member, at: Date): void {
  for (const [hash, session] of state.sessions) {
    if (session.userId === user.id && session.boundTo === organizationId) state.sessions.delete(hash);
  }
  for (const [hash, link] of state.loginLinks) {
    if (isSame(link, { organizationId, userId: user.id })) state.loginLinks.delete(hash);
  }
  const invitation = pendingInvitation(state, { organizationId, email: user.email });
  if (invitation !== undefined) state.invitations.set(invitation.id, { ...invitation, revokedAt: at });
}

function pendingInvitation(
  state: State,
  { organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>,
): Invitation | undefined {
  return [...state.invitations.values()].find(
    (stored) => stored.organizationId === organizationId && stored.email === email && isPending(stored),
  );
}

function memoryInvitations(state: State): Invitations {
  const acceptedBy = (organizationId: number, email: string): Invitation | undefined => {
    const user = userByEmail(state, email);
    const member = state.memberships.find((stored) =>
      isSame(stored, { organizationId, userId: user?.id ?? 0 }),
    );
    return [...state.invitations.values()].find(
      (stored) =>
        stored.organizationId === organizationId &&
        stored.userUuid === member?.uuid &&
        stored.acceptedAt !== null,
    );
  };
  const standing = (organizationId: number, email: string): Invitation | undefined =>
    pendingInvitation(state, { organizationId, email }) ?? acceptedBy(organizationId, email);
  const listedState = (invitation: Invitation): ListedState => {
    const found = invitationState(invitation);
    const isReplaced =
      found === 'revoked' && standing(invitation.organizationId, invitation.email) !== undefined;
    return isReplaced ? 'replaced' : found;
  };
  const isMember = ({ organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>): boolean => {
    const user = userByEmail(state, email);
    return (
      user !== undefined &&
      state.memberships.some((stored) => isSame(stored, { organizationId, userId: user.id }))
    );
  };
  const pendingOrWhyNot = (organizationId: number, invitationId: string): Invitation | NotPending => {
    const invitation = state.invitations.get(invitationId);
    if (invitation?.organizationId !== organizationId) return 'unknown';
    const found = invitationState(invitation);
    return found === 'pending' ? invitation : found;
  };
  return {
    async findOrCreatePending(fresh, buildEntries) {
      if (isMember(fresh)) return 'already-member';
      const pending = pendingInvitation(state, fresh);
      if (pending !== undefined) return pending;
      const stored = { ...fresh, acceptedAt: null, revokedAt: null };
      const entries = buildEntries?.(stored);
      state.invitations.set(fresh.id, stored);
      addEntries(state, entries);
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
    async standing({ organizationId, emails }) {
      return [...new Set(emails)].flatMap((email) => standing(organizationId, email) ?? []);
    },
    async list({ organizationId, state: wanted, offset, limit }) {
      const all = [...state.invitations.values()]
        .filter((invitation) => invitation.organizationId === organizationId)
        .filter((invitation) => wanted === undefined || listedState(invitation) === wanted)
        .sort(
          (one, other) =>
            other.createdAt.getTime() - one.createdAt.getTime() || compareTexts(other.id, one.id),
        )
        .map((invitation) => ({ ...invitation, inviter: namedUser(state, invitation.invitedBy) }));
      return { total: all.length, invitations: all.slice(offset, offset + limit) };
    },
    async revoke({ organizationId, invitationId, at }, buildEntries) {
      const invitation = pendingOrWhyNot(organizationId, invitationId);
      if (typeof invitation === 'string') return invitation;
      const revoked = { ...invitation, revokedAt: at };
      const entries = buildEntries?.(revoked);
      state.invitations.set(invitationId, revoked);
      addEntries(state, entries);
      return revoked;
    },
    async renew({ organizationId, invitationId, retiredUuid, fresh }, buildEntries) {
      const invitation = pendingOrWhyNot(organizationId, invitationId);
      if (typeof invitation === 'string') return invitation;
      if (isMember(invitation)) return 'already-member';
      const renewed = { ...invitation, ...fresh };
      const entries = buildEntries?.(renewed);
      const retired = { ...invitation, userUuid: retiredUuid, revokedAt: fresh.createdAt };
      state.invitations.set(invitationId, retired);
      state.invitations.set(fresh.id, renewed);
      addEntries(state, entries);
      return renewed;
    },
  };
}

function memoryLoginLinks(state: State): LoginLinks {
  return {
    async store({ hash, ...fresh }, buildEntries) {
      const link = { ...fresh, redeemedAt: null };
      const entries = buildEntries?.(link);
      state.loginLinks.set(hash, link);
      addEntries(state, entries);
    },
    async find(hash) {
      return state.loginLinks.get(hash) ?? null;
    },
    async redeem({ hash, at }, buildEntries) {
      const link = state.loginLinks.get(hash);
      if (link === undefined || link.redeemedAt !== null || link.expiresAt <= at) return false;
      const redeemed = { ...link, redeemedAt: at };
      const entries = buildEntries?.(redeemed);
      state.loginLinks.set(hash, redeemed);
      addEntries(state, entries);
      return true;
    },
  };
}

function memorySessions(state: State): Sessions {
  return {
    async open({ hash, userId, boundTo, openedAt, passwordHash }) {
      if (passwordHash !== null && state.users.get(userId)?.passwordHash !== passwordHash) return false;
      state.sessions.set(hash, { userId, boundTo, openedAt, seenAt: openedAt });
      return true;
    },
    async find(hash) {
      const session = state.sessions.get(hash);
      if (session === undefined) return null;
      const { userId, ...rest } = session;
      return { user: shownUser(existing(state.users.get(userId))), ...rest };
    },
    async touch({ hash, at }) {
      const session = state.sessions.get(hash);
      if (session !== undefined && session.seenAt < at) state.sessions.set(hash, { ...session, seenAt: at });
    },
    async close(hash) {
      state.sessions.delete(hash);
    },
  };
}

function memoryCalendarFeeds(state: State): CalendarFeeds {
  const keyOf = ({ organizationId, userId }: Pick<CalendarFeed, 'organizationId' | 'userId'>): string =>
    `${organizationId}/${userId}`;
  const shown = (feed: (CalendarFeed & { readonly hash: string }) | undefined): CalendarFeed | null => {
    const isAlive = feed !== undefined && state.memberships.some((stored) => isSame(stored, feed));
    if (!isAlive) return null;
    const { hash, ...rest } = feed;
    return rest;
  };
  return {
    async open(feed) {
      if (!state.memberships.some((stored) => isSame(stored, feed))) return false;
      state.calendarFeeds.set(keyOf(feed), feed);
      return true;
    },
    async find(hash) {
      return shown([...state.calendarFeeds.values()].find((feed) => feed.hash === hash));
    },
    async of(member) {
      return shown(state.calendarFeeds.get(keyOf(member)));
    },
    async revoke(member) {
      return state.calendarFeeds.delete(keyOf(member));
    },
  };
}

function memoryMeetings(state: State): Meetings {
  const visible = (organizationId: number, meetingId: number): DatasetMeeting | null => {
    const meeting = state.meetings.get(meetingId);
    if (meeting === undefined) return null;
    return meeting.organizationId === null || meeting.organizationId === organizationId ? meeting : null;
  };
  const upcoming = ({ organizationId, now }: MemberAt, meetingId: number): DatasetMeeting | null => {
    const meeting = visible(organizationId, meetingId);
    return meeting !== null && isUpcoming(meeting, now) ? meeting : null;
  };
  const places = (member: MemberAt): Places => {
    const registered = [...state.registrations.values()].flatMap(({ meetingId, userId, registeredAt }) => {
      const meeting = userId === member.userId ? upcoming(member, meetingId) : null;
      return meeting === null ? [] : [{ meetingId, startTime: meeting.startTime, registeredAt }];
    });
    const waiting = [...state.waitingPlaces.values()].flatMap(({ meetingId, userId, status }) => {
      const meeting = userId === member.userId ? upcoming(member, meetingId) : null;
      return meeting?.waitList ? [{ meetingId, startTime: meeting.startTime, status }] : [];
    });
    return { registered, waiting };
  };
  return {
    places: async (member) => places(member),
    async placesOf({ organizationId, idpId, now, page }) {
      const member = state.memberships.find(
        (candidate) => candidate.organizationId === organizationId && candidate.idpId === idpId,
      );
      if (member === undefined) return null;
      const found = places({ organizationId, userId: member.userId, now });
      const ids = new Set([...found.registered, ...found.waiting].map(({ meetingId }) => meetingId));
      const inOrder = [...state.meetings.values()].filter(({ id }) => ids.has(id)).sort(byStart);
      const shown = inOrder.slice(page.offset, page.offset + page.limit);
      return { ...found, details: shown.map((meeting) => details(state, meeting)) };
    },
    async seatsSince({ organizationId, userId, endsAfter }) {
      return [...state.registrations.values()].flatMap(({ meetingId, userId: seated, registeredAt }) => {
        const meeting = seated === userId ? visible(organizationId, meetingId) : null;
        if (meeting === null || meeting.endTime <= endsAfter || meeting.status === cancelStatus) return [];
        return [{ meetingId, startTime: meeting.startTime, registeredAt }];
      });
    },
    async summarize({ organizationId, withServiceMeetings, ranges }) {
      const all = { organizationId, withServiceMeetings, eapOnly: false, state: 'any' } as const;
      return ranges.map((starts) => {
        const found = [...state.meetings.values()].filter(
          (meeting) =>
            meeting.status !== cancelStatus && isSelected(meeting, { ...all, starts, now: starts.from }),
        );
        const sum = (of: (meeting: DatasetMeeting) => number): number =>
          found.reduce((total, meeting) => total + of(meeting), 0);
        return {
          meetings: found.length,
          seatsOffered: sum(({ maxAttendees }) => maxAttendees),
          seatsTaken: sum((meeting) => details(state, meeting).registeredAttendees),
        };
      });
    },
    async details({ organizationId, ids }) {
      return ids.flatMap((id) => {
        const meeting = visible(organizationId, id);
        return meeting === null ? [] : [details(state, meeting)];
      });
    },
    async export({ selection, columns, form, page }) {
      const selected = [...state.meetings.values()]
        .filter((meeting) => isSelected(meeting, selection))
        .sort(byStart);
      const rows = page === null ? selected : selected.slice(page.offset, page.offset + page.limit);
      const chunks = utf8(encodeRows(rows, { columns, form }));
      return { total: page === null ? null : selected.length, chunks };
    },
  };
}

function byStart(one: DatasetMeeting, other: DatasetMeeting): number {
  return one.startTime.getTime() - other.startTime.getTime() || one.id - other.id;
}

function details(state: State, meeting: DatasetMeeting) {
  const { id, name, startTime, endTime, topic, description, location, maxAttendees, groupLeaderId } = meeting;
  const leader = groupLeaderId === null ? undefined : state.users.get(groupLeaderId);
  const registeredAttendees = [...state.registrations.values()].filter(
    ({ meetingId, userId }) => meetingId === id && userId !== groupLeaderId,
  ).length;
  const groupLeader =
    leader === undefined
      ? null
      : { id: leader.id, firstName: leader.firstName, lastName: leader.lastName, avatar: leader.avatar };
  return {
    id,
    name,
    startTime,
    endTime,
    topic,
    description,
    location,
    maxAttendees,
    registeredAttendees,
    groupLeader,
  };
}

function memoryWebhooks(state: State): Webhooks {
  return {
    async of(organizationId) {
      return state.webhooks.get(organizationId) ?? null;
    },
    async configure(organizationId, decide, buildEntries) {
      const current = state.webhooks.get(organizationId) ?? null;
      const settings = decide(current);
      const webhook = { id: current?.id ?? nextId(state), organizationId, ...settings };
      const entries = buildEntries?.(webhook);
      state.webhooks.set(organizationId, webhook);
      addEntries(state, entries);
      return webhook;
    },
    async health(organizationId) {
      const { noticed, ...health } = healthOf(state, organizationId);
      return health;
    },
    async takeFailureNotice({ organizationId, steps }) {
      const { noticed, ...health } = healthOf(state, organizationId);
      const step = Math.max(0, ...steps.filter((one) => one <= health.failuresInRow));
      if (step <= noticed) return null;
      state.healths.set(organizationId, { ...health, noticed: step });
      return health;
    },
  };
}

function healthOf(state: State, organizationId: number): WebhookHealth & { readonly noticed: number } {
  const none = { failuresInRow: 0, failingSince: null, lastDeliveredAt: null, noticed: 0 };
  return state.healths.get(organizationId) ?? none;
}

/** Only an organization with a webhook has a health. */
function countOutcome(
  state: State,
  { organizationId, isTest, state: outcome }: StoredDelivery,
  at: Date,
): void {
  if (isTest || outcome === 'skipped' || !state.webhooks.has(organizationId)) return;
  const before = healthOf(state, organizationId);
  const after =
    outcome === 'delivered'
      ? { failuresInRow: 0, failingSince: null, lastDeliveredAt: at, noticed: 0 }
      : { ...before, failuresInRow: before.failuresInRow + 1, failingSince: before.failingSince ?? at };
  state.healths.set(organizationId, after);
}

function memoryOutbox(state: State): Outbox {
  const all = (): readonly StoredDelivery[] =>
    [...state.deliveries.values()].sort((one, other) => one.id - other.id);
  /** When each organization had its last turn, as a count of turns. */
  const turns = new Map<number, number>();
  let turn = 0;
  return {
    async claim({ limit, perOrganization, claim, at }) {
      const underWay = new Map<number, number>();
      for (const { organizationId } of all().filter((delivery) => delivery.state === 'sending')) {
        underWay.set(organizationId, (underWay.get(organizationId) ?? 0) + 1);
      }
      const pending = new Map<number, StoredDelivery[]>();
      for (const delivery of all().filter(({ state: now }) => now === 'pending')) {
        const own = pending.get(delivery.organizationId);
        if (own === undefined) pending.set(delivery.organizationId, [delivery]);
        else own.push(delivery);
      }
      const claimed: StoredDelivery[] = [];
      while (claimed.length < limit) {
        const [next] = [...pending.keys()]
          .filter((id) => (underWay.get(id) ?? 0) < perOrganization)
          .sort((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0));
        const delivery = next === undefined ? undefined : pending.get(next)?.shift();
        if (next === undefined || delivery === undefined) break;
        if (pending.get(next)?.length === 0) pending.delete(next);
        turn += 1;
        turns.set(next, turn);
        underWay.set(next, (underWay.get(next) ?? 0) + 1);
        Object.assign(delivery, { state: 'sending', claim, claimedAt: at, claims: delivery.claims + 1 });
        claimed.push(delivery);
      }
      claimed.sort((one, other) => one.id - other.id);
      return claimed.map((delivery) => shownClaim(delivery, claim));
    },
    async startTest({ event, claim, at }, buildEntries) {
      const isBusy = all().some(
        ({ organizationId, isTest, state: now }) =>
          organizationId === event.organizationId && isTest && now === 'sending',
      );
      if (isBusy) return null;
      const delivery = addDelivery(state, event, true);
      Object.assign(delivery, { state: 'sending', claim, claimedAt: at, claims: 1 });
      addEntries(state, buildEntries?.(shownClaim(delivery, claim)));
      return shownClaim(delivery, claim);
    },
    async finish({ deliveryId, claim, state: final, attempt, at }) {
      const delivery = state.deliveries.get(deliveryId);
      if (delivery?.state !== 'sending' || delivery.claim !== claim) return false;
      const attempts = attempt === null ? delivery.attempts : [...delivery.attempts, attempt];
      Object.assign(delivery, { state: final, claim: null, claimedAt: null, finishedAt: at, attempts });
      countOutcome(state, delivery, at);
      return true;
    },
    async sweep({ olderThanMs, maxClaims, at }) {
      const isOld = (claimedAt: Date): boolean =>
        olderThanMs === null || at.getTime() - claimedAt.getTime() > olderThanMs;
      const cutOff = all().filter(
        ({ state: now, claimedAt }) => now === 'sending' && claimedAt !== null && isOld(claimedAt),
      );
      const isLast = ({ claims }: StoredDelivery): boolean => claims >= maxClaims;
      const failed = cutOff.filter(isLast).length;
      for (const delivery of cutOff) {
        const attempts = [...delivery.attempts, interrupted(delivery.claimedAt ?? at)];
        const end = isLast(delivery)
          ? { state: 'failed', finishedAt: at }
          : { state: 'pending', finishedAt: null };
        Object.assign(delivery, { ...end, claim: null, claimedAt: null, attempts });
      }
      return { again: cutOff.length - failed, failed };
    },
    async hold() {
      const waiting = all().filter(({ state: now }) => now === 'pending' || now === 'sending');
      for (const delivery of waiting)
        Object.assign(delivery, { state: 'held', claim: null, claimedAt: null, finishedAt: null });
      return waiting.length;
    },
  };
}

function shownClaim(delivery: StoredDelivery, claim: string): ClaimedDelivery {
  const { id, organizationId, eventId, eventName, body, isTest } = delivery;
  return { deliveryId: id, claim, organizationId, eventId, eventName, body, isTest };
}

/** The record of an attempt that a crash cut off. */
function interrupted(startedAt: Date): Attempt {
  const reason = 'cut off before an outcome was known';
  return { startedAt, duration: null, outcome: 'interrupted', phase: null, status: null, reason };
}

function memoryDeliveries(state: State): Deliveries {
  const shown = ({ claim, claimedAt, claims, ...delivery }: StoredDelivery): Delivery => delivery;
  const ofOrganization = (organizationId: number | null): readonly StoredDelivery[] =>
    [...state.deliveries.values()].filter(
      (delivery) => organizationId === null || delivery.organizationId === organizationId,
    );
  const find = (organizationId: number | null, deliveryId: number): StoredDelivery | null =>
    ofOrganization(organizationId).find(({ id }) => id === deliveryId) ?? null;
  const again = { state: 'pending', finishedAt: null, claims: 0, isDropped: false } as const;
  const matching = (selection: DeliverySelection): readonly StoredDelivery[] =>
    ofOrganization(selection.organizationId).filter((delivery) => isMatching(delivery, selection));
  const changeAll = (
    changed: readonly StoredDelivery[],
    change: Partial<StoredDelivery>,
    buildEntries: BuildAuditEntries<{ readonly organizationId: number; readonly count: number }> | undefined,
  ): number => {
    const organizations = new Set(changed.map((delivery) => delivery.organizationId));
    const entries = [...organizations].flatMap((id) => {
      const own = changed.filter((delivery) => delivery.organizationId === id);
      return buildEntries?.({ organizationId: id, count: own.length }) ?? [];
    });
    for (const delivery of changed) Object.assign(delivery, change);
    addEntries(state, entries);
    return changed.length;
  };
  return {
    async find({ organizationId, deliveryId }) {
      const delivery = find(organizationId, deliveryId);
      return delivery === null ? null : shown(delivery);
    },
    async list({ organizationId, state: wanted, since, until, eventId, isTest, olderThan, limit }) {
      return ofOrganization(organizationId)
        .filter((delivery) => wanted === undefined || delivery.state === wanted)
        .filter(({ createdAt }) => since === undefined || createdAt >= since)
        .filter(({ createdAt }) => until === undefined || createdAt < until)
        .filter((delivery) => eventId === undefined || delivery.eventId === eventId)
        .filter((delivery) => isTest === undefined || delivery.isTest === isTest)
        .filter((delivery) => olderThan === undefined || newestFirst(olderThan, delivery) < 0)
        .sort(newestFirst)
        .slice(0, limit)
        .map(shown);
    },
    async redeliver({ organizationId, deliveryId }, buildEntries) {
      const delivery = find(organizationId, deliveryId);
      if (delivery === null) return false;
      const isFinal = delivery.state !== 'pending' && delivery.state !== 'sending';
      if (!isFinal) return true;
      const entries = buildEntries?.(delivery);
      Object.assign(delivery, again);
      addEntries(state, entries);
      return true;
    },
    async count(selection) {
      return matching(selection).length;
    },
    async redeliverMatching(selection, buildEntries) {
      return changeAll(matching(selection), again, buildEntries);
    },
    async dropHeld({ at, ...request }, buildEntries) {
      const dropped = { state: 'skipped', finishedAt: at, isDropped: true } as const;
      return changeAll(matching({ ...request, states: ['held'] }), dropped, buildEntries);
    },
  };
}

function isMatching(
  { state, isTest, createdAt, attempts }: StoredDelivery,
  { states, since, until, phase, status, reason }: DeliverySelection,
): boolean {
  const last = attempts.at(-1);
  const has = (text: string | undefined): boolean =>
    text !== undefined && reason !== undefined && inAsciiLowerCase(text).includes(inAsciiLowerCase(reason));
  return (
    !isTest &&
    states.some((one) => one === state) &&
    (since === undefined || createdAt >= since) &&
    (until === undefined || createdAt < until) &&
    (phase === undefined || last?.phase === phase) &&
    (status === undefined || last?.status === status) &&
    (reason === undefined || has(last?.outcome) || has(last?.reason))
  );
}

function inAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function memoryAuditTrail(state: State): AuditTrail {
  return {
    async record(entry) {
      addEntries(state, [entry]);
    },
    async list({ organizationId, offset, limit }) {
      const all = [...state.auditEntries.values()]
        .filter((entry) => entry.organizationId === organizationId)
        .sort((one, other) => other.at.getTime() - one.at.getTime() || other.id - one.id)
        .map((entry) => ({ ...entry, user: namedUser(state, entry.actor.who) }));
      return { total: all.length, entries: all.slice(offset, offset + limit) };
    },
  };
}

function addEntries(state: State, entries: readonly NewAuditEntry[] = []): void {
  for (const { organizationId, at, actor, action, subject } of entries) {
    const id = nextId(state);
    state.auditEntries.set(id, { id, organizationId, at, actor, action, subject });
  }
}

function namedUser(state: State, who: Who | null): NamedUser | null {
  const user = who?.kind === 'user' ? state.users.get(who.userId) : undefined;
  if (user === undefined) return null;
  const { id, email, firstName, lastName } = user;
  return { id, email, firstName, lastName };
}

function shownOrganization({ id, name, eap, timeZone, accessKeyGeneration }: Organization): Organization {
  return { id, name, eap, timeZone, accessKeyGeneration };
}

type Placed = Pick<Delivery, 'id' | 'createdAt'>;

function newestFirst(one: Placed, other: Placed): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || other.id - one.id;
}

function addDelivery(
  state: State,
  { id, name, organizationId, body, createdAt }: NewEvent,
  isTest = false,
): StoredDelivery {
  const delivery: StoredDelivery = {
    id: nextId(state),
    organizationId,
    eventId: id,
    eventName: name,
    body,
    isTest,
    createdAt,
    state: 'pending',
    finishedAt: null,
    isDropped: false,
    claim: null,
    claimedAt: null,
    claims: 0,
    attempts: [],
  };
  state.deliveries.set(delivery.id, delivery);
  return delivery;
}

function shownUser({ id, uuid, email, firstName, lastName, avatar, createdAt }: User): User {
  return { id, uuid, email, firstName, lastName, avatar, createdAt };
}

function shownMember(state: State, { organizationId, userId, uuid, role, idpId }: StoredMembership): Member {
  return { organizationId, user: shownUser(existing(state.users.get(userId))), uuid, role, idpId };
}

function userByEmail(state: State, email: string): StoredUser | undefined {
  return [...state.users.values()].find((user) => user.email === email);
}

function isPending(invitation: Invitation): boolean {
  return invitationState(invitation) === 'pending';
}

function isSame(
  one: { readonly organizationId: number; readonly userId: number },
  other: { readonly organizationId: number; readonly userId: number },
): boolean {
  return one.organizationId === other.organizationId && one.userId === other.userId;
}

function placeKey({ meetingId, userId }: { readonly meetingId: number; readonly userId: number }): string {
  return `${meetingId}/${userId}`;
}

function nextId(state: State): number {
  state.lastId += 1;
  return state.lastId;
}

function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('There is no such record');
  return value;
}

async function* utf8(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const text of texts) yield encoder.encode(text);
}
