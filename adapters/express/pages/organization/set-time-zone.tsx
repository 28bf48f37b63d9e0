import { INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { consumeNotice, setNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { OrganizationView } from './organization-view.js';
import { organizationPath } from './sections.js';
import { type TimeZoneInput, timeZoneLabels } from './time-zone-card.js';

/** The number of audit entries that the page shows. */
const RECENT_ENTRIES = 5;

/** The organization's settings for its owners: the first steps, the access key, the time zone, and the latest activity. */
export function setTimeZone(deps: PageDeps): Page {
  return {
    path: '/organizations/:id',
    get: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { token, kept } = await openForm(deps, visit);
      const timeZone = kept?.time_zone ?? visit.organization.timeZone ?? '';
      await showOrganization(deps, visit, { timeZone, problems: noProblems, token });
    }),
    keptForm: { fields: ['time_zone'] },
    post: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, request, response } = visit;
      const timeZone = fieldOf(request, 'time_zone');
      try {
        const requested = timeZone === '' ? null : timeZone;
        await deps.core.setTimeZone({ organization, timeZone: requested, by: actorOf(visit) });
        setNotice(deps, response, 'time-zone-set');
        response.redirect(303, organizationPath(organization.id));
      } catch (error) {
        const problems = problemsOf(error, timeZoneLabels);
        const { token } = await openForm(deps, visit);
        await showOrganization(deps, visit, { timeZone, problems, token });
      }
    }),
  };
}

async function showOrganization(deps: PageDeps, visit: Visit, form: TimeZoneInput): Promise<void> {
  const { core, address, defaultTimeZone } = deps;
  const { organization, zone, request, response } = visit;
  const [accessKey, activity, firstSteps] = await Promise.all([
    core.readAccessKey({ organization }),
    core.listActivity({ organization, size: RECENT_ENTRIES }),
    core.readFirstSteps({ organization }),
  ]);
  const refused = form.problems !== noProblems;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}${organization.name}`,
    notice: consumeNotice(deps, request, response),
    body: (
      <OrganizationView
        {...{ organization, accessKey, firstSteps, form, zone, defaultTimeZone }}
        baseUrl={`${address.url}/api/v2`}
        entries={activity.items}
        token={visit.signedIn.formToken}
      />
    ),
  });
}
