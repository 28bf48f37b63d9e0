import { emailLook } from '@rollcall/core/adapters';
import { emailProblem, normalizeEmail } from '@rollcall/core/rules';
import type { Database, Engine, Sql } from '../engine/database.js';
import { MAX_PLATFORM_NUMBER } from './platform-numbers.js';

/** An account whose owner joined by an invitation, but which now has another person or another address. */
export interface ReplacedAccount {
  readonly userId: number;
  readonly organizationId: number;
  readonly acceptedAt: Date;
  readonly invited: { readonly email: string; readonly uuid: string };
  readonly now: { readonly email: string; readonly uuid: string };
}

/** Addresses that look the same, or a single address that is no longer accepted anywhere. */
export interface EqualAddresses {
  /** The look that they share, as `emailLook` returns it. */
  readonly look: string;
  readonly users: readonly { readonly userId: number; readonly email: string }[];
}

/** An account that was created here and has a number that the platform also assigns. */
export interface SharedNumber {
  readonly number: number;
  readonly email: string;
  /** The account of the platform's user with this number. Null when there is none so far. */
  readonly platformUserId: number | null;
}

export interface Collisions {
  readonly accounts: readonly ReplacedAccount[];
  readonly addresses: readonly EqualAddresses[];
  readonly numbers: readonly SharedNumber[];
}

/** Finds accounts that stand for two people, or once did, or that can be mistaken for another account. */
export async function findCollisions({ engine, read }: Database): Promise<Collisions> {
  return {
    accounts: await replacedAccounts(read),
    addresses: await equalAddresses(read, engine),
    numbers: await sharedNumbers(read),
  };
}

interface AccountRow {
  readonly user_id: number;
  readonly organization_id: number;
  readonly accepted_at: string;
  readonly invited_email: string;
  readonly invited_uuid: string;
  readonly email: string;
  readonly uuid: string;
}

const accountColumns = `users.id AS user_id, invitations.organization_id, invitations.accepted_at,
  invitations.email AS invited_email, invitations.user_uuid AS invited_uuid, users.email, users.uuid`;

/**
 * Accepting an invitation writes the same timestamp into the invitation and the membership. If no member of the
 * organization has the invitation's UUID any more, the membership with that timestamp was taken over. The audit trail
 * tells which addresses `setEmail` has changed.
 */
async function replacedAccounts(sql: Sql): Promise<readonly ReplacedAccount[]> {
  const taken = await sql.all<AccountRow>(
    `SELECT ${accountColumns}
    FROM invitations CROSS JOIN memberships ON memberships.organization_id = invitations.organization_id
      AND memberships.created_at = invitations.accepted_at
    CROSS JOIN users ON users.id = memberships.user_id
    WHERE invitations.accepted_at IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM memberships AS kept
      WHERE kept.organization_id = invitations.organization_id AND kept.uuid = invitations.user_uuid
    )
    ORDER BY invitations.accepted_at, invitations.id`,
  );
  // The entry of a changed address begins with the earlier one: see `core/users/email-change.ts`.
  const moved = await sql.all<AccountRow>(
    `SELECT ${accountColumns}
    FROM invitations CROSS JOIN memberships ON memberships.organization_id = invitations.organization_id
      AND memberships.uuid = invitations.user_uuid
    CROSS JOIN users ON users.id = memberships.user_id
    WHERE invitations.accepted_at IS NOT NULL AND users.email <> invitations.email AND NOT EXISTS (
      SELECT 1 FROM audit_entries AS entries
      WHERE entries.organization_id = invitations.organization_id AND entries.action = 'email-changed'
        AND substr(entries.subject, 1, length(invitations.email) + 3) = invitations.email || ' → '
    )
    ORDER BY invitations.accepted_at, invitations.id`,
  );
  return [
    ...taken,
    ...moved.filter(({ email, invited_email }) => email !== normalizeEmail(invited_email)),
  ].map((row) => ({
    userId: row.user_id,
    organizationId: row.organization_id,
    acceptedAt: new Date(row.accepted_at),
    invited: { email: row.invited_email, uuid: row.invited_uuid },
    now: { email: row.email, uuid: row.uuid },
  }));
}

interface AddressRow {
  readonly id: number;
  readonly email: string;
}

const PAGE_ROWS = 1_000;

/** Addresses with a character beyond ASCII, or with a host that is encoded for DNS. */
const beyondAscii: Record<Engine, string> = {
  sqlite: `(email GLOB '*[^ -~]*' OR email LIKE '%xn--%')`,
  postgres: `(email COLLATE "C" ~ '[^ -~]' OR email LIKE '%xn--%')`,
};

async function equalAddresses(sql: Sql, engine: Engine): Promise<readonly EqualAddresses[]> {
  const found = new Map<string, AddressRow[]>();
  for (let after = 0; ; ) {
    const page = await sql.all<AddressRow>(
      `SELECT id, email FROM users WHERE id > ? AND ${beyondAscii[engine]} ORDER BY id LIMIT ?`,
      [after, PAGE_ROWS],
    );
    for (const row of page) {
      const look = emailLook(row.email);
      if (look === row.email && emailProblem('email', row.email) === null) continue;
      found.set(look, [...(found.get(look) ?? []), row]);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  const groups: EqualAddresses[] = [];
  for (const [look, rows] of found) {
    const plain = await sql.all<AddressRow>('SELECT id, email FROM users WHERE email = ?', [look]);
    const users = [...plain.filter(({ id }) => !rows.some((row) => row.id === id)), ...rows];
    groups.push({ look, users: users.map(({ id, email }) => ({ userId: id, email })) });
  }
  return groups;
}

async function sharedNumbers(sql: Sql): Promise<readonly SharedNumber[]> {
  const rows = await sql.all<{ id: number; email: string; platform_user_id: number | null }>(
    `SELECT users.id, users.email, platform.user_id AS platform_user_id
    FROM platform_numbers AS own CROSS JOIN users ON users.id = own.user_id
    LEFT JOIN platform_numbers AS platform ON platform.platform_id = own.user_id
    WHERE own.user_id <= ${MAX_PLATFORM_NUMBER} AND (own.platform_id IS NULL OR own.platform_id <> own.user_id)
    ORDER BY users.id`,
  );
  return rows.map(({ id, email, platform_user_id }) => ({
    number: id,
    email,
    platformUserId: platform_user_id,
  }));
}

/** The address of a user. For addresses that can't be typed. Null when there is no such user. */
export async function emailOf({ read }: Database, userId: number): Promise<string | null> {
  const row = await read.get<{ email: string }>('SELECT email FROM users WHERE id = ?', [userId]);
  return row?.email ?? null;
}
