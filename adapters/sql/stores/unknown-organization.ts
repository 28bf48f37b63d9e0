import type { Database } from '../engine/database.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';

/**
 * Runs work that stores something for the organization. Returns 'unknown-organization' if it failed because the
 * organization does not exist. The foreign key decides, so that successful work needs no further statement.
 */
export async function unlessOrganizationUnknown<Answer>(
  { read }: Pick<Database, 'read'>,
  organizationId: number,
  work: () => Promise<Answer>,
): Promise<Answer | 'unknown-organization'> {
  try {
    return await work();
  } catch (error) {
    if (!isSqliteConstraintError(error) && !isPostgresConstraintError(error)) throw error;
    const organization = await read.get('SELECT 1 FROM organizations WHERE id = ?', [organizationId]);
    if (organization !== undefined) throw error;
    return 'unknown-organization';
  }
}
