import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { Webhook, WebhookSettings } from './ports/webhooks.js';
import { previousSecretAt, type WebhookView, webhookView } from './webhook.js';

/** The request of `finishRotation`. */
export interface FinishRotation extends OfOrganization, Acting {
  /** The `rotationEndsAt` that the caller has seen. A rotation with another end is not finished. */
  readonly endsAt?: Date | undefined;
}

/** The result of `finishRotation`. */
export interface FinishedRotation extends WebhookView {
  /** Whether this call ended a rotation. */
  readonly isFinished: boolean;
}

/**
 * Ends the use of the secret that the last rotation replaced, and returns the webhook, or null if there is none. Without a
 * rotation under way, nothing changes.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function finishRotation(
  {
    webhooks,
    webhookSender,
    clock,
  }: Uses<'clock.now' | 'webhookSender.refusalOf' | 'webhooks.configure' | 'webhooks.of'>,
  { organization, endsAt, by }: FinishRotation,
): Promise<FinishedRotation | null> {
  checkActor(by);
  const organizationId = checkId('organization.id', organization.id);
  const at = clock.now();
  const isMeant = (webhook: Webhook): boolean => {
    const until = previousSecretAt(webhook, at)?.until;
    return until !== undefined && (endsAt === undefined || endsAt.getTime() === until.getTime());
  };
  const found = await webhooks.of(organizationId);
  if (found === null) return null;

  let isFinished = false;
  const decide = (current: Webhook | null): WebhookSettings => {
    // Webhooks are never removed.
    const webhook = current ?? found;
    isFinished = isMeant(webhook);
    return isFinished ? { ...webhook, previousSecret: null, updatedAt: at } : webhook;
  };
  const webhook = await webhooks.configure(organizationId, decide, () =>
    isFinished
      ? auditEntries({ by, at }, { organizationId, action: 'secret-rotation-finished', subject: null })
      : [],
  );
  return webhook === null
    ? null
    : { ...webhookView({ webhookSender }, { webhook, secret: null, at }), isFinished };
}
