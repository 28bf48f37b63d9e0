import type {
  IdpIdConflict,
  Invitation,
  InvitationState,
  Invitations,
  ListedState,
  NotPending,
  Who,
} from '@rollcall/core';
import { type Database, timestampOrNull } from './database.js';
import { namedUser, writeDown } from './diary.js';
import { compareKeys, hasWords, keyOf } from './people.js';

export interface InviteRow {
  readonly id: string;
  readonly signed_with: string;
  readonly company: number;
  readonly public_id: string;
  readonly login: string | null;
  readonly mail: string;
  readonly given: string;
  readonly family: string;
  readonly sent: number;
  readonly sent_by: string;
  readonly accepted: number | null;
  readonly withdrawn: number | null;
}

export function toInvitation(row: InviteRow): Invitation {
  return {
    id: row.id,
    keyId: row.signed_with,
    organizationId: row.company,
    userUuid: row.public_id,
    idpId: row.login,
    email: row.mail,
    firstName: row.given,
    lastName: row.family,
    createdAt: new Date(row.sent),
    invitedBy: JSON.parse(row.sent_by) as Who | null,
    acceptedAt: timestampOrNull(row.accepted),
    revokedAt: timestampOrNull(row.withdrawn),
  };
}

const states: Readonly<Record<InvitationState, string>> = {
  pending: 'accepted IS NULL AND withdrawn IS NULL',
  accepted: 'accepted IS NOT NULL',
  revoked: 'accepted IS NULL AND withdrawn IS NOT NULL',
};

const hasActiveSuccessor = `EXISTS (SELECT 1 FROM invites AS other
  LEFT JOIN people ON people.mail = other.mail
  LEFT JOIN staff ON staff.person = people.id AND staff.company = other.company
  WHERE other.company = invites.company AND other.mail = invites.mail
    AND CASE WHEN other.accepted IS NULL THEN other.withdrawn IS NULL ELSE staff.public_id = other.public_id END)`;

const listedStates: Readonly<Record<ListedState, string>> = {
  ...states,
  revoked: `${states.revoked} AND NOT ${hasActiveSuccessor}`,
  replaced: `${states.revoked} AND ${hasActiveSuccessor}`,
};

export function inviteInvitations(database: Database): Invitations {
  const byId = (id: string): InviteRow | null => database.get('SELECT * FROM invites WHERE id = ?', id);
  const found = (row: InviteRow | null): Invitation | null => (row === null ? null : toInvitation(row));
  return {
    async findOrCreatePending(fresh, buildEntries) {
      const { organizationId, email } = fresh;
      return database.transaction(() => {
        if (isColleague(database, { organizationId, email })) return 'already-member';
        const pending = database.get<InviteRow>(
          `SELECT * FROM invites WHERE company = ? AND mail = ? AND ${states.pending}`,
          organizationId,
          email,
        );
        const isSame = fresh.idpId === null || pending?.login === fresh.idpId;
        if (pending !== null && isSame) return toInvitation(pending);
        if (pending !== null && pending.login !== null) return 'other-idp-id';
        const company = database.get('SELECT 1 FROM companies WHERE id = ?', organizationId);
        if (company === null) return 'unknown-organization';
        const conflict = loginConflict(database, fresh);
        if (conflict !== null) return conflict;
        const invited = pending === null ? fresh : toInvitation(pending);
        const invitation = { ...invited, idpId: fresh.idpId, acceptedAt: null, revokedAt: null };
        if (pending === null) insert(database, invitation);
        else database.run('UPDATE invites SET login = ? WHERE id = ?', fresh.idpId, pending.id);
        writeDown(database, buildEntries?.(invitation));
        return invitation;
      });
    },

    async byId(invitationId) {
      return found(byId(invitationId));
    },

    async byUserUuid({ organizationId, uuid }) {
      const text = 'SELECT * FROM invites WHERE company = ? AND public_id = ?';
      return found(database.get(text, organizationId, uuid));
    },

    async standing({ organizationId, emails }) {
      const text = `SELECT invites.* FROM invites
        LEFT JOIN people ON people.mail = invites.mail
        LEFT JOIN staff ON staff.person = people.id AND staff.company = invites.company
        WHERE invites.company = ? AND invites.mail = ?
          AND (${states.pending} OR accepted IS NOT NULL AND staff.public_id = invites.public_id)`;
      return [...new Set(emails)].flatMap((email) => found(database.get(text, organizationId, email)) ?? []);
    },

    async list({ organizationId, state, words = [], order = 'newest', offset, limit }) {
      const from = `FROM invites WHERE company = ? AND ${state === undefined ? 'true' : listedStates[state]}`;
      const sorted = order === 'oldest' ? 'sent, id' : 'sent DESC, id DESC';
      return database.snapshot(() => {
        const all = database
          .all<InviteRow>(`SELECT * ${from} ORDER BY ${sorted}`, organizationId)
          .map(toInvitation)
          .filter(hasWords(words));
        if (order === 'name') all.sort((one, other) => compareKeys(keyOf(one), keyOf(other)));
        const invitations = all
          .slice(offset, offset + limit)
          .map((invitation) => ({ ...invitation, inviter: namedUser(database, invitation.invitedBy) }));
        return { total: all.length, invitations };
      });
    },

    async find({ organizationId, state, email, idpId, words = [], after, limit }) {
      const conditions = `company = ? AND ${state === undefined ? 'true' : listedStates[state]}
        AND coalesce(mail = ?, true) AND (? IS NULL OR login = ?) AND coalesce((sent, id) < (?, ?), true)`;
      return database
        .all<InviteRow>(
          `SELECT * FROM invites WHERE ${conditions} ORDER BY sent DESC, id DESC`,
          ...[organizationId, email ?? null, idpId ?? null, idpId ?? null],
          ...[after?.createdAt.getTime() ?? null, after?.id ?? null],
        )
        .map(toInvitation)
        .filter(hasWords(words))
        .slice(0, limit);
    },

    async revoke({ at, ...key }, buildEntries) {
      return database.transaction(() => {
        const invitation = pendingOrReason(found(byId(key.invitationId)), key.organizationId);
        if (typeof invitation === 'string') return invitation;
        database.run('UPDATE invites SET withdrawn = ? WHERE id = ?', at.getTime(), invitation.id);
        const revoked = { ...invitation, revokedAt: at };
        writeDown(database, buildEntries?.(revoked));
        return revoked;
      });
    },

    async renew({ organizationId, invitationId, retiredUuid, replaces, fresh }, buildEntries) {
      return database.transaction(() => {
        const invitation = found(byId(invitationId));
        if (invitation?.organizationId !== organizationId) return 'unknown';
        if (invitation.acceptedAt !== null) return 'accepted';
        if (isColleague(database, invitation)) return 'already-member';
        const pending = `FROM invites WHERE company = ? AND mail = ? AND ${states.pending} AND id <> ?`;
        if (database.count(pending, organizationId, invitation.email, invitationId) > 0) return 'replaced';
        const renewed = { ...invitation, ...fresh, revokedAt: null };
        const known = [replaces, renewed.idpId];
        if (replaces !== undefined && !known.includes(invitation.idpId)) return 'outdated';
        const conflict = loginConflict(database, { ...renewed, id: invitationId });
        if (conflict !== null) return conflict;
        const text = 'UPDATE invites SET public_id = ?, withdrawn = coalesce(withdrawn, ?) WHERE id = ?';
        database.run(text, retiredUuid, fresh.createdAt.getTime(), invitationId);
        insert(database, renewed);
        writeDown(database, buildEntries?.(renewed));
        return renewed;
      });
    },
  };
}

function isColleague(
  database: Database,
  { organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>,
): boolean {
  const from =
    'FROM staff JOIN people ON people.id = staff.person WHERE staff.company = ? AND people.mail = ?';
  return database.count(from, organizationId, email) > 0;
}

export function loginConflict(
  database: Database,
  { id, organizationId, idpId }: Pick<Invitation, 'organizationId' | 'idpId'> & { readonly id?: string },
): IdpIdConflict | null {
  if (database.count('FROM staff WHERE company = ? AND login = ?', organizationId, idpId) > 0)
    return 'idp-id-of-member';
  const invited = `FROM invites WHERE company = ? AND login = ? AND id <> ? AND ${states.pending}`;
  return database.count(invited, organizationId, idpId, id ?? '') > 0 ? 'idp-id-of-invitation' : null;
}

function pendingOrReason(invitation: Invitation | null, organizationId: number): Invitation | NotPending {
  if (invitation === null || invitation.organizationId !== organizationId) return 'unknown';
  if (invitation.acceptedAt !== null) return 'accepted';
  return invitation.revokedAt === null ? invitation : 'revoked';
}

function insert(database: Database, fresh: Invitation): void {
  database.run(
    `INSERT INTO invites (id, signed_with, company, public_id, login, mail, given, family, sent, sent_by)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      fresh.id,
      fresh.keyId,
      fresh.organizationId,
      fresh.userUuid,
      fresh.idpId,
      fresh.email,
      fresh.firstName,
    ],
    ...[fresh.lastName, fresh.createdAt.getTime(), JSON.stringify(fresh.invitedBy)],
  );
}
