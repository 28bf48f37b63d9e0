import type { Request, Response } from 'express';
import type { ComponentChildren } from 'preact';
import type { Cookies } from '../cookies.js';

/** Say that something is done. */
const successes = {
  'signed-out': 'You are signed out.',
  'demo-started-again': 'The demo has started again, with the sample data.',
  'webhook-saved': 'Webhook saved.',
  'webhook-tested': 'The test was just sent.',
  'rotation-finished':
    'Rotation finished. Only the new signing secret is used now. Wait a minute for requests that are under way, then remove the old one from your endpoint.',
  'delivery-redelivered': 'Resending…',
  'deliveries-redelivered': 'Resending the undelivered events…',
  'delivery-dismissed': 'Dismissed. It is no longer counted as undelivered.',
  'deliveries-dismissed': 'Dismissed. They are no longer counted as undelivered.',
  joined: 'You have joined. Next time, sign in with your email address and password.',
  'first-steps-hidden': 'The first steps are hidden. You can show them again at the end of this page.',
  invited: 'The invitation is ready. We don’t send emails: send them this link yourself.',
  'invited-by-mail': 'The invitation is ready. We’re emailing them this link.',
  'invited-without-mail': 'The invitation is ready. Send them this link yourself.',
  'invitation-revoked': 'Invitation revoked. Its link no longer works.',
  'invitation-renewed': 'Invitation renewed. Send them the new link: the old one no longer works.',
  'renewed-by-mail': 'Invitation renewed. We’re emailing them the new link: the old one no longer works.',
  'invitations-revoked': '{name} revoked. The links no longer work.',
  'calendar-revoked': 'Calendar address revoked. It no longer works.',
  'password-changed': 'Password changed. You are signed out everywhere else.',
  'password-reset': 'Password changed. You are signed out everywhere. Sign in with your new password.',
  'passkey-added': 'Passkey added. From now on, you need it or another second factor to sign in.',
  'codes-added': 'The app is set up. From now on, you need a code or another second factor to sign in.',
  'passkey-named': 'Name saved.',
  'second-factor-removed': 'Second factor removed.',
  'recovery-codes-renewed': 'The old recovery codes no longer work.',
  'second-factor-required': 'A second factor is now required of owners and admins.',
  'second-factor-not-required': 'A second factor is no longer required of owners and admins.',
  'session-ended': 'You are signed out there.',
  'session-renewed': 'You stay signed in for up to 12 hours.',
  'other-sessions-ended': 'You are signed out everywhere else.',
  'time-zone-set': 'Time zone saved.',
  'organization-renamed': 'Name saved.',
  'access-key-named': 'Name saved.',
  'directory-token-ended': 'The old token no longer works.',
  'directory-off': 'The directory is off.',
  'role-changed': 'Role changed.',
  'member-signed-out': '{name} is signed out.',
  'name-changed': 'Name saved.',
  'idp-id-set': 'ID saved.',
  'sign-on-code-mailed': 'We have emailed you a code.',
  'sign-on-saved': 'Sign-on saved.',
  'sign-on-on': 'Sign-on is on.',
  'sign-on-required': 'Sign-on is required now.',
  'sign-on-off': 'Sign-on is off. Everyone who signed in with it is signed out.',
  'sign-on-removed': 'Sign-on removed.',
  'setup-link-ended': 'The set-up link no longer works.',
  'identity-unlinked': '{name} is no longer linked, and signed out.',
  'member-removed': '{name} is no longer a member of the organization.',
} as const;

/** Say what was not done, or what is left to do. */
const warnings = {
  'form-kept': 'Your session has ended. Sign in again to continue. We kept what you typed, except passwords.',
  'webhook-test-under-way': 'A test is already running. Refresh this page in a few seconds.',
  'webhook-test-needs-url': 'No test was sent. Save a URL first.',
  'rotation-changed': 'Nothing was changed, because another rotation has started since you opened the page.',
  'nothing-undelivered': 'Nothing is undelivered any more.',
  'invited-too-often':
    'The invitation is ready, but the link was not emailed: there have been too many such emails today. Send them this link yourself.',
  'renewed-too-often':
    'Invitation renewed, but the link was not emailed: there have been too many such emails today. Send them the new link yourself.',
  'invitation-closed': 'Nothing was changed, because the invitation has changed since you opened it.',
  'some-invitations-revoked': '{name} revoked. The others have changed since you selected them.',
  'none-to-revoke': 'Nothing was changed. Select pending invitations first.',
  'none-to-renew': 'Nothing was changed. Select pending or revoked invitations first.',
  'calendar-changed':
    'Nothing was changed, because your calendar address has changed since you opened the page.',
  'member-not-signed-in': '{name} was not signed in.',
} as const;

/** Sentences that the page after a form shows once. A cookie contains their name, so that addresses stay clean. */
const notices = { ...successes, ...warnings };

export type NoticeName = keyof typeof notices;

/** A sentence for the reader, and whether it is a warning. */
export interface NoticeView {
  /** For a page that has its own text or place for it. */
  readonly name: NoticeName;
  readonly text: ComponentChildren;
  readonly tone: 'success' | 'warning';
}

const LIFETIME_SECONDS = 60;

/** The number of characters of a name that fit into a cookie, even if each takes four bytes. */
const MAX_NAME_LENGTH = 100;

type Responding = Readonly<{ cookies: Cookies; response: Response }>;

/** Sets the notice of the next page. `name` replaces `{name}` in it. */
export function setNotice({ cookies, response }: Responding, notice: NoticeName, name?: string): void {
  const subject =
    name === undefined ? '' : `.${Buffer.from(shortened(name, MAX_NAME_LENGTH)).toString('base64url')}`;
  cookies.set(response, { name: 'notice', value: `${notice}${subject}`, seconds: LIFETIME_SECONDS });
}

/** Cuts a long text, between code points. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}

export function consumeNotice({
  cookies,
  request,
  response,
}: Responding & { readonly request: Request }): NoticeView | null {
  const found = cookies.read(request, 'notice');
  if (found === null) return null;
  cookies.clear(response, 'notice');
  const [name = '', subject = ''] = found.split('.', 2);
  if (!Object.hasOwn(notices, name)) return null;
  return noticeOf(name as NoticeName, Buffer.from(subject, 'base64url').toString());
}

/** `subject` replaces `{name}`. Isolated: a name may be written from right to left. */
export function noticeOf(name: NoticeName, subject = ''): NoticeView {
  const text = notices[name].replace('{name}', () => `\u2068${subject}\u2069`);
  return { name, text, tone: name in warnings ? 'warning' : 'success' };
}
