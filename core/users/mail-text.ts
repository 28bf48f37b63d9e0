import { Secret } from '../values/secret.js';
import type { Mail } from './ports.js';

type Text = Pick<Mail, 'subject' | 'text'>;

/**
 * Mails name nobody: others choose the names of people and organizations, and could write to strangers with them.
 */
export function passwordResetText({
  serviceName,
  url,
}: {
  readonly serviceName: string;
  readonly url: string;
}): Text {
  return {
    subject: `Reset your password for ${serviceName}`,
    text: paragraphs(
      `Someone asked to reset the password of your account with ${serviceName}.`,
      'To choose a new password, open this link. It works once, within 30 minutes:',
      url,
      'If you did not ask for it, ignore this mail. Your password stays as it is.',
    ),
  };
}

export function passwordChangedText({
  serviceName,
  at,
}: {
  readonly serviceName: string;
  readonly at: Date;
}): Text {
  return {
    subject: `Your password for ${serviceName} was changed`,
    text: paragraphs(
      `The password of your account with ${serviceName} was changed on ${timeText(at)}. You were signed out everywhere else.`,
      'If this was not you, reset your password on the sign-in page, and tell the people who run this service.',
    ),
  };
}

function paragraphs(...texts: readonly string[]): Secret {
  return new Secret(`Hello,\n\n${texts.join('\n\n')}\n`);
}

/** Such as `2026-11-20 at 12:00 UTC`. */
function timeText(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `${day} at ${time.slice(0, 5)} UTC`;
}
