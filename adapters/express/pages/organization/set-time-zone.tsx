import { type FormProblems, isOutdated, noProblems, problemsOf } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { OrganizationView } from './organization-view.js';
import { SHOWN_TIME_ZONE, type TimeZoneInput, timeZoneLabels, zoneTitle } from './time-zone-card.js';

/** The number of audit entries that the page shows. */
const RECENT_ENTRIES = 5;

/** The organization's settings for its owners: the first steps, the access key, the time zone, and the latest activity. */
export const setTimeZone = memberPage({
  path: paths.organization(':id'),
  role: 'owner',
  section: 'organization',
  keeps: ['time_zone', SHOWN_TIME_ZONE],
  get(visit) {
    const { organization, kept } = visit;
    const current = organization.timeZone ?? '';
    return showOrganization(visit, {
      timeZone: kept?.time_zone ?? current,
      shownTimeZone: kept?.[SHOWN_TIME_ZONE] ?? current,
      problems: noProblems,
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const timeZone = visit.field('time_zone');
    const shown = visit.field(SHOWN_TIME_ZONE);
    try {
      await core.setTimeZone({ organization, timeZone: timeZone || null, replaces: shown || null, by });
      visit.leadTo(paths.organization(organization.id), 'time-zone-set');
    } catch (error) {
      const problems = problemsOf(error, timeZoneLabels);
      // Only a reader who was told of the change may overwrite it.
      const asShown = isOutdated(error)
        ? await outdated(visit, timeZone)
        : { shownTimeZone: shown, problems };
      await showOrganization(visit, { timeZone, ...asShown });
    }
  },
});

/** Asks whether to replace the zone that the organization has by now. */
async function outdated(
  { core, defaultTimeZone, session, organization: { id: organizationId } }: MemberVisit,
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

async function showOrganization(visit: MemberVisit, form: TimeZoneInput): Promise<void> {
  const { core, organization } = visit;
  const [accessKey, activity, firstSteps] = await Promise.all([
    core.readAccessKey({ organization }),
    core.listActivity({ organization, size: RECENT_ENTRIES }),
    core.readFirstSteps({ organization }),
  ]);
  visit.show({
    title: organization.name,
    problems: form.problems,
    notice: visit.consumeNotice(),
    body: <OrganizationView {...{ visit, accessKey, firstSteps, form }} entries={activity.items} />,
  });
}
