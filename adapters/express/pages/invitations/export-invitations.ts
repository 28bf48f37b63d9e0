import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { sendCsv } from '../send-csv.js';
import { requireMember } from '../visit.js';
import { queryIn } from './invitations-query.js';

/** The invitations that the list shows with the same address, on all its pages, as a CSV file. */
export function exportInvitations(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations.csv',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { search, state } = queryIn(visit.request);
      const filter = { organization: visit.organization, search, state };
      // Each of them reads the whole list if there is a search.
      const [{ chunks }, { totalItems }] = await Promise.all([
        deps.core.exportInvitations(filter),
        deps.core.listInvitations(filter),
      ]);
      await sendCsv(deps, visit, { list: 'invitations', rows: totalItems, chunks });
    }),
  };
}
