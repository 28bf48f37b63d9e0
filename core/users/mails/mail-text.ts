import { Secret } from '../../values/secret.js';
import { oneLine } from '../../values/text.js';
import type { Invitation } from '../ports/invitations.js';
import type { Mail } from '../ports/mailer.js';
import { timeText } from './time-text.js';

export type MailText = Pick<Mail, 'subject' | 'text'>;

/**
 * Mails name no person, because people choose their names and could write to strangers with them. The operator chooses
 * the name of an organization.
 */
export function passwordResetText({
  serviceName,
  url,
}: {
  readonly serviceName: string;
  readonly url: string;
}): MailText {
  return {
    subject: `Reset your password for ${serviceName}`,
    text: paragraphs(
      `Someone asked to reset the password of your account with ${serviceName}.`,
      'To choose a new password, open this link. It works once, within 30 minutes:',
      url,
      'If you did not ask for it, ignore this email. Your password stays as it is.',
    ),
  };
}

/** A code and no link: only someone who has it on their screen can use it. */
export function signOnCodeText({
  serviceName,
  code,
  minutes,
}: {
  readonly serviceName: string;
  readonly code: string;
  readonly minutes: number;
}): MailText {
  return {
    subject: `Your code for ${serviceName}`,
    text: paragraphs(
      `Someone who signed in at the identity provider of your organization says that they are you on ${serviceName}. If it is you, enter this code within ${minutes} minutes:`,
      code,
      'If it is not you, ignore this email, and give the code to no one.',
    ),
  };
}

export function passwordChangedText({
  serviceName,
  at,
  timeZone,
}: AboutTime & { readonly serviceName: string }): MailText {
  return {
    subject: `Your password for ${serviceName} was changed`,
    text: paragraphs(
      `The password of your account with ${serviceName} was changed on ${timeText(at, timeZone)}. You were signed out everywhere else.`,
      'If this was not you, reset your password on the sign-in page, and tell the people who run this service.',
    ),
  };
}

export function secondFactorText({
  serviceName,
  kind,
  at,
  timeZone,
}: AboutTime & {
  readonly serviceName: string;
  readonly kind: 'second-factor-added' | 'second-factor-removed';
}): MailText {
  const done = kind === 'second-factor-added' ? 'added' : 'removed';
  return {
    subject: `A second factor for ${serviceName} was ${done}`,
    text: paragraphs(
      `A passkey or an authenticator app was ${done} on ${timeText(at, timeZone)}, for signing in to your account with ${serviceName}.`,
      'If this was not you, change your password, and tell the people who run this service.',
    ),
  };
}

interface AboutTime {
  readonly at: Date;
  /** The zone of the reader's organization. Null: UTC. */
  readonly timeZone: string | null;
}

interface AboutOrganization {
  /** The name of the organization. */
  readonly organization: string;
  /** The link in the mail. */
  readonly url: string;
}

export function invitationText({
  serviceName,
  organization,
  url,
  role,
  expiresAt,
  timeZone,
}: AboutOrganization &
  Pick<AboutTime, 'timeZone'> &
  Pick<Invitation, 'role' | 'expiresAt'> & { readonly serviceName: string }): MailText {
  const asWhat = role === 'admin' ? 'join them as an admin' : 'join them';
  const until = expiresAt === null ? '' : ` until ${timeText(expiresAt, timeZone)}`;
  return {
    subject: `${shownName(organization)} invites you`,
    text: paragraphs(
      `${shownName(organization)} invites you to ${asWhat} on ${serviceName}. To accept, open this link${until}:`,
      url,
      'Anyone with this link can accept the invitation, so share it with no one else. If you do not know who invites you, ignore this email.',
    ),
  };
}

export function accessKeyReplacedText({
  organization,
  url,
  at,
  timeZone,
}: AboutOrganization & AboutTime): MailText {
  return {
    subject: `The access key of ${shownName(organization)} was replaced`,
    text: paragraphs(
      `The access key of ${shownName(organization)} was replaced on ${timeText(at, timeZone)}. Programs need the new one.`,
      'If nobody of you did this, replace it again, and change your passwords. The activity says who it was:',
      url,
    ),
  };
}

export function webhookFailingText({
  organization,
  url,
  at,
  timeZone,
  failuresInRow,
  reason,
}: AboutOrganization &
  AboutTime & {
    readonly failuresInRow: number;
    /** How the newest failed delivery ended. Null: it is not known any more. */
    readonly reason: string | null;
  }): MailText {
  const failures =
    failuresInRow === 1
      ? `A delivery to the webhook of ${shownName(organization)} failed on ${timeText(at, timeZone)}.`
      : `${failuresInRow} deliveries in a row to the webhook of ${shownName(organization)} have failed since ${timeText(at, timeZone)}.`;
  return {
    subject: `The webhook of ${shownName(organization)} is failing`,
    text: paragraphs(
      reason === null ? failures : `${failures} The newest: ${reason}.`,
      'To see each attempt, and to send the events again once your endpoint works, open:',
      url,
      'We’ll tell you when it works again.',
    ),
  };
}

export function webhookWorkingText({ organization, url }: AboutOrganization): MailText {
  return {
    subject: `The webhook of ${shownName(organization)} works again`,
    text: paragraphs(
      `Deliveries to the webhook of ${shownName(organization)} arrive again.`,
      'Events whose delivery failed are not sent again by themselves. To resend them, open:',
      url,
    ),
  };
}

/** Mail programs make links of URLs: a name must not look like the link that the mail is about, nor add a line. */
function shownName(organization: string): string {
  return oneLine(organization).replace(/\S*(?::\/\/|www\.)\S*/gi, '…');
}

function paragraphs(...texts: readonly string[]): Secret {
  return new Secret(`Hello,\n\n${texts.join('\n\n')}\n`);
}
