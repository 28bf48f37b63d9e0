import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { clampPage, type PageOf, pageOf, pageOffset } from '../values/page.js';
import type { AuditEntry, Organization } from './ports.js';

export interface ListActivity {
  readonly organization: Pick<Organization, 'id'>;
  /** Both are limited to their range and never refused: `page` from 1, `size` from 1 to 100 (default 50). */
  readonly page?: unknown;
  readonly size?: unknown;
}

/** Lists who did what in the organization, newest first. */
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
