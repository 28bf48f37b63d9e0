import type { Invitation, Invitations } from '@rollcall/core';
import { type Database, momentOrNull } from './database.js';

interface InviteRow {
  readonly id: string;
  readonly signed_with: string;
  readonly company: number;
  readonly public_id: string;
  readonly mail: string;
  readonly given: string;
  readonly family: string;
  readonly sent: number;
  readonly accepted: number | null;
  readonly withdrawn: number | null;
}

function toInvitation(row: InviteRow): Invitation {
  return {
    id: row.id,
    keyId: row.signed_with,
    organizationId: row.company,
    userUuid: row.public_id,
    email: row.mail,
    firstName: row.given,
    lastName: row.family,
    createdAt: new Date(row.sent),
    acceptedAt: momentOrNull(row.accepted),
    revokedAt: momentOrNull(row.withdrawn),
  };
}

export function inviteInvitations(database: Database): Invitations {
  const found = (row: InviteRow | null): Invitation | null => (row === null ? null : toInvitation(row));
  return {
    async pendingOr(fresh) {
      const { organizationId, email } = fresh;
      return database.transaction(() => {
        const colleague = database.get(
          'SELECT 1 FROM staff JOIN people ON people.id = staff.person WHERE staff.company = ? AND people.mail = ?',
          organizationId,
          email,
        );
        if (colleague !== null) return 'already-member';

        // The index allows one that is open: whoever comes second inserts nothing and reads the first one.
        database.run(
          `INSERT INTO invites (id, signed_with, company, public_id, mail, given, family, sent)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          ...[fresh.id, fresh.keyId, organizationId, fresh.userUuid, email],
          ...[fresh.firstName, fresh.lastName, fresh.createdAt.getTime()],
        );
        const row = database.get<InviteRow>(
          'SELECT * FROM invites WHERE company = ? AND mail = ? AND accepted IS NULL AND withdrawn IS NULL',
          organizationId,
          email,
        );
        if (row === null) throw new Error(`The id ${fresh.id} was given to two invitations`);
        return toInvitation(row);
      });
    },

    async byId(invitationId) {
      return found(database.get('SELECT * FROM invites WHERE id = ?', invitationId));
    },

    async byUserUuid({ organizationId, uuid }) {
      const text = 'SELECT * FROM invites WHERE company = ? AND public_id = ?';
      return found(database.get(text, organizationId, uuid));
    },
  };
}
