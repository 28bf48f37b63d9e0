import type { Uses } from '../../deps.js';
import type { MailKind, NewOwnersMail } from '../ports/mails.js';

/** The text of these is written when they are sent, so one of them that waits tells the newest state. */
const aboutWebhook: readonly MailKind[] = ['webhook-failing', 'webhook-working'];

/** The mail to the owners of an organization; none if the service sends no mail. */
export function ownersMails(
  { mailer }: Uses<'mailer.send'>,
  {
    kind,
    organizationId,
    at,
  }: { readonly kind: MailKind; readonly organizationId: number; readonly at: Date },
): readonly NewOwnersMail[] {
  if (mailer === undefined) return [];
  const replaces = aboutWebhook.includes(kind) ? aboutWebhook : [];
  return [{ kind, ownersOf: organizationId, createdAt: at, replaces }];
}
