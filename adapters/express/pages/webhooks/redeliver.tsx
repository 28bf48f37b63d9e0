import type { Delivery } from '@rollcall/core';
import { isErased } from '@rollcall/core/adapters';
import type { Request } from 'express';
import { Button } from '../design/button.js';
import { Form } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import type { PageHandler } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, type Visit } from '../visit.js';
import { type DeliveryQuery, deliveriesPath, deliveryQueryIn, queryFields } from './delivery-query.js';
import { deliveryPath, webhookAccess, webhookPath } from './webhook-paths.js';

/** Sends one delivery again. The forms are on the delivery's page and in its row of the list. */
export function redeliver(deps: PageDeps): PageHandler {
  return requireMember(deps, webhookAccess, async (visit) => {
    const { organization, request, response } = visit;
    const deliveryId = deliveryIn(request);
    await deps.core.redeliver({ organization, deliveryId, by: actorOf(visit) });
    setNotice(deps, response, 'delivery-redelivered');
    const isInList = fieldOf(request, FROM) === LIST;
    response.redirect(
      303,
      isInList
        ? deliveriesPath(webhookPath(organization.id), deliveryQueryIn(request.body))
        : deliveryPath(organization.id, deliveryId),
    );
  });
}

/** The field that says where the form is, and its value in the list. */
const [FROM, LIST] = ['from', 'list'] as const;

interface RedeliverFormProps {
  readonly action: string;
  readonly token: FormToken;
  /** Whether the webhook is off, so that nothing will be sent. */
  readonly willBeSkipped: boolean;
  /** The page with the webhook's settings. */
  readonly settingsPath: string;
}

export function RedeliverForm({ action, token, willBeSkipped, settingsPath }: RedeliverFormProps) {
  return (
    <Form action={action} token={token}>
      <p>
        {willBeSkipped ? (
          <>
            The webhook is off. <a href={settingsPath}>Turn it on</a> first, or this will be skipped.
          </>
        ) : (
          'Resending uses the same body and event ID, and the current URL and signing secret.'
        )}
      </p>
      <div class="actions">
        <Button kind="primary">Resend</Button>
      </div>
    </Form>
  );
}

interface RedeliverRowProps {
  readonly visit: Visit;
  readonly delivery: Delivery;
  /** The list that contains the row, to which the form returns. */
  readonly query: DeliveryQuery;
  readonly isEnabled: boolean;
}

/** The button in the row of a delivery that can be resent now. */
export function RedeliverRow({ visit, delivery, query, isEnabled }: RedeliverRowProps) {
  const { id, state, isTest, body } = delivery;
  const isUnderWay = state === 'pending' || state === 'sending';
  if (isUnderWay || isErased(body) || !(isEnabled || isTest)) return null;
  return (
    <Form action={deliveryPath(visit.organization.id, id)} token={visit.signedIn.formToken}>
      {Object.entries({ [FROM]: LIST, ...queryFields(query) }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button kind="secondary" isSmall busy="Resending…" aria-label={`Resend: delivery ${id}`}>
        Resend
      </Button>
    </Form>
  );
}

/** Anything but a canonical number is not a delivery. */
export function deliveryIn(request: Request): number {
  const text = String(request.params.deliveryId);
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  return Number(text);
}
