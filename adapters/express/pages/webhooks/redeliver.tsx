import type { Delivery } from '@rollcall/core';
import { isErased } from '@rollcall/core/adapters';
import { Button } from '../design/components.js';
import { Form, HiddenFields } from '../design/form.js';
import { paths } from '../paths.js';
import { canonicalId, type MemberVisit } from '../visit.js';
import { type DeliveryQuery, deliveryQueryIn, queryFields, resentPath } from './delivery-query.js';

/** Sends one delivery again. The forms are on the delivery's page and in its row of the list. */
export async function redeliver(visit: MemberVisit): Promise<void> {
  const { core, organization, request, by } = visit;
  const deliveryId = canonicalId(request.params.deliveryId);
  await core.redeliver({ organization, deliveryId, by });
  const path =
    visit.field(FROM) === LIST
      ? `${resentPath(paths.webhooks(organization.id), String(deliveryId), deliveryQueryIn(request.body))}#log`
      : paths.delivery(organization.id, deliveryId);
  visit.leadTo(path, 'delivery-redelivered');
}

/** The field that says where the form is, and its value in the list. */
const [FROM, LIST] = ['from', 'list'] as const;

export interface RedeliverRowProps {
  readonly visit: MemberVisit;
  readonly delivery: Delivery;
  /** The list that contains the row, to which the form returns. */
  readonly query: DeliveryQuery;
  readonly isEnabled: boolean;
}

/** The button in the row of a delivery that has not arrived and can be resent now. The others have it on their page. */
export function RedeliverRow({ visit, delivery, query, isEnabled }: RedeliverRowProps) {
  const { id, state, isTest, body } = delivery;
  const isMissing = state === 'failed' || state === 'held';
  if (!isMissing || isErased(body) || !(isEnabled || isTest)) return null;
  return (
    <Form action={paths.delivery(visit.organization.id, id)} token={visit.signedIn.formToken}>
      <HiddenFields fields={{ [FROM]: LIST, ...queryFields(query) }} />
      <Button isSmall busy="Resending…" aria-label={`Resend: delivery ${id}`}>
        Resend
      </Button>
    </Form>
  );
}
