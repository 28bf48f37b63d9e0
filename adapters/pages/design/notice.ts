import type { Request, Response } from 'express';
import type { Dashboard } from '../dashboard.js';

/** Sentences that the page after a form shows once; they travel in a cookie, so that addresses stay clean. */
const notices = {
  'signed-out': 'You are signed out',
  'webhook-saved': 'The webhook is saved',
  'webhook-tested': 'The test has ended',
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
  'role-changed': 'The role is changed.',
  'member-removed': '{name} does not belong to the organization any more.',
} as const;

export type NoticeName = keyof typeof notices;

/** In the place of this sentence the webhook's page says what came of the test. */
export const TEST_HAS_ENDED = notices['webhook-tested'];

const SECONDS = 60;

/** Characters of a name that a cookie has room for, whatever they are. */
const LONGEST_NAME = 100;

/** `name`: whom the sentence is about, where it names somebody. */
export function leaveNotice(
  { cookies }: Dashboard,
  response: Response,
  notice: NoticeName,
  name?: string,
): void {
  const about = name === undefined ? '' : `.${Buffer.from(shortName(name)).toString('base64url')}`;
  cookies.set(response, { name: 'notice', value: `${notice}${about}`, seconds: SECONDS });
}

function shortName(name: string): string {
  const characters = [...name];
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME).join('')}…` : name;
}

/** The sentence that was left for this page, or null. */
export function takeNotice(dashboard: Dashboard, request: Request, response: Response): string | null {
  const left = take(dashboard, request, response);
  if (left === null) return null;
  // Isolated: a name may be written from right to left.
  const name = `\u2068${Buffer.from(left.about, 'base64url').toString()}\u2069`;
  return notices[left.notice].replace('{name}', () => name);
}

/** Which sentence was left, for a page that has more to say with it. */
export function takeNoticeName(
  dashboard: Dashboard,
  request: Request,
  response: Response,
): NoticeName | null {
  return take(dashboard, request, response)?.notice ?? null;
}

function take(
  { cookies }: Dashboard,
  request: Request,
  response: Response,
): { readonly notice: NoticeName; readonly about: string } | null {
  const left = cookies.read(request, 'notice');
  if (left === null) return null;
  cookies.clear(response, 'notice');
  const [notice = '', about = ''] = left.split('.', 2);
  return Object.hasOwn(notices, notice) ? { notice: notice as NoticeName, about } : null;
}
