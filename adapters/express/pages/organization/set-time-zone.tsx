import type { AccessKey, AuditEntry, FirstSteps } from '@rollcall/core';
import { Button, ButtonLink, CopyText, DataTable, Facts, OnThisPage } from '../design/components.js';
import { Form, HiddenFields, Select } from '../design/form.js';
import { Timestamp, type TimeZone, ZoneNote, zoneName } from '../design/times.js';
import { memberForm, type ShownForm } from '../form-page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { GenerateForm, MaskedKey } from './generate-access-key.js';
import { FirstStepsCard, HideForm, hasOpenSteps } from './hide-first-steps.js';
import { activityTable, NoActivity } from './list-activity.js';
import { readOverview, Tiles } from './overview.js';
import { organizationNow } from './rename-organization.js';

/** The number of audit entries that the page shows. */
const RECENT_ENTRIES = 5;

/** The field with the zone that the form showed. */
const SHOWN_TIME_ZONE = 'shown_time_zone';

/** The home of an owner: how the organization is doing, the first steps, the latest activity, and the settings. */
export const setTimeZone = memberForm({
  path: paths.organization(':id'),
  section: 'organization',
  fields: ['time_zone', SHOWN_TIME_ZONE],
  labels: { timeZone: 'Time zone' },
  seen: SHOWN_TIME_ZONE,
  about: organizationNow,
  initial: ({ timeZone }) => ({ time_zone: timeZone ?? '', [SHOWN_TIME_ZONE]: timeZone ?? '' }),
  outdated({ timeZone }, { time_zone: requested }, { defaultTimeZone }) {
    const titles = [timeZone ?? '', requested].map((zone) => zoneTitle(zone, defaultTimeZone));
    const change = `Someone changed the time zone to ${titles[0]} after you opened this page`;
    return { timeZone: `${change}. Save again to make it ${titles[1]}.` };
  },
  async send(visit, { time_zone: timeZone, [SHOWN_TIME_ZONE]: shown }) {
    const { core, organization, by } = visit;
    await core.setTimeZone({ organization, timeZone: timeZone || null, replaces: shown || null, by });
    visit.leadTo(paths.organization(organization.id), 'time-zone-set');
  },
  show: showOrganization,
});

type TimeZoneForm = ShownForm<'time_zone' | typeof SHOWN_TIME_ZONE>;

async function showOrganization(visit: MemberVisit, form: TimeZoneForm): Promise<void> {
  const { core, organization } = visit;
  const [overview, accessKey, activity, firstSteps] = await Promise.all([
    readOverview(visit),
    core.readAccessKey({ organization }),
    core.listActivity({ organization, size: RECENT_ENTRIES }),
    core.readFirstSteps({ organization }),
  ]);
  visit.show({
    title: organization.name,
    problems: form.problems,
    notice: visit.consumeNotice(),
    body: <OrganizationView {...{ visit, overview, accessKey, firstSteps, form }} entries={activity.items} />,
  });
}

interface OrganizationViewProps {
  readonly visit: MemberVisit;
  readonly overview: Awaited<ReturnType<typeof readOverview>>;
  readonly accessKey: AccessKey | null;
  readonly firstSteps: FirstSteps;
  readonly entries: readonly AuditEntry[];
  readonly form: TimeZoneForm;
}

function OrganizationView(view: OrganizationViewProps) {
  const { visit, overview, accessKey, firstSteps, entries, form } = view;
  const { organization, zone, address } = visit;
  const token = visit.signedIn.formToken;
  const hasFirstSteps = hasOpenSteps(firstSteps);
  return (
    <>
      <h1>
        <bdi>{organization.name}</bdi>
      </h1>
      <Tiles {...{ visit, overview }} />
      {hasFirstSteps && !firstSteps.isHidden && (
        <FirstStepsCard organization={organization} steps={firstSteps} token={token} />
      )}
      <section aria-labelledby="recent">
        <h2 class="list-title" id="recent">
          Recent activity
        </h2>
        {entries.length === 0 ? (
          <NoActivity />
        ) : (
          <>
            <DataTable rows={entries} {...activityTable(zone)} />
            <ZoneNote zone={zone} />
            <ButtonLink kind="secondary" href={paths.activity(organization.id)}>
              All activity
            </ButtonLink>
          </>
        )}
      </section>
      <OnThisPage parts={parts} />
      <section class="card" aria-labelledby="programs">
        <h2 id="programs">API</h2>
        <p>
          Use these with your access key to call the API. <a href="/docs/guide">The guide</a> shows how.
        </p>
        <div class="columns">
          <CopyText id="base-url" label="Base URL" text={`${address.url}/api/v2`} />
          <CopyText id="organization-id" label="Organization ID" text={String(organization.id)} />
        </div>
      </section>
      <AccessKeyCard {...{ visit, accessKey }} />
      <section class="card" aria-labelledby="name">
        <h2 id="name">Name</h2>
        <p>
          <bdi>{organization.name}</bdi>
        </p>
        <p class="secondary-text">Shown to your members and to the people whom you invite.</p>
        <ButtonLink kind="secondary" href={paths.organizationName(organization.id)}>
          Change the name
        </ButtonLink>
      </section>
      <TimeZoneCard {...{ visit, form }} />
      {hasFirstSteps && firstSteps.isHidden && (
        <HideForm organizationId={organization.id} token={token} isHidden />
      )}
    </>
  );
}

const parts = [
  { id: 'programs', title: 'API' },
  { id: 'access-key', title: 'Access key' },
  { id: 'name', title: 'Name' },
  { id: 'time-zone', title: 'Time zone' },
];

type AccessKeyCardProps = Pick<OrganizationViewProps, 'visit' | 'accessKey'>;

function AccessKeyCard({ visit: { organization, zone, signedIn }, accessKey }: AccessKeyCardProps) {
  return (
    <section class="card" aria-labelledby="access-key">
      <h2 id="access-key">Access key</h2>
      {accessKey === null ? (
        <>
          <p>
            There is no access key yet. Your programs need one to call the API for{' '}
            <bdi>{organization.name}</bdi>. It is shown once, so have your password manager ready.
          </p>
          <GenerateForm organization={organization} token={signedIn.formToken} />
        </>
      ) : (
        <>
          <Facts
            of={{
              Key: <MaskedKey accessKey={accessKey} />,
              Created: <Timestamp at={accessKey.createdAt} zone={zone} />,
              'Last used':
                accessKey.usedAt === null ? 'Never' : <Timestamp at={accessKey.usedAt} zone={zone} />,
              'Old key': accessKey.previous !== null && <OldKey {...accessKey.previous} zone={zone} />,
            }}
          />
          <p class="secondary-text">The key is shown once, when you generate it. Lost it? Replace it.</p>
          <div class="actions">
            <ButtonLink kind="secondary" href={paths.apiCalls(organization.id)}>
              Show the last API calls
            </ButtonLink>
            <ButtonLink kind="secondary" href={paths.accessKeyName(organization.id)}>
              {accessKey.name === null ? 'Name the access key' : 'Rename the access key'}
            </ButtonLink>
            <ButtonLink kind="destructive" href={paths.accessKey(organization.id)}>
              Replace the access key
            </ButtonLink>
          </div>
        </>
      )}
    </section>
  );
}

interface OldKeyProps extends NonNullable<AccessKey['previous']> {
  readonly zone: TimeZone;
}

function OldKey({ until, usedAt, zone, ...label }: OldKeyProps) {
  return (
    <>
      <MaskedKey accessKey={label} />
      <br />
      Works until <Timestamp at={until} zone={zone} />
      {usedAt !== null && (
        <>
          , last used <Timestamp at={usedAt} zone={zone} />
        </>
      )}
    </>
  );
}

/** Each zone by the name that the runtime prefers, and UTC, which not every runtime lists. */
const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
  value,
  text: zoneName(value),
}));

/** The zone as the form names it. */
function zoneTitle(timeZone: string, defaultTimeZone: string): string {
  return timeZone === '' ? `Default (${zoneName(defaultTimeZone)})` : zoneName(timeZone);
}

const HELP =
  'Decides when “today”, “last week” and “last month” begin and end in exports. Choose your city, such as Europe/Helsinki, or one in the same time zone.';

function TimeZoneCard({
  visit,
  form: { values, problems, control },
}: Pick<OrganizationViewProps, 'visit' | 'form'>) {
  const { time_zone: timeZone, [SHOWN_TIME_ZONE]: shown } = values;
  const isListed = timeZone === '' || zones.some(({ value }) => value === timeZone);
  const unlisted = isListed ? [] : [{ value: timeZone, text: timeZone }];
  const byDefault = { value: '', text: zoneTitle('', visit.defaultTimeZone) };
  return (
    <section class="card" aria-labelledby="time-zone">
      <h2 id="time-zone">Time zone of exports</h2>
      <Form action={paths.organization(visit.organization.id)} token={visit.token} problem={problems.general}>
        <HiddenFields fields={{ [SHOWN_TIME_ZONE]: shown }} />
        <Select {...control('timeZone')} choices={[byDefault, ...unlisted, ...zones]} help={HELP} />
        <div class="actions">
          <Button kind="secondary">Save the time zone</Button>
        </div>
      </Form>
    </section>
  );
}
