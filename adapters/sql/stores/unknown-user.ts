import type { Database } from '../engine/database.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';

/**
 * Whether storing something for a user has failed because the user does not exist, for example because the person was
 * erased meanwhile. The foreign key decides, so that successful work needs no further statement.
 */
export async function isUserUnknown(
  { read }: Pick<Database, 'read'>,
  { error, userId }: { readonly error: unknown; readonly userId: number },
): Promise<boolean> {
  if (!isSqliteConstraintError(error) && !isPostgresConstraintError(error)) return false;
  return (await read.get('SELECT 1 FROM users WHERE id = ?', [userId])) === undefined;
}
