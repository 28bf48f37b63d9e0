import type { Request, Response } from 'express';
import type { Dashboard } from './dashboard.js';

/** Sentences that the page after a form shows once; they travel in a cookie, so that addresses stay clean. */
const notices = {
  'signed-out': 'You are signed out',
  'webhook-saved': 'The webhook is saved',
  'webhook-tested': 'The test has ended: see below what came of it',
  'webhook-test-under-way': 'A test is under way already: look again in a few seconds',
  'webhook-test-needs-url': 'There was no test: save a URL first',
  'delivery-redelivered': 'It is sent again now',
  'deliveries-redelivered': 'What had failed is sent again now',
  joined: 'You have joined. Next time sign in with your e-mail address and your password.',
  invited: 'The invitation is ready. We send no e-mails: pass its URL on to whom you invite.',
  'invitation-revoked': 'The invitation is revoked: its URL does not work any more.',
  'invitation-renewed': 'The invitation has a new URL: pass it on. The old one does not work any more.',
  'invitation-closed': 'Nothing was changed: the invitation is not what it was when you opened it.',
  'calendar-revoked': 'The address of your calendar does not work any more.',
  'calendar-changed': 'Nothing was changed: your calendar is not what it was when you opened the page.',
  'password-changed': 'Your password is changed. Everywhere else you are signed out.',
  'time-zone-set': 'The time zone is saved.',
  'member-added': 'The person is added.',
  'role-changed': 'The role is changed.',
  'member-removed': 'The person does not belong to the organization any more.',
} as const;

export type NoticeName = keyof typeof notices;

const SECONDS = 60;

export function leaveNotice({ cookies }: Dashboard, response: Response, notice: NoticeName): void {
  cookies.set(response, { name: 'notice', value: notice, seconds: SECONDS });
}

/** The sentence that was left for this page, or null. */
export function takeNotice(dashboard: Dashboard, request: Request, response: Response): string | null {
  const left = takeNoticeName(dashboard, request, response);
  return left === null ? null : notices[left];
}

/** Which sentence was left, for a page that has more to say with it. */
export function takeNoticeName(
  { cookies }: Dashboard,
  request: Request,
  response: Response,
): NoticeName | null {
  const left = cookies.read(request, 'notice');
  if (left === null) return null;
  cookies.clear(response, 'notice');
  return Object.hasOwn(notices, left) ? (left as NoticeName) : null;
}
