import type { Request } from 'express';
import { Button } from '../design/button.js';
import { Form } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import type { FormToken } from '../form-guard.js';
import type { PageHandler } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember } from '../visit.js';
import { deliveryPath, webhookAccess } from './webhook-paths.js';

/** Sends one delivery again; the form is on the delivery's page. */
export function redeliver(deps: PageDeps): PageHandler {
  return requireMember(deps, webhookAccess, async (visit) => {
    const { organization, request, response } = visit;
    const deliveryId = deliveryIn(request);
    await deps.core.redeliver({ organization, deliveryId, by: actorOf(visit) });
    setNotice(deps, response, 'delivery-redelivered');
    response.redirect(303, deliveryPath(organization.id, deliveryId));
  });
}

interface RedeliverFormProps {
  readonly action: string;
  readonly token: FormToken;
  /** Whether the webhook is disabled, so that nothing will be sent. */
  readonly willBeSkipped: boolean;
}

export function RedeliverForm({ action, token, willBeSkipped }: RedeliverFormProps) {
  return (
    <Form action={action} token={token}>
      <p>
        {willBeSkipped
          ? 'The webhook is disabled. Enable it first, or this will be skipped.'
          : 'Resending uses the same body and event ID, and the current URL and signing secret.'}
      </p>
      <div class="actions">
        <Button kind="primary">Resend</Button>
      </div>
    </Form>
  );
}

/** Anything but a canonical number is not a delivery. */
export function deliveryIn(request: Request): number {
  const text = String(request.params.deliveryId);
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  return Number(text);
}
