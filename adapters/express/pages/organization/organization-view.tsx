import type { AccessKey, AuditEntry, FirstSteps, Organization } from '@rollcall/core';
import { ButtonLink } from '../design/button.js';
import { CopyText, OnThisPage } from '../design/components.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import type { FormToken } from '../form-guard.js';
import { FirstStepsCard, hasOpenSteps } from './first-steps-card.js';
import { accessKeyPath, GenerateForm } from './generate-access-key.js';
import { HideForm } from './hide-first-steps.js';
import { Activity, activityPath } from './list-activity.js';
import { namePath } from './rename-organization.js';
import { TimeZoneCard, type TimeZoneInput } from './time-zone-card.js';

interface OrganizationViewProps {
  readonly organization: Organization;
  readonly accessKey: AccessKey | null;
  readonly firstSteps: FirstSteps;
  readonly baseUrl: string;
  readonly entries: readonly AuditEntry[];
  readonly form: TimeZoneInput;
  /** The zone of the page's times. */
  readonly zone: TimeZone;
  readonly defaultTimeZone: string;
  readonly token: FormToken;
}

export function OrganizationView(view: OrganizationViewProps) {
  const { organization, accessKey, firstSteps, baseUrl, entries, form } = view;
  const { zone, defaultTimeZone, token } = view;
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
          <CopyText id="base-url" label="Base URL" text={baseUrl} />
          <CopyText id="organization-id" label="Organization ID" text={String(organization.id)} />
        </div>
      </section>
      <AccessKeyCard {...{ organization, accessKey, zone, token }} />
      <section class="card" aria-labelledby="name">
        <h2 id="name">Name</h2>
        <p>
          <bdi>{organization.name}</bdi>
        </p>
        <p class="secondary-text">Shown to your members and to the people whom you invite.</p>
        <ButtonLink kind="secondary" href={namePath(organization.id)}>
          Change the name
        </ButtonLink>
      </section>
      <TimeZoneCard {...{ form, defaultTimeZone }} organizationId={organization.id} />
      <section aria-labelledby="recent">
        <h2 class="list-title" id="recent">
          Recent activity
        </h2>
        <Activity entries={entries} zone={zone} />
        {entries.length > 0 && (
          <>
            <ZoneNote zone={zone} />
            <ButtonLink kind="secondary" href={activityPath(organization.id)}>
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

type AccessKeyCardProps = Pick<OrganizationViewProps, 'organization' | 'accessKey' | 'zone' | 'token'>;

function AccessKeyCard({ organization, accessKey, zone, token }: AccessKeyCardProps) {
  return (
    <section class="card" aria-labelledby="access-key">
      <h2 id="access-key">Access key</h2>
      {accessKey === null ? (
        <>
          <p>
            There is no access key yet. Your programs need one to call the API for{' '}
            <bdi>{organization.name}</bdi>. It is shown once, so have your password manager ready.
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
              <span class="visually-hidden">24 digits, not shown</span>
            </dd>
            <dt>Created</dt>
            <dd>
              <Timestamp at={accessKey.createdAt} zone={zone} />
            </dd>
            <dt>Last used</dt>
            <dd>{accessKey.usedAt === null ? 'Never' : <Timestamp at={accessKey.usedAt} zone={zone} />}</dd>
            {accessKey.previous !== null && (
              <>
                <dt>Old key</dt>
                <dd>
                  Works until <Timestamp at={accessKey.previous.until} zone={zone} />
                  {accessKey.previous.usedAt !== null && (
                    <>
                      , last used <Timestamp at={accessKey.previous.usedAt} zone={zone} />
                    </>
                  )}
                </dd>
              </>
            )}
          </dl>
          <p class="secondary-text">The key is shown once, when you generate it. Lost it? Replace it.</p>
          <ButtonLink kind="destructive" href={accessKeyPath(organization.id)}>
            Replace the access key
          </ButtonLink>
        </>
      )}
    </section>
  );
}
