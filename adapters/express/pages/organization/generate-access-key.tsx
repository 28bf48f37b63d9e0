import type { AccessKey, Organization, Secret } from '@rollcall/core';
import { Confirm, CopyText, ShownOnce } from '../design/components.js';
import { Form } from '../design/form.js';
import { Timestamp, type TimeZone, zoneName } from '../design/times.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { organizationPath } from './sections.js';

/** Asks before the access key is replaced. Only the answer to the form shows the new one (decision 93). */
export function generateAccessKey(deps: PageDeps): Page {
  const { core, address } = deps;
  return {
    path: '/organizations/:id/access-key',
    get: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, zone } = visit;
      const current = await core.readAccessKey({ organization });
      const { formToken: token } = visit.signedIn;
      showPageTo(visit, deps, {
        title: 'Access key',
        body:
          current === null ? (
            <Generate {...{ organization, token }} />
          ) : (
            <Replace {...{ organization, current, zone, token }} />
          ),
      });
    }),
    post: requireMember(deps, { role: 'owner', section: 'organization' }, async (visit) => {
      const { organization, request } = visit;
      const { accessKey } = await core.generateAccessKey({
        organizationId: organization.id,
        replaces: generationIn(fieldOf(request, 'generation')),
        by: actorOf(visit),
      });
      showPageTo(visit, deps, {
        title: 'Your new access key',
        body: <NewAccessKey {...{ organization, accessKey }} baseUrl={`${address.url}/api/v2`} />,
      });
    }),
  };
}

export function accessKeyPath(organizationId: number): string {
  return `${organizationPath(organizationId)}/access-key`;
}

/** The form says which key it replaces, so that a form sent twice replaces one key. */
function generationIn(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new PageError('malformed-form');
  return Number(text);
}

interface GenerateProps {
  readonly organization: Organization;
  readonly token: FormToken;
}

/** For an organization without a key, where there is nothing to confirm. */
export function GenerateForm({ organization, token }: GenerateProps) {
  return (
    <Form action={accessKeyPath(organization.id)} token={token}>
      <input type="hidden" name="generation" value={organization.accessKeyGeneration} />
      <div class="actions">
        <button type="submit">Generate the access key</button>
      </div>
    </Form>
  );
}

function Generate({ organization, token }: GenerateProps) {
  return (
    <section class="card narrow">
      <h1>There is no access key yet</h1>
      <p>
        Your programs need one to call the API for <bdi>{organization.name}</bdi>. It is shown once, so have
        your password manager ready.
      </p>
      <GenerateForm organization={organization} token={token} />
    </section>
  );
}

interface ReplaceProps extends GenerateProps {
  readonly current: AccessKey;
  readonly zone: TimeZone;
}

function Replace({ organization, current, zone, token }: ReplaceProps) {
  return (
    <Confirm
      question="Replace the access key?"
      action={accessKeyPath(organization.id)}
      token={token}
      fields={{ generation: String(organization.accessKeyGeneration) }}
      confirmLabel="Replace the access key"
      cancelPath={organizationPath(organization.id)}
    >
      <p>
        The current key and all of its tokens stop working at once. Programs of <bdi>{organization.name}</bdi>{' '}
        can’t call the API until they have the new key.
      </p>
      <p>
        {current.usedAt === null ? (
          'The current key has never been used.'
        ) : (
          <>
            The current key was last used <Timestamp at={current.usedAt} zone={zone} /> ({zoneName(zone)}).
          </>
        )}
      </p>
      <p>The new key is shown once, so have your password manager ready.</p>
    </Confirm>
  );
}

interface NewAccessKeyProps {
  readonly organization: Organization;
  readonly accessKey: Secret;
  readonly baseUrl: string;
}

function NewAccessKey({ organization, accessKey, baseUrl }: NewAccessKeyProps) {
  const key = accessKey.reveal();
  return (
    <>
      <h1>Your new access key</h1>
      <ShownOnce>
        <p class="warning">
          Copy it now. You won’t see it again, and neither can the people who run this service.
        </p>
        <CopyText id="access-key" label="Access key" text={key} />
        <CopyText
          id="first-call"
          label="First call: get a token for one day"
          text={firstCall(baseUrl, key)}
          isLong
        />
      </ShownOnce>
      <p>
        Continue with <a href="/docs/guide">the guide</a>, or go{' '}
        <a href={organizationPath(organization.id)}>
          back to <bdi>{organization.name}</bdi>
        </a>
        .
      </p>
    </>
  );
}

function firstCall(baseUrl: string, key: string): string {
  return `curl ${baseUrl}/authenticate \\
  -H 'Content-Type: application/json' \\
  -d '{"access_key":"${key}"}'`;
}
