import type { WebhookView } from '@rollcall/core';
import type { Request } from 'express';
import { ButtonLink } from '../design/button.js';
import { Confirm, CopyText, OneTimeSecret, WasShown } from '../design/components.js';
import { type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { KeepHours } from '../design/keep-hours.js';
import { consumeNotice } from '../design/notice.js';
import { Timestamp, type TimeZone, zoneName } from '../design/times.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import { consumeSecret, redirectToSecret } from '../one-time-secret.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';
import { signatureHeader, VerifyHelp } from './webhook-view.js';

/** Asks before the signing secret is replaced. */
export function rotateSecret(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/webhooks/secret',
    get: requireMember(deps, webhookAccess, async (visit) => {
      const webhook = await core.readWebhook({ organization: visit.organization });
      if (webhook === null) throw new PageError('not-found');
      const { token, kept } = openForm(deps, visit);
      const hours = kept?.overlap_hours ?? '';
      showQuestion(deps, visit, { webhook, hours, problems: noProblems, token });
    }),
    keptForm: { fields: ['overlap_hours'] },
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, request } = visit;
      const webhook = await core.readWebhook({ organization });
      if (webhook === null) throw new PageError('not-found');
      const hours = fieldOf(request, 'overlap_hours');
      try {
        const { secret } = await core.configureWebhook({
          organization,
          how: 'change',
          webhook: { enabled: webhook.enabled },
          regenerateSecret: true,
          ...(hours !== '' && { overlapHours: hours }),
          unchangedSince: versionInForm(request),
          by: actorOf(visit),
        });
        if (secret !== null) redirectToSecret(deps, visit, { path: newSecretPath(organization.id), secret });
      } catch (error) {
        const problems = problemsOf(error, { overlapHours: OVERLAP_LABEL }, ['invalid-webhook']);
        const { token } = openForm(deps, visit);
        showQuestion(deps, visit, { webhook, hours, problems, token });
      }
    }),
  };
}

/** The state of the webhook when the form was shown, so that a form sent twice rotates once. */
function versionInForm(request: Request): Date {
  return new Date(fieldOf(request, 'unchanged_since'));
}

const OVERLAP_LABEL = 'Time until the current secret stops working';

interface Question {
  readonly webhook: WebhookView;
  /** For how many hours the old secret stays in use. Empty: not at all. */
  readonly hours: string;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function showQuestion(deps: PageDeps, visit: Visit, question: Question): void {
  const { webhook, hours, problems, token } = question;
  const path = webhookPath(visit.organization.id);
  const isRefused = problems !== noProblems;
  const title = 'Regenerate the signing secret?';
  showPageTo(visit, deps, {
    status: isRefused ? INVALID_FORM_STATUS : 200,
    title: isRefused ? `Error: ${title}` : title,
    body: (
      <Confirm
        question={title}
        action={`${path}/secret`}
        token={token}
        fields={{ unchanged_since: webhook.updatedAt.toISOString() }}
        controls={
          webhook.rotationEndsAt === null && (
            <KeepHours
              name="overlap_hours"
              label={OVERLAP_LABEL}
              value={hours}
              problem={problems.fields.overlapHours}
            />
          )
        }
        problem={problems.general}
        confirmLabel="Regenerate the secret"
        cancelPath={path}
      >
        {webhook.rotationEndsAt === null ? (
          <Consequences serviceName={deps.serviceName} />
        ) : (
          <p>
            The secret before the current one is in use until{' '}
            <Timestamp at={webhook.rotationEndsAt} zone={visit.zone} /> ({zoneName(visit.zone)}). If you
            regenerate the secret now, both stop working at once. To keep the current one in use for a while,
            finish that rotation first.
          </p>
        )}
      </Confirm>
    ),
  });
}

function Consequences({ serviceName }: { readonly serviceName: string }) {
  return (
    <>
      <p>
        The current secret stops working at once, unless you choose a time below. After that, your endpoint
        can’t verify our requests until it has the new secret. You can resend deliveries that fail in the
        meantime.
      </p>
      <p>
        Until then, <code>{signatureHeader(serviceName)}</code> is made with the current secret, and{' '}
        <code>webhook-signature</code> holds a signature of each. The guide explains{' '}
        <a href="/docs/guide#rotating">how to rotate without missing an event</a>.
      </p>
    </>
  );
}

/** Shows a new signing secret once (decision 266). */
export function showSecret(deps: PageDeps): Page {
  const { core, serviceName } = deps;
  return {
    path: '/organizations/:id/webhooks/secret/new',
    get: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, zone, request, response } = visit;
      const webhook = await core.readWebhook({ organization });
      if (webhook === null) return response.redirect(303, webhookPath(organization.id));
      const secret = consumeSecret(deps, visit, newSecretPath(organization.id));
      const { rotationEndsAt } = webhook;
      const path = webhookPath(organization.id);
      showPageTo(visit, deps, {
        isShownOnce: true,
        title: secret === null ? 'The signing secret can’t be shown again' : 'Your signing secret',
        notice: consumeNotice(deps, request, response),
        body:
          secret === null ? (
            <SecretWasShown path={path} />
          ) : (
            <NewSecret {...{ secret, rotationEndsAt, zone, serviceName, path }} />
          ),
      });
    }),
  };
}

export function newSecretPath(organizationId: number): string {
  return `${webhookPath(organizationId)}/secret/new`;
}

interface NewSecretProps extends Pick<WebhookView, 'rotationEndsAt'> {
  readonly secret: string;
  readonly zone: TimeZone;
  readonly serviceName: string;
  /** The webhooks page. */
  readonly path: string;
}

function NewSecret({ secret, rotationEndsAt, zone, serviceName, path }: NewSecretProps) {
  return (
    <OneTimeSecret>
      <h1>Copy the new signing secret</h1>
      <CopyText id="signing-secret" label="Signing secret" text={secret} />
      <p>
        <strong>You won’t see it again.</strong> Add it to your endpoint, and keep it as safe as a password.
      </p>
      {rotationEndsAt !== null && (
        <p>
          The old secret stays in use until <Timestamp at={rotationEndsAt} zone={zone} /> ({zoneName(zone)}).
          Once your endpoint has the new one, you can finish the rotation on the webhooks page.
        </p>
      )}
      <VerifyHelp serviceName={serviceName} isRotating={rotationEndsAt !== null} />
      <div class="actions">
        <ButtonLink kind="primary" href={path}>
          I have copied it
        </ButtonLink>
      </div>
    </OneTimeSecret>
  );
}

function SecretWasShown({ path }: Pick<NewSecretProps, 'path'>) {
  return (
    <WasShown
      title="The signing secret can’t be shown again"
      back={{ href: path, text: 'Go to the webhooks' }}
      next={{ href: `${path}/secret`, text: 'Regenerate the secret' }}
    >
      <p>
        Each signing secret is shown once, right after it is generated. Lost it? Regenerate it, and choose how
        long the current one stays in use.
      </p>
    </WasShown>
  );
}
