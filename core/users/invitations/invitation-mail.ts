import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import type { Invitation } from '../ports/invitations.js';
import type { NewMail } from '../ports/mails.js';

const DAY_SECONDS = 24 * 60 * 60;
/** Also for all organizations together, so that several cannot flood one person. */
const perRecipient: Limit = { name: 'invitation-mail-recipient', points: 3, seconds: DAY_SECONDS };
const perOrganization: Limit = { name: 'invitation-mail-organization', points: 200, seconds: DAY_SECONDS };

/** A mail that an organization asks for. */
export interface RequestedMail {
  readonly organizationId: number;
  readonly email: string;
}

/**
 * Counts the mail with an invitation, and tells `work`, which stores both, whether there may be one: not without a mailer,
 * and not after too many. If `work` throws, nothing was stored, and the mail does not count. `mail` is null if none is
 * requested.
 */
export async function withMailCounted<Result>(
  deps: Uses<typeof countMail>,
  mail: RequestedMail | null,
  work: (isMailed: boolean) => Promise<Result>,
): Promise<Result> {
  if (mail === null || !(await countMail(deps, mail))) return work(false);
  try {
    return await work(true);
  } catch (error) {
    // A count that can't be taken back ends with its day. What `work` throws is more important.
    await takeBack(deps, mail).catch(() => undefined);
    throw error;
  }
}

/** Counts a mail. False: there is no mailer, or there have been too many. */
async function countMail(
  { mailer, limits }: Uses<'limits.consume' | 'limits.forgive' | 'mailer.send'>,
  { organizationId, email }: RequestedMail,
): Promise<boolean> {
  if (mailer === undefined) return false;
  if ((await limits.consume(perRecipient, email)) > 0) return false;
  if ((await limits.consume(perOrganization, String(organizationId))) === 0) return true;
  await limits.forgive(perRecipient, email);
  return false;
}

async function takeBack(
  { limits }: Uses<'limits.forgive'>,
  { organizationId, email }: RequestedMail,
): Promise<void> {
  await limits.forgive(perRecipient, email);
  await limits.forgive(perOrganization, String(organizationId));
}

/** The mail with the invitation's link, which is made when the mail is sent. */
export function invitationMail(
  { id: invitationId, organizationId, email }: Pick<Invitation, 'id' | 'organizationId' | 'email'>,
  createdAt: Date,
): NewMail {
  return { kind: 'invitation', email, organizationId, invitationId, createdAt };
}
