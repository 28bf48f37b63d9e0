import type { Sql } from '../engine/database.js';
import { exists } from '../engine/statements.js';

/** Whether the user has a second factor. With the lock of the user, nobody adds or removes one meanwhile. */
export function holdsFactor(sql: Sql, userId: number): Promise<boolean> {
  return exists(sql)`FROM users WHERE id = ${userId} AND (
      EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)
      OR EXISTS (
        SELECT 1 FROM code_secrets WHERE code_secrets.user_id = users.id AND confirmed_at IS NOT NULL
      )
    )`;
}
