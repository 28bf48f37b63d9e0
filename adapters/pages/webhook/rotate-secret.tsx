import type { Secret } from '@rollcall/core';
import type { Request } from 'express';
import type { Dashboard } from '../dashboard.js';
import { Confirm, CopyText, ShownOnce } from '../design/parts.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { webhookDoor, webhookPath } from './webhook-paths.js';
import { VerifyHelp } from './webhook-view.js';

/** Asks whether the signing secret shall be replaced, and shows the new one in the answer to yes alone. */
export function rotateSecret(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/webhooks/secret',
    get: inOrganization(dashboard, webhookDoor, async (visit) => {
      const webhook = await core.readWebhook({ organization: visit.organization });
      if (webhook === null) throw new PageError('not-found');
      showQuestion(dashboard, visit, webhook.updatedAt);
    }),
    post: inOrganization(dashboard, webhookDoor, async (visit) => {
      const { organization, request } = visit;
      const webhook = await core.readWebhook({ organization });
      if (webhook === null) throw new PageError('not-found');
      const { secret } = await core.configureWebhook({
        organization,
        how: 'change',
        webhook: { enabled: webhook.enabled },
        regenerateSecret: true,
        unchangedSince: askedAbout(request),
        by: byVisitor(visit),
      });
      if (secret !== null) showSecret(dashboard, visit, { secret, isFirst: false });
    }),
  };
}

/** Which state of the webhook the question was about: a form that is sent twice must not rotate twice unseen. */
function askedAbout(request: Request): Date {
  return new Date(fieldOf(request, 'unchanged_since'));
}

function showQuestion(dashboard: Dashboard, visit: Visit, updatedAt: Date): void {
  const path = webhookPath(visit.organization.id);
  showTo(visit, dashboard, {
    title: 'Regenerate the signing secret?',
    body: (
      <Confirm
        question="Regenerate the signing secret?"
        action={`${path}/secret`}
        token={visit.signedIn.formToken}
        fields={{ unchanged_since: updatedAt.toISOString() }}
        yes="Regenerate the secret"
        back={path}
      >
        <p>
          The old secret ends at once: your receiver refuses what we send until it has the new one. What fails
          meanwhile can be sent again.
        </p>
      </Confirm>
    ),
  });
}

/** The one answer that holds the secret. */
export function showSecret(
  dashboard: Dashboard,
  visit: Visit,
  { secret, isFirst }: { readonly secret: Secret; readonly isFirst: boolean },
): void {
  showTo(visit, dashboard, {
    title: 'Your signing secret',
    body: (
      <ShownOnce>
        <h1>{isFirst ? 'The webhook is saved: copy its signing secret' : 'Copy the new signing secret'}</h1>
        <CopyText id="signing-secret" label="Signing secret" text={secret.reveal()} />
        <p>
          <strong>It is shown this once.</strong> Give it to your receiver, and keep it as you keep a
          password.
        </p>
        <VerifyHelp serviceName={dashboard.serviceName} />
        <p>
          <a href={webhookPath(visit.organization.id)}>I have copied it</a>
        </p>
      </ShownOnce>
    ),
  });
}
