import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../values/page.js';
import type { OfOrganization } from './of-organization.js';
import type { AuditEntry } from './ports/audit-trail.js';

/** The request of `listActivity`. */
export interface ListActivity extends OfOrganization, PageRequest {}

/**
 * Lists who did what in the organization, newest first.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function listActivity(
  { auditTrail }: Uses<'auditTrail.list'>,
  { organization, ...requested }: ListActivity,
): Promise<PageOf<AuditEntry>> {
  const organizationId = checkId('organization.id', organization.id);
  const page = clampPage({ page: requested.page, size: requested.size, defaultSize: 50 });
  const { entries, total } = await auditTrail.list({
    organizationId,
    offset: pageOffset(page),
    limit: page.size,
  });
  return pageOf(page, { items: entries, total });
}
