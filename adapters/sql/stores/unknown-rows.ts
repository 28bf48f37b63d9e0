import { type Database, exists } from '../engine/database.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';

type Reading = Pick<Database, 'read'>;

/**
 * Runs work that stores something for the organization. Returns 'unknown-organization' if it failed because the
 * organization does not exist.
 */
export function unlessOrganizationUnknown<Answer>(
  database: Reading,
  organizationId: number,
  work: () => Promise<Answer>,
): Promise<Answer | 'unknown-organization'> {
  return unlessMissing(
    database,
    { table: 'organizations', id: organizationId },
    work,
    'unknown-organization',
  );
}

/**
 * Runs work that stores something for the user. Returns 'unknown-user' if it failed because the user does not exist, for
 * example because the person was erased meanwhile.
 */
export function unlessUserUnknown<Answer>(
  database: Reading,
  userId: number,
  work: () => Promise<Answer>,
): Promise<Answer | 'unknown-user'> {
  return unlessMissing(database, { table: 'users', id: userId }, work, 'unknown-user');
}

/** The foreign key decides, so that successful work needs no further statement. */
async function unlessMissing<Answer, Missing>(
  { read }: Reading,
  { table, id }: { readonly table: 'organizations' | 'users'; readonly id: number },
  work: () => Promise<Answer>,
  missing: Missing,
): Promise<Answer | Missing> {
  try {
    return await work();
  } catch (error) {
    if (!isSqliteConstraintError(error) && !isPostgresConstraintError(error)) throw error;
    if (await exists(read, `FROM ${table} WHERE id = ?`, [id])) throw error;
    return missing;
  }
}
