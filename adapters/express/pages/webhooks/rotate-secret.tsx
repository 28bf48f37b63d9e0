import type { Secret } from '@rollcall/core';
import type { Request } from 'express';
import { Confirm, CopyText, ShownOnce } from '../design/components.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';
import { VerifyHelp } from './webhook-view.js';

/** Asks before the signing secret is replaced. Only the answer to the form shows the new one. */
export function rotateSecret(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/webhooks/secret',
    get: requireMember(deps, webhookAccess, async (visit) => {
      const webhook = await core.readWebhook({ organization: visit.organization });
      if (webhook === null) throw new PageError('not-found');
      showQuestion(deps, visit, webhook.updatedAt);
    }),
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, request } = visit;
      const webhook = await core.readWebhook({ organization });
      if (webhook === null) throw new PageError('not-found');
      const { secret } = await core.configureWebhook({
        organization,
        how: 'change',
        webhook: { enabled: webhook.enabled },
        regenerateSecret: true,
        unchangedSince: versionInForm(request),
        by: actorOf(visit),
      });
      if (secret !== null) showSecret(deps, visit, { secret, isFirst: false });
    }),
  };
}

/** The state of the webhook when the form was shown, so that a form sent twice rotates once. */
function versionInForm(request: Request): Date {
  return new Date(fieldOf(request, 'unchanged_since'));
}

function showQuestion(deps: PageDeps, visit: Visit, updatedAt: Date): void {
  const path = webhookPath(visit.organization.id);
  showPageTo(visit, deps, {
    title: 'Regenerate the signing secret?',
    body: (
      <Confirm
        question="Regenerate the signing secret?"
        action={`${path}/secret`}
        token={visit.signedIn.formToken}
        fields={{ unchanged_since: updatedAt.toISOString() }}
        confirmLabel="Regenerate the secret"
        cancelPath={path}
      >
        <p>
          The old secret stops working at once. Your endpoint can’t verify our requests until it has the new
          secret. You can resend deliveries that fail in the meantime.
        </p>
      </Confirm>
    ),
  });
}

/** The only page that shows the secret. */
export function showSecret(
  deps: PageDeps,
  visit: Visit,
  { secret, isFirst }: { readonly secret: Secret; readonly isFirst: boolean },
): void {
  showPageTo(visit, deps, {
    title: 'Your signing secret',
    body: (
      <ShownOnce>
        <h1>{isFirst ? 'Webhook saved. Copy its signing secret.' : 'Copy the new signing secret'}</h1>
        <CopyText id="signing-secret" label="Signing secret" text={secret.reveal()} />
        <p>
          <strong>You won’t see it again.</strong> Add it to your endpoint, and keep it as safe as a password.
        </p>
        <VerifyHelp serviceName={deps.serviceName} />
        <p>
          <a href={webhookPath(visit.organization.id)}>I have copied it</a>
        </p>
      </ShownOnce>
    ),
  });
}
