import type { Knex } from 'knex';
import { type Addresses, normalizeAddresses } from './0007-identity.addresses.js';

/** As in SQLite. */
const statements = [
  // First, and at once for everybody: whoever joins while this runs gets a number of ours.
  ...['organizations', 'users'].map(
    (table) => `SELECT setval(sequence, greatest(
      1000000000000, pg_sequence_last_value(sequence::regclass), (SELECT max(id) FROM ${table})
    )) FROM pg_get_serial_sequence('${table}', 'id') AS sequence`,
  ),

  // Waits for those who are about to join.
  `CREATE TABLE platform_numbers (
    user_id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE DEFERRABLE INITIALLY IMMEDIATE,
    platform_id bigint UNIQUE CHECK (platform_id BETWEEN 1 AND 999999999999)
  )`,
  `INSERT INTO platform_numbers (user_id)
    SELECT id FROM users
    WHERE id < 1000000000000
      AND uuid IN (SELECT user_uuid FROM invitations WHERE accepted_at IS NOT NULL)`,
];

const addresses: Addresses = {
  users: `SELECT id, email FROM users WHERE id > ? AND email COLLATE "C" ~ '[^ -~]' ORDER BY id LIMIT ?`,
  invitations: `SELECT id, email, organization_id FROM invitations
    WHERE accepted_at IS NULL AND revoked_at IS NULL AND email COLLATE "C" ~ '[^ -~]'`,
  rows: (answer) => (answer as { readonly rows: [] }).rows,
};

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
  await normalizeAddresses(knex, addresses);
}
