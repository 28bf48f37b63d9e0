import type { Dashboard } from '../dashboard.js';
import { NOT_ACCEPTED, noProblems, problemsOf } from '../design/form.js';
import { leaveNotice, takeNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { OrganizationView } from './organization-view.js';
import { organizationPath } from './sections.js';
import { type TimeZoneInput, timeZoneLabels } from './time-zone-card.js';

/** The number of audit entries that the page shows. */
const RECENT_ENTRIES = 5;

/** The organization's settings for its owners: the access key, the time zone, and the latest activity. */
export function setTimeZone(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id',
    get: inOrganization(dashboard, { role: 'owner', section: 'organization' }, (visit) =>
      showOrganization(dashboard, visit, {
        timeZone: visit.organization.timeZone ?? '',
        problems: noProblems,
      }),
    ),
    post: inOrganization(dashboard, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, request, response } = visit;
      const timeZone = fieldOf(request, 'time_zone');
      try {
        const requested = timeZone === '' ? null : timeZone;
        await dashboard.core.setTimeZone({ organization, timeZone: requested, by: byVisitor(visit) });
        leaveNotice(dashboard, response, 'time-zone-set');
        response.redirect(303, organizationPath(organization.id));
      } catch (error) {
        await showOrganization(dashboard, visit, { timeZone, problems: problemsOf(error, timeZoneLabels) });
      }
    }),
  };
}

async function showOrganization(dashboard: Dashboard, visit: Visit, form: TimeZoneInput): Promise<void> {
  const { core, address, defaultTimeZone } = dashboard;
  const { organization, zone, request, response } = visit;
  const [accessKey, activity] = await Promise.all([
    core.readAccessKey({ organization }),
    core.listActivity({ organization, size: RECENT_ENTRIES }),
  ]);
  const refused = form.problems !== noProblems;
  showTo(visit, dashboard, {
    status: refused ? NOT_ACCEPTED : 200,
    title: `${refused ? 'Error: ' : ''}${organization.name}`,
    body: (
      <OrganizationView
        {...{ organization, accessKey, form, zone, defaultTimeZone }}
        baseUrl={`${address.url}/api/v2`}
        entries={activity.items}
        token={visit.signedIn.formToken}
        notice={takeNotice(dashboard, request, response)}
      />
    ),
  });
}
