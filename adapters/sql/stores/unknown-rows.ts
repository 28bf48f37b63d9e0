import type { Database } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { exists } from '../engine/statements.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';

/**
 * Runs work that stores something for the organization. Returns 'unknown-organization' if it failed because the
 * organization does not exist.
 */
export const unlessOrganizationUnknown = unlessMissing('organizations', 'unknown-organization');

/**
 * Runs work that stores something for the user. Returns 'unknown-user' if it failed because the user does not exist, for
 * example because the person was erased meanwhile.
 */
export const unlessUserUnknown = unlessMissing('users', 'unknown-user');

/** The foreign key decides, so that successful work needs no further statement. */
function unlessMissing<const Missing>(table: string, missing: Missing) {
  return async <Answer>(
    { read }: Pick<Database, 'read'>,
    id: number,
    work: () => Promise<Answer>,
  ): Promise<Answer | Missing> => {
    try {
      return await work();
    } catch (error) {
      if (!isSqliteConstraintError(error) && !isPostgresConstraintError(error)) throw error;
      if (await exists(read)`FROM ${raw(table)} WHERE id = ${id}`) throw error;
      return missing;
    }
  };
}
