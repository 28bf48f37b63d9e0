import {
  accountOf,
  directoryKey,
  directoryPerson,
  isSameEntry,
  keptIdpId,
  maxDirectoryRequests,
} from '../../users/directory/directory.js';
import type {
  Directory,
  DirectoryChange,
  DirectoryKey,
  DirectoryPerson,
  NewDirectoryIds,
  NotWritten,
  WrittenEntry,
} from '../../users/ports/directory.js';
import type { Invitation } from '../../users/ports/invitations.js';
import type { Member } from '../../users/ports/members.js';
import { normalizeEmail } from '../../values/email.js';
import { compareTexts } from './compare-texts.js';
import { idpIdConflict, isPending, pendingInvitation } from './invitations.js';
import { writeJournal } from './journal.js';
import { endAccess, endMembership, isLastOwner, register } from './members.js';
import { replaceMembership, toMember } from './memberships.js';
import { toOrganization } from './organizations.js';
import { existing, membershipIn, membershipOf, type State } from './state.js';
import { setEmail, setName, toUser, userByEmail } from './users.js';

type Journaled = Parameters<Directory['change']>[2];

interface Write extends WrittenEntry {
  readonly organizationId: number;
  readonly before: DirectoryPerson | null;
  readonly at: Date;
  readonly ids: NewDirectoryIds;
}

type Done = Omit<DirectoryChange, 'organization' | 'before' | 'person'>;

const nothing: Done = {
  ...{ registered: null, ended: null, invited: null, revoked: null, account: null, signedOut: null },
};

class Refused extends Error {
  readonly reason: NotWritten;

  constructor(reason: NotWritten) {
    super(reason);
    this.reason = reason;
  }
}

export function memoryDirectory(state: State): Directory {
  return {
    async byUuid(key) {
      return personByUuid(state, key);
    },
    async byUserName({ organizationId, userName }) {
      return personBy(state, organizationId, { userName });
    },
    async byExternalId({ organizationId, externalId }) {
      return personBy(state, organizationId, { externalId });
    },
    async byEmail({ organizationId, email }) {
      return personBy(state, organizationId, { email });
    },
    async list({ organizationId, offset, limit }) {
      const people = peopleOf(state, organizationId);
      return { total: people.length, people: people.slice(offset, offset + limit) };
    },
    async listInactive({ organizationId, limit }) {
      return peopleOf(state, organizationId)
        .filter(({ isActive }) => !isActive)
        .map(({ isWritten: _, member: _member, ...person }) => person)
        .sort((one, other) => compareTexts(directoryKey(one.userName), directoryKey(other.userName)))
        .slice(0, limit);
    },
    async counts(organizationId) {
      const people = peopleOf(state, organizationId);
      const members = people.flatMap(({ member }) => member ?? []);
      const others = people.filter(({ member }) => member === null);
      return {
        active: members.length,
        inactive: others.filter(({ isActive }) => !isActive).length,
        withoutIdpId: members.filter(({ idpId }) => idpId === null).length,
        invited: others.filter(({ isActive }) => isActive).length,
      };
    },
    async create(fresh, journal) {
      const { organizationId, entry, account } = fresh;
      if (!state.organizations.has(organizationId)) return 'unknown-organization';
      const { externalId, userName } = entry;
      const known =
        (externalId === null ? null : personBy(state, organizationId, { externalId })) ??
        personBy(state, organizationId, { userName }) ??
        personBy(state, organizationId, { email: account.email });
      const before = known === null || known.isWritten ? null : known;
      return allOrNothing(state, () => writeEntry(state, { ...fresh, before }, journal));
    },
    async change({ organizationId, uuid, at, ids }, decide, journal) {
      const before = personByUuid(state, { organizationId, uuid });
      if (before === null) return 'unknown';
      const write = { ...decide(before), organizationId, before, at, ids };
      return allOrNothing(state, () => writeEntry(state, write, journal));
    },
    async remove({ organizationId, uuid, at }, journal) {
      const before = personByUuid(state, { organizationId, uuid });
      if (before === null) return 'unknown';
      return rolledBack(state, () => {
        const member = before.member ?? memberAgain(state, before);
        const refused = whyNotEnded(state, { ...before, member }, journal);
        if (refused !== null) return refused;
        if (member !== null) endMembership(state, storedOf(state, member), { at, keptRole: 'member' });
        const invitation = invitationOf(state, before);
        const revoked = invitation === undefined ? null : revoke(state, invitation, at);
        const key = keyOf(before);
        const kept = state.directoryPeople.get(key)?.kept ?? null;
        if (kept === null) state.directoryPeople.delete(key);
        else state.directoryPeople.set(key, { organizationId, uuid, entry: null, kept });
        writeChange(state, { before, person: null, done: { ...nothing, ended: member, revoked } }, journal);
        return before;
      });
    },
    async record(request) {
      const { organizationId } = request;
      if (!state.organizations.has(organizationId)) return;
      const requests = [...(state.directoryRequests.get(organizationId) ?? []), request];
      state.directoryRequests.set(
        organizationId,
        newestFirst(requests).slice(0, maxDirectoryRequests).reverse(),
      );
    },
    async requests({ organizationId, limit }) {
      return newestFirst(state.directoryRequests.get(organizationId) ?? []).slice(0, limit);
    },
  };
}

/** Of the same time, the last one first. */
function newestFirst<Row extends { readonly at: Date }>(rows: readonly Row[]): Row[] {
  return [...rows].reverse().sort((one, other) => other.at.getTime() - one.at.getTime());
}

/** As `rolledBack`, and returns a refusal. */
function allOrNothing<Answer>(state: State, work: () => Answer): Answer | NotWritten {
  try {
    return rolledBack(state, work);
  } catch (error) {
    if (error instanceof Refused) return error.reason;
    throw error;
  }
}

/** Puts every record back if `work` throws. */
function rolledBack<Answer>(state: State, work: () => Answer): Answer {
  const saved = Object.fromEntries(
    Object.entries(state).map(([name, rows]) => [
      name,
      rows instanceof Map ? new Map(rows as Map<unknown, unknown>) : rows,
    ]),
  );
  try {
    return work();
  } catch (error) {
    Object.assign(state, saved);
    throw error;
  }
}

function keyOf({ organizationId, uuid }: DirectoryKey): string {
  return `${organizationId}/${uuid}`;
}

function personByUuid(state: State, { organizationId, uuid }: DirectoryKey): DirectoryPerson | null {
  const entry = state.directoryPeople.get(keyOf({ organizationId, uuid }))?.entry ?? null;
  const membership = membershipIn(state, organizationId, (stored) => stored.uuid === uuid);
  const member = membership === undefined ? null : toMember(state, membership);
  return directoryPerson({ organizationId, uuid }, { entry, member });
}

function peopleOf(state: State, organizationId: number): readonly DirectoryPerson[] {
  const uuids = [...state.directoryPeople.values(), ...state.memberships]
    .filter((stored) => stored.organizationId === organizationId)
    .map(({ uuid }) => uuid);
  return [...new Set(uuids)]
    .sort(compareTexts)
    .flatMap((uuid) => personByUuid(state, { organizationId, uuid }) ?? []);
}

type By = { readonly userName: string } | { readonly externalId: string } | { readonly email: string };

/** Whom the directory has written comes first. */
function personBy(state: State, organizationId: number, by: By): DirectoryPerson | null {
  const is = (person: DirectoryPerson): boolean => {
    if ('userName' in by) return directoryKey(person.userName) === directoryKey(by.userName);
    if ('externalId' in by) return person.externalId === by.externalId;
    return person.email !== null && normalizeEmail(person.email) === normalizeEmail(by.email);
  };
  const found = peopleOf(state, organizationId).filter(is);
  return found.find(({ isWritten }) => isWritten) ?? found[0] ?? null;
}

function writeEntry(state: State, write: Write, journal: Journaled): DirectoryPerson | NotWritten {
  const { before, entry, organizationId, at } = write;
  refuseTaken(state, write);
  const member = before?.member ?? null;
  const again = before === null || entry.isActive || member !== null ? null : memberAgain(state, before);
  if (before !== null && !entry.isActive) {
    const refused = whyNotEnded(state, { ...before, member: member ?? again }, journal);
    if (refused !== null) return refused;
  }
  const { uuid, isChanged, ...done } =
    member === null ? place(state, write) : { ...nothing, uuid: member.uuid, isChanged: false };
  if (before?.isWritten && isSameEntry(before, entry) && !isChanged && again === null) return before;

  const stays = before !== null && entry.isActive ? member : null;
  const account = stays === null ? null : changeAccount(state, write, stays);
  const kept = state.directoryPeople.get(keyOf({ organizationId, uuid }))?.kept ?? null;
  state.directoryPeople.set(keyOf({ organizationId, uuid }), {
    ...{ organizationId, uuid, entry: { ...entry } },
    kept:
      entry.isActive || kept === null || before === null
        ? null
        : { ...kept, idpId: keptIdpId(entry, before, kept.idpId ?? null) },
  });
  if (before !== null && member !== null) {
    const membership = storedOf(state, member);
    const idpId = keptIdpId(entry, before, membership.idpId);
    replaceMembership(state, membership, { ...membership, idpId });
  }
  const ended = entry.isActive ? null : (member ?? again);
  if (ended !== null) endMembership(state, storedOf(state, ended), { at, keptRole: ended.role });
  const person = personByUuid(state, { organizationId, uuid });
  writeChange(state, { before, person, done: { ...done, account, ended } }, journal);
  return existing(person ?? undefined);
}

function memberAgain(state: State, before: DirectoryPerson): Member | null {
  const kept = state.directoryPeople.get(keyOf(before))?.kept ?? null;
  const membership = kept === null ? undefined : membershipOf(state, kept);
  return membership === undefined ? null : toMember(state, membership);
}

function refuseTaken(state: State, { organizationId, before, entry, account }: Write): void {
  const isOther = (found: { readonly uuid: string } | null | undefined): boolean =>
    found != null && found.uuid !== before?.uuid;
  const { userName } = entry;
  if (before?.userName !== userName && isOther(personBy(state, organizationId, { userName })))
    throw new Refused('user-name-taken');
  const { email } = account;
  const hasAddress = membershipOf(state, { organizationId, userId: userByEmail(state, email)?.id });
  const isNewAddress = before === null || accountOf(before).email !== email;
  if (isNewAddress && (isOther(hasAddress) || isOther(personBy(state, organizationId, { email }))))
    throw new Refused('email-taken');
  const { externalId: idpId } = entry;
  if (idpId === null || before?.externalId === idpId) return;
  const invitation =
    before === null ? pendingInvitation(state, { organizationId, email }) : invitationOf(state, before);
  const isTaken =
    isOther(personBy(state, organizationId, { externalId: idpId })) ||
    (idpId !== before?.member?.idpId &&
      idpIdConflict(state, { organizationId, idpId }, { invitationId: invitation?.id }) !== null);
  if (isTaken) throw new Refused('external-id-taken');
}

function whyNotEnded(
  state: State,
  before: DirectoryPerson,
  journal: Journaled,
): 'last-owner' | 'not-written' | null {
  const { organizationId, member, isWritten } = before;
  if (member === null) return null;
  if (member.role !== 'member' && !isWritten) return 'not-written';
  if (!isLastOwner(state, storedOf(state, member))) return null;
  const isEnded = ({ boundTo }: { readonly boundTo: number | null }): boolean =>
    boundTo === null || boundTo === organizationId;
  endAccess(state, { organizationId, userId: member.user.id }, isEnded);
  writeChange(state, { before, person: before, done: { ...nothing, signedOut: member } }, journal);
  return 'last-owner';
}

type Place = Done & { readonly uuid: string; readonly isChanged: boolean };

function place(state: State, write: Write): Place {
  const { before, entry, account, at, ids } = write;
  const invitation =
    before !== null
      ? invitationOf(state, before)
      : entry.isActive
        ? undefined
        : pendingInvitation(state, { organizationId: write.organizationId, email: account.email });
  const uuid = before?.uuid ?? ids.uuid;
  if (before !== null && invitation !== undefined && entry.isActive && invitation.email === account.email) {
    const idpId = keptIdpId(entry, before, invitation.idpId);
    state.invitations.set(invitation.id, { ...invitation, idpId });
    return { ...nothing, uuid, isChanged: false };
  }
  const revoked = invitation === undefined ? null : revoke(state, invitation, at);
  if (!entry.isActive) return { ...nothing, uuid, revoked, isChanged: revoked !== null };
  const restored = before === null ? null : restore(state, write, before);
  if (restored !== null) return { ...nothing, uuid, revoked: restored.revoked ?? revoked, isChanged: true };
  return { ...nothing, ...admit(state, write), revoked, isChanged: true };
}

function restore(
  state: State,
  { organizationId, entry, at }: Write,
  before: DirectoryPerson,
): Pick<Done, 'revoked'> | null {
  const kept = state.directoryPeople.get(keyOf(before))?.kept ?? null;
  const user = kept === null ? undefined : state.users.get(kept.userId);
  if (kept === null || user === undefined) return null;
  const other = pendingInvitation(state, { organizationId, email: user.email });
  const revoked = other === undefined ? null : revoke(state, other, at);
  const idpId = keptIdpId(entry, before, kept.idpId ?? null);
  const isTaken = idpIdConflict(state, { organizationId, idpId }) !== null;
  if (isTaken && entry.externalId !== null) throw new Refused('external-id-taken');
  if (membershipOf(state, kept) !== undefined) throw new Refused('email-taken');
  state.memberships = [...state.memberships, { ...kept, idpId: isTaken ? null : idpId }];
  return { revoked };
}

type Admitted = Pick<Place, 'uuid' | 'registered' | 'invited'>;

function admit(state: State, write: Write): Admitted {
  const { organizationId, before, entry, account, at, ids } = write;
  const user = userByEmail(state, account.email);
  const own = [...state.directoryPeople.values()].find(
    ({ entry: written, kept, ...removed }) =>
      written === null && removed.organizationId === organizationId && kept?.userId === user?.id,
  );
  if (membershipOf(state, { organizationId, userId: user?.id }) !== undefined)
    throw new Refused('email-taken');
  if (user !== undefined && (own === undefined || isUsedOtherwise(state, organizationId, user.id)))
    return invite(state, write);
  refuseOtherInvitation(state, write);
  if (own !== undefined) state.directoryPeople.delete(keyOf(own));
  const member = register(state, {
    ...{ organizationId, role: 'member', idpId: entry.externalId, invitationId: null, needsSignOn: true, at },
    uuid: before?.uuid ?? own?.uuid ?? null,
    user:
      user === undefined
        ? { ...account, uuid: ids.uuid, passwordHash: null, createdAt: at }
        : { id: user.id },
  });
  if (typeof member === 'string') throw new Refused('external-id-taken');
  return { uuid: member.uuid, registered: member, invited: null };
}

function refuseOtherInvitation(state: State, { organizationId, before, account }: Write): void {
  const found = pendingInvitation(state, { organizationId, email: account.email });
  if (before !== null && found !== undefined && found.userUuid !== before.uuid)
    throw new Refused('email-taken');
}

function invite(state: State, write: Write): Admitted {
  const { organizationId, before, entry, account, at, ids } = write;
  refuseOtherInvitation(state, write);
  const { externalId: idpId } = entry;
  const found = pendingInvitation(state, { organizationId, email: account.email });
  if (found !== undefined) {
    if (idpId !== null && found.idpId !== null && found.idpId !== idpId)
      throw new Refused('external-id-taken');
    state.invitations.set(found.id, { ...found, idpId: idpId ?? found.idpId });
    return { uuid: found.userUuid, registered: null, invited: null };
  }
  const userUuid = before?.uuid ?? ids.uuid;
  for (const [id, closed] of state.invitations)
    if (closed.organizationId === organizationId && closed.userUuid === userUuid)
      state.invitations.set(id, { ...closed, userUuid: ids.retiredUuid });
  const invited: Invitation = {
    ...account,
    ...{ id: ids.invitationId, keyId: ids.keyId, organizationId, userUuid, idpId, role: 'member' },
    ...{ createdAt: at, expiresAt: null, invitedBy: { kind: 'directory' } },
    ...{ acceptedAt: null, revokedAt: null },
  };
  state.invitations.set(invited.id, invited);
  return { uuid: userUuid, registered: null, invited };
}

function invitationOf(state: State, { organizationId, uuid }: DirectoryPerson): Invitation | undefined {
  return [...state.invitations.values()].find(
    (stored) => stored.organizationId === organizationId && stored.userUuid === uuid && isPending(stored),
  );
}

function revoke(state: State, invitation: Invitation, at: Date): Invitation {
  const revoked = { ...invitation, revokedAt: at };
  state.invitations.set(invitation.id, revoked);
  return revoked;
}

function storedOf(state: State, { organizationId, user }: Pick<Member, 'organizationId' | 'user'>) {
  return existing(membershipOf(state, { organizationId, userId: user.id }));
}

function changeAccount(
  state: State,
  { organizationId, before, account }: Write,
  { user }: Member,
): Done['account'] {
  if (before === null) return null;
  const earlier = accountOf(before);
  const isRenamed = earlier.firstName !== account.firstName || earlier.lastName !== account.lastName;
  const isMoved = earlier.email !== account.email;
  const { role, needsSignOn } = storedOf(state, { organizationId, user });
  const isOwn = role === 'member' && needsSignOn === true;
  if (!(isRenamed || isMoved) || !isOwn || isUsedOtherwise(state, organizationId, user.id)) return null;
  const { firstName, lastName } = account;
  const change = { userId: user.id, firstName, lastName, onlyOf: organizationId };
  const named = isRenamed ? setName(state, change) : user;
  if (typeof named === 'string') return null;
  if (isMoved) setEmail(state, { from: user.email, to: account.email });
  return { before: user, after: toUser(existing(state.users.get(user.id))) };
}

/** Whether the account has a password, or another organization knows it. */
function isUsedOtherwise(state: State, organizationId: number, userId: number): boolean {
  const isElsewhere = [
    ...state.memberships,
    ...[...state.directoryPeople.values()].flatMap(({ kept }) => kept ?? []),
  ].some((one) => one.userId === userId && one.organizationId !== organizationId);
  return isElsewhere || existing(state.users.get(userId)).passwordHash !== null;
}

function writeChange(
  state: State,
  { before, person, done }: Pick<DirectoryChange, 'before' | 'person'> & { readonly done: Done },
  journal: Journaled,
): void {
  const { organizationId } = existing(person ?? before ?? undefined);
  const organization = toOrganization(existing(state.organizations.get(organizationId)));
  writeJournal(state, journal?.({ organization, before, person, ...done }));
}
