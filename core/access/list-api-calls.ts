import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { clampPage, type PageOf, type PageRequest, pageOf, pageOffset } from '../values/page.js';
import type { OfOrganization } from './of-organization.js';
import type { ApiCall } from './ports/api-calls.js';

/** The request of `listApiCalls`. */
export interface ListApiCalls extends OfOrganization, PageRequest {
  /** Only calls that were refused or failed. Left out: all. */
  readonly onlyFailed?: boolean | undefined;
  /** Only calls of this operation. Left out: of any. */
  readonly operation?: string | undefined;
}

/** A page of calls. */
export interface ListedApiCalls extends PageOf<ApiCall> {
  /** The operations of all calls that are kept, by name. */
  readonly operations: readonly string[];
}

/**
 * Lists the latest calls of the API of the organization, newest first: at most 200 are kept.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function listApiCalls(
  { apiCalls }: Uses<'apiCalls.latest'>,
  { organization, onlyFailed = false, operation, ...requested }: ListApiCalls,
): Promise<ListedApiCalls> {
  const organizationId = checkId('organization.id', organization.id);
  const page = clampPage({ page: requested.page, size: requested.size, defaultSize: 50 });
  const all = await apiCalls.latest(organizationId);
  const found = all.filter(
    (call) => (!onlyFailed || hasFailed(call)) && (operation === undefined || call.operation === operation),
  );
  const items = found.slice(pageOffset(page), pageOffset(page) + page.size);
  const operations = [...new Set(all.map((call) => call.operation))].sort();
  return { ...pageOf(page, { items, total: found.length }), operations };
}

function hasFailed({ status }: ApiCall): boolean {
  return status === null || status >= 400;
}
