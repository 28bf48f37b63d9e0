import { Refusal, type RefusalCode, type Session, Unavailable } from '@rollcall/core';
import type { PageLink } from '../design/components.js';

export interface ErrorPage {
  readonly status: number;
  readonly title: string;
  /** What the reader can do now. */
  readonly advice: string;
  /** What to say instead to readers who are signed in. */
  readonly adviceSignedIn?: string;
  /** What to say instead to readers by how their session began. */
  readonly adviceBy?: Partial<Readonly<Record<Session['startedBy'], string>>>;
  readonly link?: PageLink;
  /**
   * Where the page leads, by default to `link`. `sign-in`: to the reader's meetings, by way of signing in if needed.
   * `password`: to signing in with the password, though a login link has opened a session. `retry`: to the same page.
   * `form`: to the page with the form that was sent. `section`: past that page, to the section of the organization.
   * `sign-on`: to signing in at the organization, or with the password.
   */
  readonly next?: 'link' | 'sign-in' | 'password' | 'retry' | 'form' | 'section' | 'sign-on';
}

/** Makes the pages of one status. */
const withStatus =
  (status: number) =>
  (title: string, page: Omit<ErrorPage, 'status' | 'title'>): ErrorPage => ({ status, title, ...page });

const forbidden = withStatus(403);
const missing = withStatus(404);
const conflict = withStatus(409);
const gone = withStatus(410);
const refused = withStatus(422);
const tooMany = withStatus(429);
const unreachable = withStatus(503);

const startLink = { href: '/', text: 'Go to the start page' };

const notFound = missing('Page not found', {
  advice: 'Check the address. You may also not have access to this page.',
  link: startLink,
});

const invalid = refused('This can’t be done', {
  advice: 'Go back and check what you entered.',
});

const unauthorized = withStatus(401)('Please sign in', {
  advice: 'You need to sign in to do this.',
  next: 'sign-in',
});

const boundSession = forbidden('Please sign in with your password', {
  advice:
    'A login link only opens your meetings with one organization. For everything else, sign in with your email address and password.',
  adviceBy: {
    'sign-on':
      'You signed in at your organization, which opens its pages only. For everything else, sign in with your email address and password.',
    'setup-link': 'A set-up link opens sign-on and the directory only. Everything else is for the owner.',
  },
  next: 'password',
});

const internalError = withStatus(500)('Something went wrong', {
  advice: 'This is our mistake, and it has been reported. Please try again later.',
  next: 'retry',
  link: startLink,
});

const unavailable = unreachable('We can’t answer right now', {
  advice: 'Please try again in a moment.',
  next: 'retry',
});

const outcomeUnknown = unreachable('Your change may not have been saved', {
  advice:
    'We lost touch with our database while saving. Check whether the change is there before you try again.',
});

const refusalPages: Record<RefusalCode, ErrorPage> = {
  'invalid-access-key': unauthorized,
  'unauthorized-access': unauthorized,
  'not-authorized': unauthorized,
  'invalid-request': invalid,
  'invalid-webhook': invalid,
  'already-member': conflict('You are already a member', {
    advice: 'There is nothing left to accept. Sign in to see your meetings.',
    adviceSignedIn: 'There is nothing left to accept.',
    next: 'sign-in',
  }),
  'member-not-found': notFound,
  'user-not-found': notFound,
  'organization-not-found': notFound,
  'delivery-not-found': notFound,
  'delivery-erased': gone('This person was erased', {
    advice: 'Nothing was sent. The event no longer holds any data about the person.',
  }),
  // Only in the API.
  'in-other-organization': invalid,
  'calendar-feed-unknown': missing('This calendar does not exist', {
    advice: 'The address may have been revoked or replaced. Sign in to create a new one.',
    adviceSignedIn:
      'The address may have been revoked or replaced. You can create a new one from your meetings.',
    next: 'sign-in',
  }),
  'meeting-not-found': notFound,
  // Only in the API.
  'idempotency-key-reused': invalid,
  'idempotency-key-in-use': invalid,
  'invitation-pending': conflict('You have not accepted the invitation yet', {
    advice: 'Accept the invitation first.',
  }),
  'invitation-unknown': missing('This invitation does not exist', {
    advice: 'Check that you copied the whole link, or ask the person who invited you for a new one.',
  }),
  'invitation-used': gone('This invitation was already accepted', {
    advice: 'If that was you, sign in to see your meetings. If not, ask the person who invited you.',
    adviceSignedIn: 'If that was not you, ask the person who invited you.',
    next: 'sign-in',
  }),
  'invitation-revoked': gone('This invitation was revoked', {
    advice: 'You can no longer accept it. Ask the person who invited you for a new one.',
  }),
  'invitation-expired': gone('This invitation has expired', {
    advice: 'You can no longer accept it. Ask the person who invited you for a new one.',
  }),
  'sign-in-required': refused('You already have an account', {
    advice: 'Open the invitation again and accept it with the password of your account.',
  }),
  'login-link-unknown': missing('This login link does not exist', {
    advice: 'Check that you copied the whole link, or ask for a new one where you got it.',
    next: 'sign-in',
  }),
  'login-link-used': gone('This login link was already used', {
    advice: 'Each link works once. Ask for a new one where you got it.',
    next: 'sign-in',
  }),
  'login-link-expired': gone('This login link has expired', {
    advice: 'A link works for five minutes. Ask for a new one where you got it.',
    next: 'sign-in',
  }),
  'setup-link-unknown': gone('This set-up link does not work', {
    advice: 'It has ended, or you did not copy the whole link. Ask who sent it to you for a new one.',
    link: startLink,
  }),
  'password-reset-ended': gone('This link no longer works', {
    advice: 'It was used, has expired, or the password was changed after it was sent. Ask for a new link.',
    link: { href: '/forgot-password', text: 'Ask for a new link' },
  }),
  'mail-not-configured': notFound,
  'wrong-credentials': refused('The email address or password is wrong', {
    advice: 'Please try again.',
    next: 'sign-in',
  }),
  'second-step-required': unauthorized,
  'second-step-ended': gone('Please sign in again', {
    advice: 'The second step must follow within ten minutes, in the browser where you gave your password.',
    next: 'sign-in',
  }),
  'wrong-second-factor': refused('The passkey or code is wrong', {
    advice: 'It may have been used already. Each code works once.',
  }),
  'second-factor-required': forbidden('Please add a second factor', {
    advice: 'Owners and admins need a passkey or an authenticator app here, as well as their password.',
    link: { href: '/account/second-factor', text: 'Add a second factor' },
  }),
  'second-factor-not-found': missing('This second factor does not exist', {
    advice: 'Nothing was changed. You may have changed it in another tab.',
    link: { href: '/account/second-factor', text: 'See your second factor' },
  }),
  'passkey-registered': conflict('This passkey can’t be added', {
    advice: 'Nothing was changed.',
    link: { href: '/account/second-factor', text: 'See your second factor' },
  }),
  'role-too-low': notFound,
  'session-bound': boundSession,
  // Only for directories.
  'directory-unauthorized': unauthorized,
  'directory-person-unknown': notFound,
  'directory-taken': invalid,
  'directory-not-written': invalid,
  'directory-token-outdated': conflict('The token has changed', {
    advice: 'Nothing was changed. The token was replaced or ended in the meantime.',
    next: 'section',
  }),
  'sign-on-required': forbidden('Please sign in at your organization', {
    advice:
      'This organization opens only to people who sign in at its identity provider. A password does not.',
    next: 'sign-on',
  }),
  'sign-on-off': missing('You can’t sign in here', {
    advice:
      'Check the address with your organization. With a password, you can sign in without it, unless you became a member by sign-on: then ask an owner.',
    link: { href: '/sign-in', text: 'Sign in with your password' },
  }),
  'sign-on-ended': gone('Please start again', {
    advice: 'Each sign-in works once, for ten minutes, in the browser in which it began.',
    next: 'sign-on',
  }),
  'sign-on-refused': forbidden('The identity provider of your organization refused', {
    advice: 'You are not signed in. Your organization decides who may: ask its administrators.',
    next: 'sign-on',
  }),
  'sign-on-failed': withStatus(502)('The identity provider of your organization gave a wrong answer', {
    advice: 'You are not signed in. Ask an owner of the organization to try sign-on in its settings.',
    next: 'sign-on',
  }),
  'sign-on-unreachable': unreachable('The identity provider of your organization does not answer', {
    advice: 'You are not signed in. Please try again in a moment.',
    next: 'sign-on',
  }),
  'sign-on-not-admitted': forbidden('You can’t come in here', {
    advice:
      'Your organization’s identity provider knows you, but you can’t enter this organization. Ask one of its owners.',
    next: 'sign-on',
  }),
  'mail-not-sent': unreachable('The email was not sent', {
    advice: 'The mail server did not take it. Please try again in a moment.',
    next: 'form',
  }),
  'sign-on-untested': conflict('Try sign-on first', {
    advice: 'Nothing was changed. You can require sign-on once you have tried it yourself.',
    next: 'section',
  }),
  'sign-on-outdated': conflict('The settings of sign-on have changed', {
    advice: 'Nothing was changed. Someone changed the settings after you opened the page.',
    next: 'section',
  }),
  // Only for identity providers.
  'logout-token-invalid': invalid,
  'identity-not-found': missing('This person is not linked', {
    advice: 'Nothing was changed. Someone may have unlinked the person already.',
    next: 'section',
  }),
  'session-not-found': missing('This session has ended', {
    advice: 'It was signed out, expired, or never existed. Your other sessions are unchanged.',
    link: { href: '/account/sessions', text: 'See your sessions' },
  }),
  'session-not-started': conflict('You have joined, but are not signed in', {
    advice: 'Your password was changed at the same moment. Sign in with the new one.',
    next: 'sign-in',
  }),
  'last-owner': conflict('This is the last owner', {
    advice: 'Nothing was changed. An organization needs an owner, so make someone else an owner first.',
    next: 'section',
  }),
  'is-owner': conflict('This person is an owner', {
    advice: 'Nothing was changed. Remove owners on the People page.',
    next: 'section',
  }),
  'access-key-outdated': conflict('The access key was already replaced', {
    advice:
      'Nothing was changed. Someone replaced the key after you opened the page. The new key was shown once. Lost it? Replace it again on the organization page.',
    link: startLink,
  }),
  'webhook-outdated': conflict('The webhook has changed', {
    advice:
      'Nothing was changed. Someone changed the webhook or its secret after you opened the page. A new secret is shown once. Lost it? Rotate it on the webhooks page.',
    link: startLink,
  }),
  'webhook-test-under-way': conflict('A test is already running', {
    advice: 'It ends within 16 seconds. Then see the result on the webhooks page.',
  }),
  'cursor-expired': gone('This page has expired', {
    advice: 'What it showed is no longer kept. Start again.',
    link: startLink,
  }),
  'too-many-requests': tooMany('Too many attempts', {
    advice: 'Please wait a little, then try again.',
    next: 'retry',
  }),
};

/** The problems that a request to a page can have before the core sees it. */
export const problemPages = {
  'not-found': notFound,
  'method-not-allowed': withStatus(405)('This page can’t be opened that way', {
    advice: 'Open it from the start page.',
    link: startLink,
  }),
  'malformed-form': withStatus(400)('This form can’t be read', {
    advice: 'Open the page again and fill in the form.',
    link: startLink,
  }),
  'unsupported-form': withStatus(415)('This form can’t be read', {
    advice: 'Forms must be sent as application/x-www-form-urlencoded.',
    link: startLink,
  }),
  'form-too-large': withStatus(413)('This form is too large', {
    advice: 'Nothing was changed. Shorten what you entered, or split it into several parts.',
  }),
  'cross-origin-form': forbidden('This form was sent from another site', {
    advice: 'Nothing was changed. Open the page on this site and try again.',
    link: startLink,
  }),
  'expired-form': forbidden('This form has expired', {
    advice:
      'Nothing was changed. You may have signed in or out since you opened it. Open the page again and fill in the form.',
    next: 'form',
    link: startLink,
  }),
  'bound-session': boundSession,
  'too-many-visits': tooMany('Too many requests', {
    advice: 'You opened many pages in a short time. Please wait a minute, then try again.',
    next: 'retry',
  }),
} as const satisfies Readonly<Record<string, ErrorPage>>;

export type PageProblem = keyof typeof problemPages;

export function errorPage(error: unknown): ErrorPage {
  if (error instanceof PageError) return problemPages[error.problem];
  if (error instanceof Refusal) return refusalPage(error);
  if (error instanceof Unavailable) return error.isOutcomeUnknown ? outcomeUnknown : unavailable;
  return requestErrorPage(error) ?? internalError;
}

function refusalPage({ code, message }: Refusal): ErrorPage {
  const page = refusalPages[code];
  // The message has the code of the provider, by which its administrators find the reason.
  if (code === 'sign-on-refused') return { ...page, advice: `${message}. ${page.advice}` };
  return code === 'too-many-requests' ? { ...page, advice: `${message}.` } : page;
}

/** The seconds after which a retry makes sense. Null: unknown. */
export function retryAfter(error: unknown): number | null {
  const isTold = error instanceof PageError || error instanceof Refusal || error instanceof Unavailable;
  return isTold ? error.retryAfter : null;
}

/** Errors of Express and its body parser carry a status. A `URIError` is about the address. */
function requestErrorPage(error: unknown): ErrorPage | null {
  const status = error instanceof Error && 'status' in error ? error.status : null;
  if (typeof status !== 'number' || status < 400 || status >= 500) return null;
  if (error instanceof URIError) return notFound;
  if (status === 413) return problemPages['form-too-large'];
  return status === 415 ? problemPages['unsupported-form'] : problemPages['malformed-form'];
}

/** Thrown by pages. The error page says what happened and what to do. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly problem: PageProblem;
  /** Seconds to wait before a retry, if known. */
  readonly retryAfter: number | null;

  constructor(problem: PageProblem, retryAfter: number | null = null) {
    super(problem);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}
