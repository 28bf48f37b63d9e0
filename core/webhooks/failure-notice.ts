import type { Uses } from '../deps.js';
import { Unavailable } from '../errors.js';
import { ownersMails } from '../users/mails/owners-mails.js';
import type { WebhookHealth } from './ports/webhooks.js';

/** Tells the operator that a webhook keeps failing. */
export interface FailureNotice extends Pick<WebhookHealth, 'failuresInRow' | 'failingSince'> {
  /** No further notice follows until a delivery has succeeded. */
  readonly isLast: boolean;
}

/**
 * Returns the notice that is due after a failure, to one caller only, and adds mails to the owners. If the database is unavailable, the notice comes
 * with the next failure.
 */
export async function takeFailureNotice(
  deps: Uses<'mailer.send' | 'settings.webhookFailureNotice' | 'webhooks.takeFailureNotice'>,
  { organizationId, at }: { readonly organizationId: number; readonly at: Date },
): Promise<FailureNotice | null> {
  const last = deps.settings.webhookFailureNotice;
  const steps = failureNoticeThresholds(last);
  try {
    const health = await deps.webhooks.takeFailureNotice({ organizationId, steps }, () =>
      ownersMails(deps, { kind: 'webhook-failing', organizationId, at }),
    );
    if (health === null) return null;
    const { failuresInRow, failingSince } = health;
    return { failuresInRow, failingSince, isLast: failuresInRow >= last };
  } catch (error) {
    if (error instanceof Unavailable) return null;
    throw error;
  }
}

/** The numbers of failures after which a notice is sent: 1, 2, 5, 10, 20, 50 and so on below `last`, then `last`. */
export function failureNoticeThresholds(last: number): readonly number[] {
  const steps: number[] = [];
  for (let ten = 1; ten < last; ten *= 10) steps.push(ten, 2 * ten, 5 * ten);
  return [...steps.filter((step) => step < last), ...(last > 0 ? [last] : [])];
}
