import type { Limit } from '../access/ports.js';
import type { Uses } from '../deps.js';
import type { Invitation, NewMail } from './ports.js';

const DAY_SECONDS = 24 * 60 * 60;
/** Also for all organizations together, so that several cannot flood one person. */
const perRecipient: Limit = { name: 'invitation-mail-recipient', points: 3, seconds: DAY_SECONDS };
const perOrganization: Limit = { name: 'invitation-mail-organization', points: 200, seconds: DAY_SECONDS };

/** Counts a mail with an invitation. False: there is no mailer, or there have been too many. */
export async function mayBeMailed(
  { mailer, limits }: Uses<'limits.fail' | 'mailer.send'>,
  { organizationId, email }: { readonly organizationId: number; readonly email: string },
): Promise<boolean> {
  if (mailer === undefined) return false;
  if ((await limits.fail(perRecipient, email)) > 0) return false;
  return (await limits.fail(perOrganization, String(organizationId))) === 0;
}

/** The mail with the invitation's link, which is made when the mail is sent. */
export function invitationMail(
  { id: invitationId, organizationId, email }: Pick<Invitation, 'id' | 'organizationId' | 'email'>,
  createdAt: Date,
): NewMail {
  return { kind: 'invitation', email, organizationId, invitationId, createdAt };
}
