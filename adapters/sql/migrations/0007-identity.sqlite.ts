import type { Knex } from 'knex';
import { type Addresses, normalizeAddresses } from './0007-identity.addresses.js';

/**
 * Numbers that are given here begin above those of datasets. What is not said in `platform_numbers` holds: a user
 * is the platform's user of the same number.
 */
const statements = [
  ...['organizations', 'users'].flatMap((table) => [
    `INSERT INTO sqlite_sequence (name, seq)
      SELECT '${table}', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '${table}')`,
    `UPDATE sqlite_sequence SET seq = max(seq, 1000000000000) WHERE name = '${table}'`,
  ]),

  `CREATE TABLE platform_numbers (
    user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    platform_id INTEGER UNIQUE CHECK (platform_id BETWEEN 1 AND 999999999999)
  ) STRICT`,
  // Whoever has the UUID of an invitation has joined here: the number is not the platform's.
  `INSERT INTO platform_numbers (user_id)
    SELECT id FROM users
    WHERE id < 1000000000000
      AND uuid IN (SELECT user_uuid FROM invitations WHERE accepted_at IS NOT NULL)`,
];

const addresses: Addresses = {
  users: `SELECT id, email FROM users WHERE id > ? AND email GLOB '*[^ -~]*' ORDER BY id LIMIT ?`,
  invitations: `SELECT id, email, organization_id FROM invitations
    WHERE accepted_at IS NULL AND revoked_at IS NULL AND email GLOB '*[^ -~]*'`,
  rows: (answer) => answer as [],
};

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
  await normalizeAddresses(knex, addresses);
}
