import type {
  Directory,
  DirectoryChange,
  DirectoryPerson,
  Invitation,
  Member,
  NewDirectoryIds,
  NotWritten,
  User,
  WrittenEntry,
} from '@rollcall/core';
import { accountOf, directoryKey, isSameEntry, keptIdpId } from '@rollcall/core/adapters';
import type { Sql } from '../engine/database.js';
import { joinTexts, listOf, raw, SQL } from '../engine/sql-text.js';
import { execute, exists, selectOne } from '../engine/statements.js';
import type { Transaction } from '../outbox/waiting-deliveries.js';
import { personBy, personByUuid, storedKept, uuidBy } from './directory-row.js';
import { endMemberships } from './end-memberships.js';
import { idpIdConflict } from './idp-id.js';
import { pending, storedInvitation, storeInvitation } from './invitations.js';
import { writeJournal } from './journal.js';
import { lockAddress, lockIdpId, lockOrganization, lockPerson } from './locks.js';
import {
  findMember,
  hasOtherOwner,
  isMembership,
  organizationOf,
  RolledBack,
  RolledBackFor,
  register,
} from './members.js';
import { storedUser } from './user-row.js';
import { setEmail, setName } from './users.js';

type Journaled = Parameters<Directory['change']>[2];

/** What is written, and about whom; null: the person is new. */
interface Write extends WrittenEntry {
  readonly organizationId: number;
  readonly before: DirectoryPerson | null;
  readonly at: Date;
  readonly ids: NewDirectoryIds;
}

/** What a write has done so far. */
type Done = Omit<DirectoryChange, 'organization' | 'before' | 'person'>;

const nothing: Done = {
  ...{ registered: null, ended: null, invited: null, revoked: null, account: null, signedOut: null },
};

/** What has been done for someone who is no member. `isChanged`: a membership or an invitation was begun or ended. */
type Placed = Partial<Done> & { readonly uuid: string; readonly isChanged: boolean };

export async function createPerson(
  sql: Transaction,
  ...[fresh, journal]: Parameters<Directory['create']>
): Promise<DirectoryPerson | NotWritten> {
  const { organizationId, entry, account } = fresh;
  const { externalId, userName } = entry;
  const known =
    (externalId === null ? null : await personBy(sql, 'externalId', { organizationId, value: externalId })) ??
    (await personBy(sql, 'userName', { organizationId, value: userName })) ??
    (await personBy(sql, 'email', { organizationId, value: account.email }));
  return writeEntry(sql, { ...fresh, before: known === null || known.isWritten ? null : known }, journal);
}

export async function changePerson(
  sql: Transaction,
  ...[{ organizationId, uuid, at, ids }, decide, journal]: Parameters<Directory['change']>
) {
  await lockPerson(sql, organizationId, uuid);
  const before = await personByUuid(sql, organizationId, uuid);
  if (before === null) return 'unknown';
  return writeEntry(sql, { ...decide(before), organizationId, before, at, ids }, journal);
}

export async function removePerson(
  sql: Transaction,
  ...[key, journal]: Parameters<Directory['remove']>
): ReturnType<Directory['remove']> {
  const { organizationId, uuid, at } = key;
  await lockPerson(sql, organizationId, uuid);
  const before = await personByUuid(sql, organizationId, uuid);
  if (before === null) return 'unknown';
  const member = before.member ?? (await memberAgain(sql, before));
  const refused = await whyNotEnded(sql, { ...before, member }, journal);
  if (refused !== null) return refused;
  if (member !== null) await endMembership(sql, member, at);
  const invitation = await invitationOf(sql, before);
  const revoked = invitation === null ? null : await revokePending(sql, invitation, at);
  await execute(sql)`UPDATE directory_people
      SET removed_at = ${at}, is_active = false, user_name = '', user_name_key = NULL,
      external_id = NULL, given_name = NULL, family_name = NULL, display_name = NULL, email = NULL,
        email_key = NULL,
      kept_role = NULL, kept_idp_id = NULL, kept_joined_at = NULL
    WHERE organization_id = ${organizationId} AND uuid = ${uuid}`;
  await execute(sql)`DELETE FROM directory_people
    WHERE organization_id = ${organizationId} AND uuid = ${uuid} AND kept_user_id IS NULL`;
  await writeChange(sql, { before, person: null, ended: member, revoked }, journal);
  return before;
}

async function writeEntry(sql: Transaction, write: Write, journal: Journaled) {
  const { before, entry, account, organizationId, at } = write;
  // Nobody registers or invites the address, or gets the id, from here on.
  await lockAddress(sql, organizationId, account.email);
  await lockIdpId(sql, organizationId, entry.externalId);
  await refuseTaken(sql, write);
  const member = before?.member ?? null;
  const again = before === null || entry.isActive || member !== null ? null : await memberAgain(sql, before);
  if (before !== null && !entry.isActive) {
    const refused = await whyNotEnded(sql, { ...before, member: member ?? again }, journal);
    if (refused !== null) return refused;
  }
  const placed: Placed = member === null ? await place(sql, write) : { uuid: member.uuid, isChanged: false };
  const { uuid, isChanged, ...done } = placed;
  if (before?.isWritten && isSameEntry(before, entry) && !isChanged && again === null) return before;

  const stays = before !== null && entry.isActive ? member : null;
  // The lock on the organization comes before those on its members, as everywhere.
  if (stays !== null) await organizationOf(sql, organizationId);
  const changed = stays === null ? null : await changeAccount(sql, write, stays);
  await storeEntry(sql, { ...write, uuid });
  if (before !== null && member !== null) {
    const idpId = keptIdpId(entry, before, member.idpId);
    if (idpId !== member.idpId)
      await execute(sql)`UPDATE memberships SET idp_id = ${idpId} WHERE ${isMembership(keyOf(member))}`;
  }
  const ended = entry.isActive ? null : (member ?? again);
  if (ended !== null) await endMembership(sql, ended, at, 'memberships.role');
  const person = await personByUuid(sql, organizationId, uuid);
  if (person === null) throw new Error('the person was not stored');
  await writeChange(sql, { ...done, before, person, account: changed, ended }, journal);
  return person;
}

/** The membership that a deactivated person has got since then under another UUID, by an invitation. */
async function memberAgain(sql: Sql, { organizationId, uuid }: DirectoryPerson): Promise<Member | null> {
  const kept = await selectOne<{ readonly id: number | null }>(sql)`SELECT kept_user_id AS id
    FROM directory_people WHERE organization_id = ${organizationId} AND uuid = ${uuid}`;
  return kept?.id == null ? null : findMember(sql, 'user_id', [organizationId, kept.id]);
}

export class Refused extends RolledBackFor<NotWritten> {}

/** What the person has already is not looked up again. */
async function refuseTaken(sql: Sql, write: Write): Promise<void> {
  const { organizationId, before, entry, account } = write;
  const { userName, externalId } = entry;
  const isOther = (uuid: string | null): boolean => uuid !== null && uuid !== before?.uuid;
  const isTaken = async (by: 'userName' | 'externalId' | 'email', value: string): Promise<boolean> =>
    isOther(await uuidBy(sql, by, { organizationId, value }));
  if (before?.userName !== userName && (await isTaken('userName', userName)))
    throw new Refused('user-name-taken');
  const { email } = account;
  if (before === null || accountOf(before).email !== email) {
    const member = await selectOne<{ uuid: string }>(sql)`SELECT memberships.uuid FROM memberships
      JOIN users ON users.id = memberships.user_id
      WHERE memberships.organization_id = ${organizationId} AND users.email = ${email}`;
    if (isOther(member?.uuid ?? null) || (await isTaken('email', email))) throw new Refused('email-taken');
  }
  if (externalId === null || before?.externalId === externalId) return;
  const invitation =
    before === null ? await pending(sql, organizationId, email) : await invitationOf(sql, before);
  const own = { userId: before?.member?.user.id, invitationId: invitation?.id };
  if (
    (await isTaken('externalId', externalId)) ||
    (await idpIdConflict(sql, { organizationId, idpId: externalId }, own)) !== null
  )
    throw new Refused('external-id-taken');
}

/** Null: the membership of the person, if there is one, may end. */
async function whyNotEnded(sql: Transaction, before: DirectoryPerson, journal: Journaled) {
  const { organizationId, member, isWritten } = before;
  if (member === null) return null;
  await lockOrganization(sql, organizationId);
  // Roles do not change from here on.
  const { role } = (await findMember(sql, 'user_id', [organizationId, member.user.id])) ?? member;
  if (role !== 'member' && !isWritten) return 'not-written';
  if (role !== 'owner' || (await hasOtherOwner(sql, member))) return null;
  const userId = member.user.id;
  // Also those of the account: the membership stays, and each of them opens it.
  await execute(sql)`DELETE FROM sessions
    WHERE user_id = ${userId} AND (bound_to = ${organizationId} OR bound_to IS NULL)`;
  for (const table of ['login_links', 'setup_links', 'calendar_feeds'])
    await execute(sql)`DELETE FROM ${raw(table)}
      WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
  await writeChange(sql, { before, person: before, signedOut: member }, journal);
  return 'last-owner';
}

/** Gives someone who is no member what the entry asks for. */
async function place(sql: Transaction, write: Write): Promise<Placed> {
  const { before, entry, account, at, ids } = write;
  const invitation =
    before !== null
      ? await invitationOf(sql, before)
      : entry.isActive
        ? null
        : await pending(sql, write.organizationId, account.email);
  const uuid = before?.uuid ?? ids.uuid;
  if (before !== null && invitation !== null && entry.isActive && invitation.email === account.email) {
    await setInvitedIdpId(sql, invitation, keptIdpId(entry, before, invitation.idpId));
    return { uuid, isChanged: false };
  }
  const revoked = invitation === null ? null : await revokePending(sql, invitation, at);
  if (!entry.isActive) return { uuid, revoked, isChanged: revoked !== null };
  const restored = before === null ? null : await restore(sql, write, before);
  if (restored !== null) return { uuid, revoked: restored.revoked ?? revoked, isChanged: true };
  return { ...(await admit(sql, write)), revoked, isChanged: true };
}

/** Restores the membership that has ended, instead of a pending invitation; null: there was none. */
async function restore(sql: Transaction, write: Write, before: DirectoryPerson) {
  const { organizationId, entry, at } = write;
  const { uuid } = before;
  const kept = await storedKept.first(sql)`FROM directory_people
    WHERE organization_id = ${organizationId} AND uuid = ${uuid}`;
  if (kept === null || kept.keptUserId === null) return null;
  const user = await storedUser.first(sql)`FROM users WHERE id = ${kept.keptUserId}`;
  if (user === null) return null;
  await lockAddress(sql, organizationId, user.email);
  const other = await pending(sql, organizationId, user.email);
  const revoked = other === null ? null : await revokePending(sql, other, at);
  const wanted = keptIdpId(entry, before, kept.keptIdpId);
  await lockIdpId(sql, organizationId, wanted);
  const isTaken = (await idpIdConflict(sql, { organizationId, idpId: wanted })) !== null;
  if (isTaken && entry.externalId !== null) throw new Refused('external-id-taken');
  const { changes } = await execute(sql)`INSERT INTO memberships
      (organization_id, user_id, uuid, role, idp_id, needs_sign_on, created_at)
    VALUES (${organizationId}, ${user.id}, ${uuid}, ${kept.keptRole ?? 'member'},
      ${isTaken ? null : wanted}, ${kept.keptNeedsSignOn}, ${kept.keptJoinedAt ?? at}) ON CONFLICT
      DO NOTHING`;
  // The user is a member under another UUID by now.
  if (changes === 0) throw new Refused('email-taken');
  return { revoked };
}

/** Makes someone a member for the first time, or invites the person whose account it is. */
async function admit(sql: Transaction, write: Write) {
  const { organizationId, before, entry, account, at, ids } = write;
  const user = await storedUser.first(sql)`FROM users WHERE email = ${account.email}`;
  if (user !== null && (await findMember(sql, 'user_id', [organizationId, user.id])) !== null)
    throw before === null ? new RolledBack('already-member') : new Refused('email-taken');
  const isFree = user !== null && !(await isUsedOtherwise(sql, organizationId, user));
  const own = isFree ? await removedBefore(sql, organizationId, user) : null;
  if (user !== null && own === null) return invite(sql, write);
  if (before !== null) await refuseOtherInvitation(sql, write, before);
  if (own !== null)
    await execute(sql)`DELETE FROM directory_people
      WHERE organization_id = ${organizationId} AND uuid = ${own.uuid}`;
  const { member } = await register(sql, {
    ...{ organizationId, role: 'member', idpId: entry.externalId, invitationId: null, needsSignOn: true, at },
    uuid: before?.uuid ?? own?.uuid ?? null,
    user: user === null ? { ...account, uuid: ids.uuid, passwordHash: null, createdAt: at } : { id: user.id },
  });
  return { uuid: member.uuid, registered: member };
}

/** Whether the account was this directory's; null: it was not. */
function removedBefore(sql: Sql, organizationId: number, { id }: User) {
  return storedKept.first(sql)`FROM directory_people
    WHERE kept_user_id = ${id} AND organization_id = ${organizationId} AND removed_at IS NOT NULL`;
}

/** An organization knows a person by one UUID. */
async function refuseOtherInvitation(sql: Sql, write: Write, { uuid }: DirectoryPerson): Promise<void> {
  const { organizationId, account } = write;
  const found = await pending(sql, organizationId, account.email);
  if (found !== null && found.userUuid !== uuid) throw new Refused('email-taken');
}

async function invite(sql: Transaction, write: Write) {
  const { organizationId, before, entry, account, at, ids } = write;
  const { email } = account;
  const { externalId: idpId } = entry;
  if (before !== null) await refuseOtherInvitation(sql, write, before);
  const found = await pending(sql, organizationId, email);
  if (found !== null) {
    if (idpId !== null && found.idpId !== null && found.idpId !== idpId)
      throw new Refused('external-id-taken');
    if (idpId !== null) await setInvitedIdpId(sql, found, idpId);
    return { uuid: found.userUuid };
  }
  const userUuid = before?.uuid ?? ids.uuid;
  await execute(sql)`UPDATE invitations SET user_uuid = ${ids.retiredUuid}
    WHERE organization_id = ${organizationId} AND user_uuid = ${userUuid}`;
  const stored = await storeInvitation(sql, {
    ...account,
    ...{ id: ids.invitationId, keyId: ids.keyId, organizationId, userUuid, idpId, role: 'member' },
    ...{ createdAt: at, expiresAt: null, invitedBy: { kind: 'directory' } },
  });
  if (stored === null) throw new Error('the invitation was not stored');
  return { uuid: userUuid, invited: stored };
}

/** The pending invitation with the UUID of the person. */
function invitationOf(sql: Sql, { organizationId, uuid }: DirectoryPerson): Promise<Invitation | null> {
  return storedInvitation.first(sql)`FROM invitations
    WHERE organization_id = ${organizationId} AND user_uuid = ${uuid} AND accepted_at IS NULL
      AND revoked_at IS NULL`;
}

function revokePending(sql: Sql, { id }: Invitation, at: Date): Promise<Invitation | null> {
  return storedInvitation.changed(sql)`UPDATE invitations SET revoked_at = ${at}
    WHERE id = ${id} AND accepted_at IS NULL AND revoked_at IS NULL`;
}

async function setInvitedIdpId(sql: Transaction, invitation: Invitation, idpId: string | null) {
  if (invitation.idpId === idpId) return;
  await execute(sql)`UPDATE invitations SET idp_id = ${idpId} WHERE id = ${invitation.id}`;
}

/** The account of a member whom sign-on or a directory has made, and nobody else uses, becomes what the directory says. */
async function changeAccount(
  sql: Transaction,
  { organizationId, before, account }: Write,
  { user, role }: Member,
): Promise<Done['account']> {
  if (before === null) return null;
  const earlier = accountOf(before);
  const isRenamed = earlier.firstName !== account.firstName || earlier.lastName !== account.lastName;
  const isMoved = earlier.email !== account.email;
  if (!(isRenamed || isMoved) || role !== 'member') return null;
  const isOfSignOn = await exists(sql)`FROM memberships
    WHERE organization_id = ${organizationId} AND user_id = ${user.id} AND needs_sign_on`;
  if (!isOfSignOn) return null;
  if (await isUsedOtherwise(sql, organizationId, user)) return null;
  const { firstName, lastName } = account;
  const named = isRenamed
    ? await setName(sql, { userId: user.id, firstName, lastName, onlyOf: organizationId })
    : user;
  if (typeof named === 'string') return null;
  const moved = isMoved ? await setEmail(sql, { from: user.email, to: account.email }) : named;
  return { before: user, after: typeof moved === 'string' ? named : moved };
}

/** Whether the account has a password, or another organization knows it. */
function isUsedOtherwise(sql: Sql, organizationId: number, { id }: User): Promise<boolean> {
  return exists(sql)`FROM users WHERE id = ${id} AND (password_hash IS NOT NULL
      OR EXISTS (SELECT 1 FROM memberships
        WHERE user_id = users.id AND organization_id <> ${organizationId})
      OR EXISTS (SELECT 1 FROM directory_people
        WHERE kept_user_id = users.id AND organization_id <> ${organizationId}))`;
}

/** Fails if another transaction has just written the person, and is then tried again. */
async function storeEntry(sql: Sql, write: Write & { readonly uuid: string }): Promise<void> {
  const { organizationId, uuid, before, entry, account, at } = write;
  const { userName, externalId, givenName, familyName, displayName, email, isActive } = entry;
  const row = {
    ...{ user_name: userName, user_name_key: directoryKey(userName), external_id: externalId },
    ...{ given_name: givenName, family_name: familyName, display_name: displayName, email },
    ...{ email_key: email === null ? null : account.email, is_active: isActive, changed_at: at },
  };
  if (before?.isWritten !== true) {
    const columns = raw(Object.keys(row).join(', '));
    await execute(sql)`INSERT INTO directory_people (${columns}, organization_id, uuid)
      VALUES (${listOf(Object.values(row))}, ${organizationId}, ${uuid})`;
    return;
  }
  const changes = Object.entries(row).map(([column, value]) => SQL`${raw(column)} = ${value}`);
  const nothingKept =
    ', kept_user_id = NULL, kept_role = NULL, kept_idp_id = NULL, kept_joined_at = NULL, kept_needs_sign_on = false';
  const endsId = externalId === null && before.externalId !== null;
  await execute(sql)`UPDATE directory_people SET ${joinTexts(changes, ', ')}
      ${raw(isActive ? nothingKept : endsId ? ', kept_idp_id = NULL' : '')}
    WHERE organization_id = ${organizationId} AND uuid = ${uuid}`;
}

const keyOf = ({ organizationId, user }: Member) => ({ organizationId, userId: user.id });

function endMembership(sql: Sql, member: Member, at: Date, keptRole?: 'memberships.role') {
  return endMemberships(sql, { where: isMembership(keyOf(member)), at, keptRole });
}

type Changed = Pick<DirectoryChange, 'before' | 'person'> & Partial<Done>;

async function writeChange(sql: Transaction, changed: Changed, journal: Journaled): Promise<void> {
  const known = changed.person ?? changed.before;
  if (known === null) throw new Error('a change is about a person');
  const organization = await organizationOf(sql, known.organizationId);
  await writeJournal(sql, journal?.({ organization, ...nothing, ...changed }));
}
