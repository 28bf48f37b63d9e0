import type { AccessKey, AuditEntry, FirstSteps } from '@rollcall/core';
import { ButtonLink } from '../design/button.js';
import { CopyText, DataTable, Facts, OnThisPage } from '../design/components.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { FirstStepsCard, hasOpenSteps } from './first-steps-card.js';
import { GenerateForm } from './generate-access-key.js';
import { HideForm } from './hide-first-steps.js';
import { activityTable, NoActivity } from './list-activity.js';
import { TimeZoneCard, type TimeZoneInput } from './time-zone-card.js';

interface OrganizationViewProps {
  readonly visit: MemberVisit;
  readonly accessKey: AccessKey | null;
  readonly firstSteps: FirstSteps;
  readonly entries: readonly AuditEntry[];
  readonly form: TimeZoneInput;
}

export function OrganizationView({ visit, accessKey, firstSteps, entries, form }: OrganizationViewProps) {
  const { organization, zone, address } = visit;
  const token = visit.signedIn.formToken;
  const hasFirstSteps = hasOpenSteps(firstSteps);
  return (
    <>
      <h1>
        <bdi>{organization.name}</bdi>
      </h1>
      {hasFirstSteps && !firstSteps.isHidden && (
        <FirstStepsCard organization={organization} steps={firstSteps} token={token} />
      )}
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
  { id: 'recent', title: 'Recent activity' },
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
              Key: (
                <>
                  <span class="masked" aria-hidden="true">
                    •••• •••• •••• •••• •••• ••••
                  </span>
                  <span class="visually-hidden">24 digits, not shown</span>
                </>
              ),
              Created: <Timestamp at={accessKey.createdAt} zone={zone} />,
              'Last used':
                accessKey.usedAt === null ? 'Never' : <Timestamp at={accessKey.usedAt} zone={zone} />,
              'Old key': accessKey.previous !== null && <OldKey {...accessKey.previous} zone={zone} />,
            }}
          />
          <p class="secondary-text">The key is shown once, when you generate it. Lost it? Replace it.</p>
          <ButtonLink kind="destructive" href={paths.accessKey(organization.id)}>
            Replace the access key
          </ButtonLink>
        </>
      )}
    </section>
  );
}

interface OldKeyProps extends NonNullable<AccessKey['previous']> {
  readonly zone: TimeZone;
}

function OldKey({ until, usedAt, zone }: OldKeyProps) {
  return (
    <>
      Works until <Timestamp at={until} zone={zone} />
      {usedAt !== null && (
        <>
          , last used <Timestamp at={usedAt} zone={zone} />
        </>
      )}
    </>
  );
}
