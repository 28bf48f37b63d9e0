import type { Uses } from '../deps.js';
import type { MailKind, NewOwnersMail } from './ports/mails.js';

/** The mail to the owners of an organization; none if the service sends no mail. */
export function ownersMails(
  { mailer }: Uses<'mailer.send'>,
  {
    kind,
    organizationId,
    at,
  }: { readonly kind: MailKind; readonly organizationId: number; readonly at: Date },
): readonly NewOwnersMail[] {
  return mailer === undefined ? [] : [{ kind, ownersOf: organizationId, createdAt: at }];
}
