import { atOnce, batches, change, type Range, type Step } from './steps.js';

/** Makes the table assign numbers above the platform's from now on. */
function raised(table: string): string {
  return `SELECT setval(sequence, greatest(
      1000000000000, pg_sequence_last_value(sequence::regclass), (SELECT max(id) FROM ${table})
    )) FROM pg_get_serial_sequence('${table}', 'id') AS sequence`;
}

/**
 * Normalizes addresses. If several have the same normal form, the first one gets it. An address whose normal form is
 * taken stays as it is, and `user collisions` lists it. `same` selects the other rows that must not have the address.
 */
function normalized(
  { table, where, same }: { readonly table: string; readonly where: string; readonly same: string },
  range: Range,
): string {
  const normal = `normalize(${table}.email, NFC)`;
  return `UPDATE ${table} SET email = ${normal}
    WHERE ${range(`${table}.id`)} AND ${where}
      AND ${table}.email COLLATE "C" ~ '[^ -~]' AND ${table}.email IS NOT NFC NORMALIZED
      AND NOT EXISTS (SELECT 1 FROM ${table} AS other WHERE ${same} AND other.email = ${normal})
      AND NOT EXISTS (
        SELECT 1 FROM ${table} AS other
        WHERE ${range('other.id')} AND ${same} AND other.id < ${table}.id AND normalize(other.email, NFC) = ${normal}
      )`;
}

/** The same changes as in SQLite. */
export const identityInSteps: readonly Step[] = [
  change(raised('organizations'), raised('users')),
  change(
    `CREATE TABLE platform_numbers (
      user_id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
      platform_id bigint UNIQUE CHECK (platform_id BETWEEN 1 AND 999999999999)
    )`,
  ),
  batches({
    table: 'invitations',
    key: 'id',
    statements: (range) => [
      `INSERT INTO platform_numbers (user_id)
        SELECT users.id FROM invitations JOIN users ON users.uuid = invitations.user_uuid
        WHERE ${range('invitations.id')} AND invitations.accepted_at IS NOT NULL AND users.id < 1000000000000
        ON CONFLICT DO NOTHING`,
    ],
  }),
  batches({
    table: 'users',
    key: 'id',
    statements: (range) => [normalized({ table: 'users', where: 'true', same: 'true' }, range)],
  }),
  batches({
    table: 'invitations',
    key: 'id',
    statements: (range) => [
      normalized(
        {
          table: 'invitations',
          where: 'invitations.accepted_at IS NULL AND invitations.revoked_at IS NULL',
          same: `other.organization_id = invitations.organization_id
            AND other.accepted_at IS NULL AND other.revoked_at IS NULL`,
        },
        range,
      ),
    ],
  }),
];

export const up = atOnce(identityInSteps);
