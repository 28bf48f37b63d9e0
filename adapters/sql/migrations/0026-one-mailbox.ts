import { normalizeEmail } from '@rollcall/core/rules';
import type { Knex } from 'knex';
import type { Engine } from '../engine/database.js';

interface Stored {
  readonly id: number | string;
  readonly email: string;
}

/** Addresses that may have another form: with a character beyond ASCII, or with an encoded host. */
const candidates: Record<Engine, string> = {
  sqlite: `(email GLOB '*[^ -~]*' OR email LIKE '%xn--%')`,
  postgres: `(email COLLATE "C" ~ '[^ -~]' OR email LIKE '%xn--%')`,
};

const tables = {
  users: { isClosed: 'false', same: 'true' },
  invitations: {
    isClosed: '(invitations.accepted_at IS NOT NULL OR invitations.revoked_at IS NOT NULL)',
    same: `other.organization_id = invitations.organization_id AND other.accepted_at IS NULL
      AND other.revoked_at IS NULL`,
  },
} as const;

/**
 * Stores each address in its one form. If several have the same form, the first one gets it. The others stay as they are:
 * `user collisions` lists the users. Few addresses are concerned, so there are no steps, and an older release keeps running.
 */
export function normalizeAddresses(engine: Engine): (knex: Knex) => Promise<void> {
  return async (knex) => {
    for (const [table, { isClosed, same }] of Object.entries(tables)) {
      const answer = await knex.raw(
        `SELECT id, email FROM ${table} WHERE ${candidates[engine]} ORDER BY ${table === 'users' ? 'id' : 'created_at, id'}`,
      );
      const rows: readonly Stored[] = engine === 'postgres' ? answer.rows : answer;
      for (const { id, email } of rows) {
        const normal = normalizeEmail(email);
        if (normal === email) continue;
        await knex.raw(
          `UPDATE ${table} SET email = ? WHERE id = ? AND (${isClosed} OR NOT EXISTS (
            SELECT 1 FROM ${table} AS other WHERE ${same} AND other.email = ? AND other.id <> ${table}.id
          ))`,
          [normal, id, normal],
        );
      }
    }
  };
}
