import type { AccessKey, AuditEntry, Organization } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { Form, type FormProblems, NOT_ACCEPTED, noProblems, problemsOf, Select } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { leaveNotice, takeNotice } from '../design/notice.js';
import { CopyText } from '../design/parts.js';
import { Moment, type TimeZone, ZoneNote } from '../design/times.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { accessKeyPath, GenerateForm } from './access-key.js';
import { Activity, activityPath } from './list-activity.js';
import { organizationPath } from './sections.js';

const labels = { time_zone: 'Time zone' };
/** How many of the last entries of the audit trail. */
const RECENT = 5;

/** What the owner looks after: the access key, the time zone, and what was done in the organization. */
export function organization(dashboard: Dashboard): Page {
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
        const wanted = timeZone === '' ? null : timeZone;
        await dashboard.core.setTimeZone({ organization, timeZone: wanted, by: byVisitor(visit) });
        leaveNotice(dashboard, response, 'time-zone-set');
        response.redirect(303, organizationPath(organization.id));
      } catch (error) {
        await showOrganization(dashboard, visit, { timeZone, problems: problemsOf(error, labels) });
      }
    }),
  };
}

interface ZoneForm {
  /** Empty: none of its own. */
  readonly timeZone: string;
  readonly problems: FormProblems;
}

async function showOrganization(dashboard: Dashboard, visit: Visit, form: ZoneForm): Promise<void> {
  const { core, address } = dashboard;
  const { organization, zone, request, response } = visit;
  const [accessKey, activity] = await Promise.all([
    core.readAccessKey({ organization }),
    core.listActivity({ organization, size: RECENT }),
  ]);
  const refused = form.problems !== noProblems;
  showTo(visit, dashboard, {
    status: refused ? NOT_ACCEPTED : 200,
    title: `${refused ? 'Error: ' : ''}${organization.name}`,
    body: (
      <OrganizationView
        {...{ organization, accessKey, form, zone }}
        baseUrl={`${address.url}/api/v2`}
        entries={activity.items}
        token={visit.signedIn.formToken}
        notice={takeNotice(dashboard, request, response)}
      />
    ),
  });
}

interface OrganizationViewProps {
  readonly organization: Organization;
  readonly accessKey: AccessKey | null;
  readonly baseUrl: string;
  readonly entries: readonly AuditEntry[];
  readonly form: ZoneForm;
  readonly zone: TimeZone;
  readonly token: FormToken;
  readonly notice: string | null;
}

function OrganizationView(view: OrganizationViewProps) {
  const { organization, accessKey, baseUrl, entries, form, zone, token, notice } = view;
  return (
    <>
      <h1>
        <bdi>{organization.name}</bdi>
      </h1>
      {notice !== null && <Notice>{notice}</Notice>}
      <section class="card" aria-labelledby="programs">
        <h2 id="programs">For programs</h2>
        <p>
          With these and the access key a program reaches the interface. <a href="/docs/guide">The guide</a>{' '}
          shows how.
        </p>
        <div class="columns">
          <CopyText id="base-url" label="Base URL" text={baseUrl} />
          <CopyText id="organization-id" label="Organization id" text={String(organization.id)} />
        </div>
      </section>
      <AccessKeyCard {...{ organization, accessKey, zone, token }} />
      <TimeZoneCard form={form} token={token} organizationId={organization.id} />
      <section aria-labelledby="recent">
        <h2 class="list-title" id="recent">
          Recent activity
        </h2>
        <Activity entries={entries} zone={zone} />
        {entries.length > 0 && (
          <>
            <ZoneNote zone={zone} />
            <p>
              <a href={activityPath(organization.id)}>All activity</a>
            </p>
          </>
        )}
      </section>
    </>
  );
}

type AccessKeyCardProps = Pick<OrganizationViewProps, 'organization' | 'accessKey' | 'zone' | 'token'>;

function AccessKeyCard({ organization, accessKey, zone, token }: AccessKeyCardProps) {
  return (
    <section class="card" aria-labelledby="access-key">
      <h2 id="access-key">Access key</h2>
      {accessKey === null ? (
        <>
          <p>
            There is no access key yet, so no program can act for <bdi>{organization.name}</bdi>. Generate
            one, and have the place at hand where you keep secrets: it is shown once.
          </p>
          <GenerateForm organization={organization} token={token} />
        </>
      ) : (
        <>
          <dl class="facts">
            <dt>Key</dt>
            <dd>
              <span class="masked" aria-hidden="true">
                •••• •••• •••• •••• •••• ••••
              </span>
              <span class="unseen">24 digits, not shown</span>
            </dd>
            <dt>Made</dt>
            <dd>
              <Moment moment={accessKey.createdAt} zone={zone} />
            </dd>
            <dt>Last used</dt>
            <dd>
              {accessKey.usedAt === null ? 'Not yet' : <Moment moment={accessKey.usedAt} zone={zone} />}
            </dd>
          </dl>
          <p class="fine">A key is shown once, when it is made. If it is lost, replace it.</p>
          <p>
            <a href={accessKeyPath(organization.id)}>Replace the access key</a>
          </p>
        </>
      )}
    </section>
  );
}

/** Of each zone the one name that the runtime prefers, and UTC, which not every runtime lists. */
const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
  value,
  text: value.replaceAll('_', ' '),
}));

const ZONE_HELP =
  'Where “today”, “last week” and “last month” begin and end when meetings are exported. A zone is named after a city, such as Europe/Helsinki: choose one whose clocks show what yours show.';

interface TimeZoneCardProps {
  readonly form: ZoneForm;
  readonly token: FormToken;
  readonly organizationId: number;
}

function TimeZoneCard({ form: { timeZone, problems }, token, organizationId }: TimeZoneCardProps) {
  const isListed = timeZone === '' || zones.some(({ value }) => value === timeZone);
  const own = isListed ? [] : [{ value: timeZone, text: timeZone }];
  return (
    <section class="card" aria-labelledby="time-zone">
      <h2 id="time-zone">Time zone of exports</h2>
      <Form action={organizationPath(organizationId)} token={token} problem={problems.whole}>
        <Select
          name="time_zone"
          label={labels.time_zone}
          choices={[{ value: '', text: 'The zone of this service' }, ...own, ...zones]}
          value={timeZone}
          help={ZONE_HELP}
          problem={problems.fields.time_zone}
        />
        <div class="actions">
          <button type="submit">Save the time zone</button>
        </div>
      </Form>
    </section>
  );
}
