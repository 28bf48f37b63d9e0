import {
  type FormProblems,
  INVALID_FORM_STATUS,
  isOutdated,
  noProblems,
  problemsOf,
} from '../design/form.js';
import { consumeNotice, setNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { OrganizationView } from './organization-view.js';
import { organizationPath } from './sections.js';
import { SHOWN_TIME_ZONE, type TimeZoneInput, timeZoneLabels, zoneTitle } from './time-zone-card.js';

/** The number of audit entries that the page shows. */
const RECENT_ENTRIES = 5;

/** The organization's settings for its owners: the first steps, the access key, the time zone, and the latest activity. */
export function setTimeZone(deps: PageDeps): Page {
  return {
    path: '/organizations/:id',
    get: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { token, kept } = openForm(deps, visit);
      const current = visit.organization.timeZone ?? '';
      await showOrganization(deps, visit, {
        timeZone: kept?.time_zone ?? current,
        shownTimeZone: kept?.[SHOWN_TIME_ZONE] ?? current,
        problems: noProblems,
        token,
      });
    }),
    keptForm: { fields: ['time_zone', SHOWN_TIME_ZONE] },
    post: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, request, response } = visit;
      const timeZone = fieldOf(request, 'time_zone');
      const shown = fieldOf(request, SHOWN_TIME_ZONE);
      try {
        const change = { timeZone: timeZone || null, replaces: shown || null };
        await deps.core.setTimeZone({ organization, ...change, by: actorOf(visit) });
        setNotice(deps, response, 'time-zone-set');
        response.redirect(303, organizationPath(organization.id));
      } catch (error) {
        const problems = problemsOf(error, timeZoneLabels);
        const { token } = openForm(deps, visit);
        // Only a reader who was told of the change may overwrite it.
        const asShown = isOutdated(error)
          ? await outdated(deps, visit, timeZone)
          : { shownTimeZone: shown, problems };
        await showOrganization(deps, visit, { timeZone, ...asShown, token });
      }
    }),
  };
}

/** Asks whether to replace the zone that the organization has by now. */
async function outdated(
  { core, defaultTimeZone }: PageDeps,
  { session, organization: { id: organizationId } }: Visit,
  timeZone: string,
): Promise<Pick<TimeZoneInput, 'shownTimeZone' | 'problems'>> {
  const { organization } = await core.authorizeMember({ session, organizationId, role: 'owner' });
  const shownTimeZone = organization.timeZone ?? '';
  const [current, requested] = [shownTimeZone, timeZone].map((zone) => zoneTitle(zone, defaultTimeZone));
  const change = `Someone changed the time zone to ${current} after you opened this page`;
  const problems: FormProblems = {
    general: null,
    fields: { timeZone: `${change}. Save again to make it ${requested}.` },
  };
  return { shownTimeZone, problems };
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
