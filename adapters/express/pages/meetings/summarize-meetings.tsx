import { BackLink } from '../design/components.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import { WeekChart } from './week-chart.js';

/** As many weeks fit beside the chart of seats at 1280 pixels, each wide enough to be pressed. */
const SHOWN = { weeksBefore: 6, weeksAfter: 8 };

/** The meetings and seats of the weeks around the present one, each of which leads to its meetings. */
export const summarizeMeetings = memberPage({
  path: paths.weeks(':id'),
  section: 'meetings',
  async get(visit) {
    const { core, organization } = visit;
    const summary = await core.summarizeMeetings({ organization, ...SHOWN });
    const path = paths.organizationMeetings(organization.id);
    visit.show({
      title: `Meetings of ${organization.name} by week`,
      body: (
        <>
          <BackLink href={listPath(visit, path)}>Meetings</BackLink>
          <h1>Meetings by week</h1>
          <section class="card" aria-label="Meetings and seats by week">
            <WeekChart {...summary} path={path} />
          </section>
        </>
      ),
    });
  },
});
