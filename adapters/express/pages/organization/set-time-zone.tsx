import type { AccessKey } from '@rollcall/core';
import { Badge, ButtonLink, Card, CopyText, Facts } from '../design/components.js';
import { Form, HiddenFields, Select, Submit } from '../design/form.js';
import { Timestamp, zoneName } from '../design/times.js';
import { memberForm, type ShownForm } from '../form-page.js';
import { paths } from '../paths.js';
import { StateBadge } from '../sign-on/configure-sign-on.js';
import { SetupLinkCard } from '../sign-on/setup-link.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { GENERATION, MaskedKey } from './generate-access-key.js';
import { organizationNow } from './rename-organization.js';

const SHOWN_TIME_ZONE = 'shown_time_zone';

/** The settings of the organization. The time zone is the one that is changed here. */
export const setTimeZone = memberForm({
  path: paths.settings(':id'),
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
    visit.leadTo(paths.settings(organization.id), 'time-zone-set');
  },
  show: showSettings,
});

type TimeZoneForm = ShownForm<'time_zone' | typeof SHOWN_TIME_ZONE>;

async function showSettings(visit: MemberVisit, form: TimeZoneForm): Promise<void> {
  const { core, organization, address, session } = visit;
  const [accessKey, signOn, setupLink, requiresFactor] = await Promise.all([
    core.readAccessKey({ organization }),
    core.readSignOn({ organization }),
    core.findSetupLink({ organization }),
    core.isSecondFactorRequired({ organization }),
  ]);
  visit.show(
    { title: `Settings of ${organization.name}`, problems: form.problems, notice: visit.consumeNotice() },
    <h1>Settings</h1>,
    <Card id="programs" title="API">
      <p>
        Use these with your access key to call the API. <a href="/docs/guide">The guide</a> shows how.
      </p>
      <div class="columns">
        <CopyText id="base-url" label="Base URL" text={`${address.url}/api/v2`} />
        <CopyText id="organization-id" label="Organization ID" text={String(organization.id)} />
      </div>
    </Card>,
    <AccessKeyCard {...{ visit, accessKey }} />,
    <Card id="name" title="Name">
      <p>
        <bdi>{organization.name}</bdi>
      </p>
      <p class="secondary-text">Shown to your members and to the people whom you invite.</p>
      <ButtonLink href={paths.organizationName(organization.id)} text="Change the name" />
    </Card>,
    <TimeZoneCard {...{ visit, form }} />,
    <Card id="sign-on" title="Sign-on">
      <p>
        <StateBadge {...(signOn ?? { isOn: false, isRequired: false })} />
      </p>
      <p class="secondary-text">Let your members sign in at your own identity provider (SSO).</p>
      <ButtonLink
        href={paths.signOn(organization.id)}
        text={signOn === null ? 'Set sign-on up' : 'Change sign-on'}
      />
    </Card>,
    <Card id="second-factor" title="Second factor">
      <p>
        <Badge tone={requiresFactor ? 'success' : 'neutral'}>
          {requiresFactor ? 'Required' : 'Optional'}
        </Badge>
      </p>
      <p class="secondary-text">
        {requiresFactor
          ? 'Owners and admins who sign in with a password need a passkey or a code as well.'
          : 'Ask owners and admins who sign in with a password for a passkey or a code as well.'}
        {!session.hasSecondFactor && ' To change this, you need a second factor of your own first.'}
      </p>
      <ButtonLink
        href={paths.requireSecondFactor(organization.id)}
        text={requiresFactor ? 'Stop requiring a second factor' : 'Require a second factor'}
      />
    </Card>,
    <Card id="directory" title="Directory">
      <p>Let your identity provider add, change and deactivate your people (SCIM 2.0).</p>
      <ButtonLink href={paths.directory(organization.id)} text="Show the directory" />
    </Card>,
    <SetupLinkCard {...{ visit, link: setupLink }} />,
  );
}

function AccessKeyCard({ visit, accessKey }: PartProps<{ accessKey: AccessKey | null }>) {
  const { organization, zone, signedIn } = visit;
  return (
    <Card id="access-key" title="Access key">
      {accessKey === null ? (
        <>
          <p>
            There is no access key yet. Your programs need one to call the API for{' '}
            <bdi>{organization.name}</bdi>. It is shown once, so have your password manager ready.
          </p>
          <Form action={paths.accessKey(organization.id)} token={signedIn.formToken}>
            <HiddenFields fields={{ [GENERATION]: String(organization.accessKeyGeneration) }} />
            <Submit label="Generate the access key" />
          </Form>
        </>
      ) : (
        <>
          <Facts
            of={{
              Key: <MaskedKey {...accessKey} />,
              Created: <Timestamp at={accessKey.createdAt} zone={zone} />,
              'Last used':
                accessKey.usedAt === null ? 'Never' : <Timestamp at={accessKey.usedAt} zone={zone} />,
              'Old key': accessKey.previous !== null && <OldKey {...accessKey.previous} zone={zone} />,
            }}
          />
          <p class="secondary-text">The key is shown once, when you generate it. Lost it? Replace it.</p>
          <div class="actions">
            <ButtonLink href={paths.apiCalls(organization.id)} text="Show the last API calls" />
            <ButtonLink
              href={paths.accessKeyName(organization.id)}
              text={accessKey.name === null ? 'Name the access key' : 'Rename the access key'}
            />
            <ButtonLink
              kind="destructive"
              href={paths.accessKey(organization.id)}
              text="Replace the access key"
            />
          </div>
        </>
      )}
    </Card>
  );
}

type OldKeyProps = NonNullable<AccessKey['previous']> & Pick<MemberVisit, 'zone'>;

function OldKey({ until, usedAt, zone, ...label }: OldKeyProps) {
  return (
    <>
      <MaskedKey {...label} />
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

function zoneTitle(timeZone: string, defaultTimeZone: string): string {
  return timeZone === '' ? `Default (${zoneName(defaultTimeZone)})` : zoneName(timeZone);
}

const HELP =
  'Decides when “today”, “last week” and “last month” begin and end in exports. Choose your city, such as Europe/Helsinki, or one in the same time zone.';

function TimeZoneCard({ visit, form: { values, problems, control } }: PartProps<{ form: TimeZoneForm }>) {
  const { time_zone: timeZone, [SHOWN_TIME_ZONE]: shown } = values;
  // Each by the name that the runtime prefers, and UTC, which not every runtime lists.
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  const zones = [...names].map((value) => ({ value, text: zoneName(value) }));
  const isListed = timeZone === '' || zones.some(({ value }) => value === timeZone);
  const unlisted = isListed ? [] : [{ value: timeZone, text: timeZone }];
  const byDefault = { value: '', text: zoneTitle('', visit.defaultTimeZone) };
  return (
    <Card id="time-zone" title="Time zone of exports">
      <Form action={paths.settings(visit.organization.id)} token={visit.token} problem={problems.general}>
        <HiddenFields fields={{ [SHOWN_TIME_ZONE]: shown }} />
        <Select {...control('timeZone')} choices={[byDefault, ...unlisted, ...zones]} help={HELP} />
        <Submit label="Save the time zone" kind="secondary" />
      </Form>
    </Card>
  );
}
