import type { NewAuditEntry } from '../../access/ports/audit-trail.js';
import { readEmailChange } from '../../users/email-change.js';
import { erasedBody, erasedSubject, hostNames, mentionsAddress } from '../../users/personal-data.js';
import type {
  ErasedPerson,
  ErasePerson,
  NotErased,
  PersonalData,
  PersonalRecord,
  PersonKey,
} from '../../users/ports/personal-data.js';
import { normalizeEmail } from '../../values/email.js';
import type { NewEvent } from '../../webhooks/events.js';
import { compareTexts } from './compare-texts.js';
import { recordedDelivery } from './deliveries.js';
import { isPending } from './invitations.js';
import { writeJournal } from './journal.js';
import { startMeetingChange } from './meeting-changes.js';
import { toMember } from './memberships.js';
import { toOrganization } from './organizations.js';
import { withoutPerson } from './outbox.js';
import { secondFactorOf } from './second-factor-of.js';
import {
  deleteWhere,
  existing,
  membershipIn,
  membershipOf,
  type State,
  type StoredDelivery,
  type StoredDirectoryPerson,
  type StoredMembership,
  type StoredUser,
} from './state.js';
import { toUser, userByEmail } from './users.js';

export function memoryPersonalData(state: State): PersonalData {
  return {
    async read(person) {
      const traces = tracesOf(state, person);
      const record = traces && recordOf(state, traces);
      return record === null || isEmpty(record) ? null : record;
    },
    async erase(request, journal) {
      const traces = tracesOf(state, request.person);
      const record = traces && recordOf(state, traces);
      if (traces === null || record === null || isEmpty(record)) return 'unknown';
      const reason = reasonToKeep(record, request);
      if (reason !== null) return reason;
      const erased: ErasedPerson = {
        organizationIds: record.organizations.map(({ id }) => id),
        withoutOwner: record.memberships.flatMap(({ organizationId, isOnlyOwner }) =>
          isOnlyOwner ? [organizationId] : [],
        ),
      };
      const ended = record.memberships.flatMap(({ organizationId }) => {
        const membership = membershipOf(state, { organizationId, userId: traces.user?.id });
        const organization = toOrganization(existing(state.organizations.get(organizationId)));
        return membership === undefined ? [] : [{ organization, member: toMember(state, membership) }];
      });
      writeJournal(state, journal?.({ ...erased, ended }), () =>
        erase(state, { traces, erased, at: request.at }),
      );
      return erased;
    },
  };
}

interface Owned {
  readonly userId: number;
}

/** What identifies the person in other records. */
interface Traces {
  readonly user: StoredUser | undefined;
  readonly emails: readonly string[];
  readonly uuids: readonly string[];
}

function tracesOf(state: State, person: PersonKey): Traces | null {
  const invitations = [...state.invitations.values()];
  const byUuid = (uuid: string): string | undefined => {
    const membership = state.memberships.find((stored) => stored.uuid === uuid);
    const user =
      [...state.users.values()].find((stored) => stored.uuid === uuid) ??
      state.users.get(membership?.userId ?? 0);
    const directory = [...state.directoryPeople.values()].find((stored) => stored.uuid === uuid);
    return (
      user?.email ??
      invitations.find(({ userUuid }) => userUuid === uuid)?.email ??
      state.users.get(directory?.kept?.userId ?? 0)?.email ??
      (directory?.entry == null
        ? undefined
        : normalizeEmail(directory.entry.email ?? directory.entry.userName))
    );
  };
  const email = 'email' in person ? person.email : byUuid(person.uuid);
  if (email === undefined) return null;
  const user = userByEmail(state, email);
  const memberships = state.memberships.filter(({ userId }) => userId === user?.id);
  const kept = [...state.directoryPeople.values()].filter(
    (stored) => user !== undefined && stored.kept?.userId === user.id,
  );
  const own = [
    ...(user === undefined ? [] : [user.uuid]),
    ...[...memberships, ...kept].map(({ uuid }) => uuid),
  ];
  const isFree = (address: string): boolean => userByEmail(state, address) === undefined;
  const emails = [email];
  for (const address of emails) {
    for (const { action, subject } of state.auditEntries.values()) {
      const change = action === 'email-changed' ? readEmailChange(subject ?? '') : null;
      if (change?.to === address && isFree(change.from) && !emails.includes(change.from))
        emails.push(change.from);
    }
  }
  for (const invitation of invitations) {
    const isOwn = own.includes(invitation.userUuid);
    if (isOwn && isFree(invitation.email) && !emails.includes(invitation.email))
      emails.push(invitation.email);
  }
  const invited = invitations.filter((one) => emails.includes(one.email) || own.includes(one.userUuid));
  return { user, emails, uuids: [...new Set([...own, ...invited.map(({ userUuid }) => userUuid)])] };
}

/** Whether the event tells of the person. An address can have belonged to another user before. */
function isAbout(state: State, { user, emails, uuids }: Traces): (event: Pick<NewEvent, 'about'>) => boolean {
  return ({ about }) =>
    about !== undefined &&
    (about.id === user?.id ||
      uuids.includes(about.uuid) ||
      (emails.includes(about.email) && !state.users.has(about.id)));
}

function recordOf(state: State, traces: Traces): PersonalRecord {
  const { user, emails, uuids } = traces;
  const isOwn = ({ userId }: Owned): boolean => userId === user?.id;
  const meetingOf = (meetingId: number) => {
    const { id, organizationId, name, startTime } = existing(state.meetings.get(meetingId));
    return { id, organizationId, name, startTime };
  };
  const memberships = state.memberships
    .filter(isOwn)
    .sort((one, other) => one.organizationId - other.organizationId)
    .map((membership) => {
      const { organizationId, uuid, role, idpId, joinedAt } = membership;
      return { organizationId, uuid, role, idpId, joinedAt, isOnlyOwner: isOnlyOwner(state, membership) };
    });
  const invitations = [...state.invitations.values()]
    .filter(({ userUuid }) => uuids.includes(userUuid))
    .sort(byTime(({ createdAt }) => createdAt));
  const isPerson = (who: { readonly kind: string; readonly userId?: number } | null): boolean =>
    who?.kind === 'user' && who.userId === user?.id;
  const auditEntries = [...state.auditEntries.values()]
    .filter((entry) => isPerson(entry.actor.who) || isAboutPerson(entry, traces))
    .sort(byTime(({ at }) => at))
    .map(({ organizationId, at, action, subject, actor }) => {
      const isActor = isPerson(actor.who);
      return { organizationId, at, action, subject, isActor, from: isActor ? actor.from : null };
    });
  const events = [...state.events.values()]
    .flat()
    .filter(isAbout(state, traces))
    .sort(byTime(({ createdAt }) => createdAt))
    .map(({ position, about, ...event }) => event);
  const deliveries = deliveriesOf(state, traces).map(recordedDelivery);
  const directoryEntries = directoryPeopleOf(state, traces).flatMap(({ organizationId, uuid, entry }) =>
    entry === null ? [] : { organizationId, uuid, ...entry },
  );
  const organizationIds = new Set(
    [memberships, invitations, directoryEntries, auditEntries, events, deliveries].flatMap((rows) =>
      rows.map(({ organizationId }) => organizationId),
    ),
  );
  return {
    account:
      user === undefined
        ? null
        : { ...toUser(user), hasPassword: user.passwordHash !== null, signedInAt: user.signedInAt ?? null },
    emails,
    organizations: [...organizationIds]
      .sort((one, other) => one - other)
      .map((id) => ({ id, name: existing(state.organizations.get(id)).name })),
    memberships,
    invitations,
    sentInvitations: [...state.invitations.values()].filter(({ invitedBy }) => isPerson(invitedBy)).length,
    sessions: [...state.sessions.values()]
      .filter(isOwn)
      .sort(byTime(({ createdAt }) => createdAt))
      .map(({ boundTo, startedBy, hasSecondFactor, createdAt, seenAt, device }) => ({
        ...{ boundTo, startedBy, hasSecondFactor, createdAt, seenAt, device },
      })),
    identities: [...state.identities.values()]
      .filter(isOwn)
      .sort((one, other) => one.organizationId - other.organizationId)
      .map(({ userId: _userId, ...identity }) => identity),
    secondFactor: ownSecondFactor(state, user?.id ?? 0),
    directoryEntries,
    loginLinks: [...state.loginLinks.values()]
      .filter(isOwn)
      .sort(byTime(({ createdAt }) => createdAt))
      .map(({ organizationId, createdAt, expiresAt, redeemedAt }) => ({
        ...{ organizationId, createdAt, expiresAt, redeemedAt },
      })),
    mails: [...state.mails.values()]
      .filter(({ email }) => emails.includes(email))
      .sort(byTime(({ createdAt }) => createdAt))
      .map(({ kind, email, createdAt }) => ({ kind, email, createdAt })),
    calendarFeeds: [...state.calendarFeeds.values()]
      .filter((feed) => isOwn(feed) && memberships.some((one) => one.organizationId === feed.organizationId))
      .sort((one, other) => one.organizationId - other.organizationId)
      .map(({ organizationId, createdAt }) => ({ organizationId, createdAt })),
    registrations: [...state.registrations.values()]
      .filter(isOwn)
      .map(({ meetingId, registeredAt }) => ({ meeting: meetingOf(meetingId), registeredAt }))
      .sort(byMeeting(({ meeting }) => meeting)),
    waitingPlaces: [...state.waitingPlaces.values()]
      .filter(isOwn)
      .map(({ meetingId, status, createdAt, offeredUntil = null }) => ({
        ...{ meeting: meetingOf(meetingId), status, createdAt, offeredUntil },
      }))
      .sort(byMeeting(({ meeting }) => meeting)),
    ledMeetings: [...state.meetings.values()]
      .filter(({ groupLeaderId }) => user !== undefined && groupLeaderId === user.id)
      .map(({ id }) => meetingOf(id))
      .sort(byMeeting((meeting) => meeting)),
    auditEntries,
    events,
    deliveries,
  };
}

function ownSecondFactor(state: State, userId: number): PersonalRecord['secondFactor'] {
  const { passkeys, code, recoveryCodes } = secondFactorOf(state, userId);
  return {
    passkeys: passkeys.map(({ name, isBackedUp, createdAt, usedAt }) => ({
      ...{ name, isBackedUp, createdAt, usedAt },
    })),
    codesSince: code?.confirmedAt ?? null,
    recoveryCodes,
  };
}

/** What directories say about the person; also that they have removed the person. */
function directoryPeopleOf(state: State, { user, emails, uuids }: Traces): readonly StoredDirectoryPerson[] {
  const isOfOther = ({ organizationId, uuid, kept }: StoredDirectoryPerson): boolean => {
    const holder = kept ?? membershipIn(state, organizationId, (stored) => stored.uuid === uuid);
    return holder !== undefined && holder.userId !== user?.id;
  };
  return [...state.directoryPeople.values()]
    .filter((stored) => {
      if (isOfOther(stored)) return false;
      if (uuids.includes(stored.uuid) || (user !== undefined && stored.kept?.userId === user.id)) return true;
      return [stored.entry?.email, stored.entry?.userName].some(
        (text) => text != null && emails.includes(normalizeEmail(text)),
      );
    })
    .sort((one, other) => one.organizationId - other.organizationId || compareTexts(one.uuid, other.uuid));
}

/** Whether an audit entry concerns the person. */
function isAboutPerson(
  { subject, aboutUserId }: Omit<NewAuditEntry, 'at'>,
  { user, emails }: Traces,
): boolean {
  return (user !== undefined && aboutUserId === user.id) || mentionsAddress(subject ?? '', emails);
}

function byTime<Row>(of: (row: Row) => Date): (one: Row, other: Row) => number {
  return (one, other) => of(one).getTime() - of(other).getTime();
}

function byMeeting<Row>(of: (row: Row) => { readonly id: number; readonly startTime: Date }) {
  return (one: Row, other: Row): number =>
    of(one).startTime.getTime() - of(other).startTime.getTime() || of(one).id - of(other).id;
}

function deliveriesOf(state: State, traces: Traces): readonly StoredDelivery[] {
  return [...state.deliveries.values()]
    .filter(isAbout(state, traces))
    .sort(byTime(({ createdAt }) => createdAt));
}

function isOnlyOwner(state: State, { organizationId, role, userId }: StoredMembership): boolean {
  return (
    role === 'owner' &&
    membershipIn(state, organizationId, (other) => other.role === 'owner' && other.userId !== userId) ===
      undefined
  );
}

function isEmpty({ account, ...record }: PersonalRecord): boolean {
  const { invitations, directoryEntries, auditEntries, events, deliveries } = record;
  return (
    account === null &&
    [invitations, directoryEntries, auditEntries, events, deliveries].every(({ length }) => length === 0)
  );
}

function reasonToKeep(record: PersonalRecord, { onlyOf, mayLeaveNoOwner }: ErasePerson): NotErased | null {
  if (onlyOf !== undefined) {
    const membership = record.memberships.find(({ organizationId }) => organizationId === onlyOf);
    if (membership === undefined) return 'unknown';
    if (membership.role === 'owner') return 'is-owner';
    const isElsewhere = (organizationId: number | null): boolean =>
      organizationId !== null && organizationId !== onlyOf;
    const isUsedElsewhere =
      [...record.memberships, ...record.directoryEntries].some(({ organizationId }) =>
        isElsewhere(organizationId),
      ) ||
      record.invitations.some((one) => isPending(one) && isElsewhere(one.organizationId)) ||
      [...record.registrations, ...record.waitingPlaces].some(({ meeting }) =>
        isElsewhere(meeting.organizationId),
      ) ||
      record.ledMeetings.some(({ organizationId }) => organizationId !== onlyOf);
    if (isUsedElsewhere) return 'in-other-organization';
  }
  const lastOwnerOf = record.memberships.flatMap(({ organizationId, isOnlyOwner }) =>
    isOnlyOwner ? [organizationId] : [],
  );
  return lastOwnerOf.length > 0 && !mayLeaveNoOwner ? { lastOwnerOf } : null;
}

function erase(
  state: State,
  { traces, erased, at }: { readonly traces: Traces; readonly erased: ErasedPerson; readonly at: Date },
): void {
  const { user, emails, uuids } = traces;
  eraseEvents(state, { traces, at });
  for (const [id, entry] of state.auditEntries) {
    const isActor = entry.actor.who.kind === 'user' && entry.actor.who.userId === user?.id;
    const actor = isActor ? { who: { kind: 'user', userId: 0 } as const, from: null } : entry.actor;
    const subject =
      entry.subject === null ? null : erasedSubject({ ...entry, subject: entry.subject }, emails);
    const isAbout = isAboutPerson(entry, traces);
    const { aboutUserId, objectId } = isAbout ? {} : entry;
    state.auditEntries.set(id, { ...entry, actor, subject, aboutUserId, objectId });
  }
  for (const [id, invitation] of state.invitations) {
    if (uuids.includes(invitation.userUuid)) state.invitations.delete(id);
    else if (invitation.invitedBy?.kind === 'user' && invitation.invitedBy.userId === user?.id)
      state.invitations.set(id, { ...invitation, invitedBy: { kind: 'user', userId: 0 } });
  }
  for (const key of state.idempotentCalls.keys()) {
    const [organizationId] = JSON.parse(key) as [number];
    const isDone = state.idempotentCalls.get(key)?.encryptedAnswer !== null;
    if (isDone && erased.organizationIds.includes(organizationId)) state.idempotentCalls.delete(key);
  }
  for (const { organizationId, uuid } of directoryPeopleOf(state, traces)) {
    state.directoryPeople.delete(`${organizationId}/${uuid}`);
    const requests = state.directoryRequests.get(organizationId) ?? [];
    state.directoryRequests.set(
      organizationId,
      requests.map((request) => (request.uuid === uuid ? { ...request, uuid: null } : request)),
    );
  }
  deleteWhere(state.mails, ({ email }) => emails.includes(email));
  if (user !== undefined) eraseAccount(state, { user, at });
}

function eraseEvents(state: State, { traces, at }: { readonly traces: Traces; readonly at: Date }): void {
  const isOwn = isAbout(state, traces);
  for (const [organizationId, events] of state.events) {
    const erased = events.map((event) =>
      isOwn(event) ? { ...event, body: erasedBody(event.body), about: undefined } : event,
    );
    state.events.set(organizationId, erased);
  }
  for (const delivery of state.deliveries.values()) {
    if (isOwn(delivery)) {
      const isWaiting = delivery.state === 'pending' || delivery.state === 'held';
      Object.assign(delivery, {
        body: erasedBody(delivery.body),
        about: undefined,
        isErased: true,
        attempts: delivery.attempts.map(withoutPerson),
        ...(isWaiting ? { state: 'skipped', isDropped: true, finishedAt: at } : {}),
      });
    }
    const attempts = delivery.attempts.map((attempt) =>
      mentionsAddress(JSON.stringify(attempt.response), traces.emails)
        ? { ...attempt, response: null }
        : attempt,
    );
    Object.assign(delivery, { attempts });
  }
}

function eraseAccount(state: State, { user, at }: { readonly user: StoredUser; readonly at: Date }): void {
  for (const { meetingId, userId } of state.registrations.values()) {
    const meeting = existing(state.meetings.get(meetingId));
    if (userId !== user.id || meeting.groupLeaderId === userId || meeting.endTime > at) continue;
    state.erasedSeats.set(meetingId, (state.erasedSeats.get(meetingId) ?? 0) + 1);
  }
  const led = [...state.meetings.values()].filter(({ groupLeaderId }) => groupLeaderId === user.id);
  const recordChanges = startMeetingChange(state, new Set(led.map(({ id }) => id)));
  for (const meeting of led) {
    const host = hostNames(user).includes(meeting.host) ? '' : meeting.host;
    state.meetings.set(meeting.id, { ...meeting, host, groupLeaderId: null, updatedAt: at });
  }
  recordChanges();
  const isOwn = ({ userId }: Owned): boolean => userId === user.id;
  const { sessions, passwordResets, identities, loginLinks, calendarFeeds } = state;
  deleteWhere(state.setupLinks, isOwn);
  for (const [organizationId, { tested, ...signOn }] of state.signOns)
    if (tested?.by === user.id)
      state.signOns.set(organizationId, { ...signOn, tested: { ...tested, by: null } });
  const { registrations, waitingPlaces } = state;
  const access = [sessions, passwordResets, identities, state.passkeys, loginLinks, calendarFeeds];
  for (const rows of [state.codeSecrets, state.recoveryCodes]) rows.delete(user.id);
  for (const rows of [...access, registrations, waitingPlaces])
    deleteWhere(rows as Map<string, Owned>, isOwn);
  state.memberships = state.memberships.filter(({ userId }) => userId !== user.id);
  state.users.delete(user.id);
}
