import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { signOnCodeText } from '../mails/mail-text.js';
import type { SignOnConfirmation } from './finish-sign-on.js';
import { isTooOld } from './identify.js';
import { notAdmitted, signOnEnded, signOnLifetimeMs, signOnOf } from './sign-on.js';

/** The request of `mailSignOnCode`. */
export interface MailSignOnCode {
  /** What `finishSignOn` returned, as the person's browser has kept it. */
  readonly confirmation: SignOnConfirmation;
}

const CODE_DIGITS = 8;
const perMember: Limit = { name: 'sign-on-code-mail', points: 3, seconds: 15 * 60 };

/**
 * Mails a code to the member who the person has to be, with which `proveSignOn` lets them go on. It is a code and not a link,
 * so that it works only in the browser of the person: someone else's link, opened by the member, would let that person in.
 * Returns the confirmation with the code, to be kept as the one before it.
 *
 * @throws `Refusal`: `mail-not-configured`; `sign-on-off`; `sign-on-ended` if the organization has another provider
 * meanwhile; `sign-on-not-admitted`; `mail-not-sent`; `too-many-requests`.
 */
export async function mailSignOnCode(
  deps: Uses<
    | 'clock.now'
    | 'limits.consume'
    | 'mailer.send'
    | 'members.byUserId'
    | 'secrets.newAccessKey'
    | 'settings.serviceName'
    | 'signOns.of'
  >,
  { confirmation }: MailSignOnCode,
): Promise<SignOnConfirmation> {
  const { mailer, settings } = deps;
  if (mailer === undefined) throw new Refusal('mail-not-configured', 'This service sends no mail');
  const { organizationId, issuer, userId } = confirmation;
  const signOn = await signOnOf(deps, organizationId);
  if (signOn.issuer !== issuer || isTooOld(deps, confirmation)) throw signOnEnded();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAdmitted();
  const seconds = await deps.limits.consume(perMember, `${organizationId}/${userId}`);
  if (seconds > 0) throw new Refusal('too-many-requests', 'Too many mails; try again later', seconds);

  // The end of 24 random digits.
  const code = deps.secrets.newAccessKey().reveal().slice(-CODE_DIGITS);
  const minutes = signOnLifetimeMs / 60_000;
  const text = signOnCodeText({ serviceName: settings.serviceName, code, minutes });
  const { outcome } = await mailer.send({ to: member.user.email, ...text });
  if (outcome !== 'sent') throw new Refusal('mail-not-sent', 'The mail could not be sent; try again later');
  return { ...confirmation, code, isProved: false };
}
