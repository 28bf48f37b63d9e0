import type { Knex } from 'knex';

/**
 * Numbers assigned here begin above those of datasets. A user who is not in `platform_numbers` is the platform's user
 * with the same number.
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
  // A user with the UUID of an invitation has joined here, so the number is not the platform's.
  `INSERT INTO platform_numbers (user_id)
    SELECT id FROM users
    WHERE id < 1000000000000
      AND uuid IN (SELECT user_uuid FROM invitations WHERE accepted_at IS NOT NULL)`,
];

interface Stored {
  readonly id: number | string;
  readonly email: string;
  readonly organization_id?: number;
}

const PAGE = 1_000;

/** Normalizes stored addresses. A user whose new address is taken keeps the old one. */
async function normalizeAddresses(knex: Knex): Promise<void> {
  for (let after: number | string = 0; ; ) {
    const page: readonly Stored[] = await knex.raw(
      `SELECT id, email FROM users WHERE id > ? AND email GLOB '*[^ -~]*' ORDER BY id LIMIT ?`,
      [after, PAGE],
    );
    for (const { id, email } of page) {
      const normal = normalized(email);
      if (normal === email) continue;
      await knex.raw(
        'UPDATE users SET email = ? WHERE id = ? AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = ?)',
        [normal, id, normal],
      );
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  const pending: readonly Stored[] = await knex.raw(
    `SELECT id, email, organization_id FROM invitations
    WHERE accepted_at IS NULL AND revoked_at IS NULL AND email GLOB '*[^ -~]*'`,
  );
  for (const { id, email, organization_id = 0 } of pending) {
    const normal = normalized(email);
    if (normal === email) continue;
    await knex.raw(
      `UPDATE invitations SET email = ? WHERE id = ? AND NOT EXISTS (
        SELECT 1 FROM invitations AS other WHERE other.organization_id = ? AND other.email = ?
          AND other.accepted_at IS NULL AND other.revoked_at IS NULL
      )`,
      [normal, id, organization_id, normal],
    );
  }
}

function normalized(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
  await normalizeAddresses(knex);
}
