import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../values/page.js';
import { type ActivitySelection, auditFilters } from './activity-selection.js';
import type { OfOrganization } from './of-organization.js';
import type { AuditEntry } from './ports/audit-trail.js';

/** The request of `listActivity`. */
export interface ListActivity extends OfOrganization, ActivitySelection, PageRequest {}

/**
 * Lists who did what in the organization, newest first.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
 * `organization.id` or the id of the user is not an id, or `kind` is unknown.
 */
export async function listActivity(
  { auditTrail }: Uses<'auditTrail.list'>,
  { organization, page: number, size, ...selection }: ListActivity,
): Promise<PageOf<AuditEntry>> {
  const organizationId = checkId('organization.id', organization.id);
  const page = clampPage({ page: number, size, defaultSize: 50 });
  const { entries, total } = await auditTrail.list({
    ...{ organizationId, offset: pageOffset(page), limit: page.size },
    ...auditFilters(selection),
  });
  return pageOf(page, { items: entries, total });
}
