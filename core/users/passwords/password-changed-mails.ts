import type { Uses } from '../../deps.js';
import type { NewMail } from '../ports/mails.js';

/** The mails that tell a user about a new password; none if the service sends no mail. */
export function passwordChangedMails(
  { mailer }: Uses<'mailer.send'>,
  { email, at }: { readonly email: string; readonly at: Date },
): readonly NewMail[] {
  return mailer === undefined ? [] : [{ kind: 'password-changed', email, createdAt: at }];
}
