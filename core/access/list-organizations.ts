import type { Uses } from '../deps.js';
import type { Organization } from './ports/organizations.js';

/** Lists all organizations by id. */
export async function listOrganizations({
  organizations,
}: Uses<'organizations.list'>): Promise<readonly Organization[]> {
  return organizations.list();
}
