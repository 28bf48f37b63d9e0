import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { sendCsv } from '../send-csv.js';
import { requireMember } from '../visit.js';
import { queryIn } from './people-query.js';

/** The people that the list shows with the same address, on all its pages, as a CSV file. */
export function exportMembers(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/people.csv',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { search, role } = queryIn(visit.request);
      const filter = { organization: visit.organization, search, role };
      // Each of them reads the whole list if there is a search.
      const [{ chunks }, { totalItems }] = await Promise.all([
        deps.core.exportMembers(filter),
        deps.core.listMembers(filter),
      ]);
      await sendCsv(deps, visit, { list: 'people', rows: totalItems, chunks });
    }),
  };
}
