/** A number or UUID in an address, or the name of the parameter in the pattern of a route, such as `:id`. */
type Part = number | string;

const inOrganization = (rest: string) => (id: Part) => `/organizations/${id}${rest}`;
const atMember = (rest: string) => (id: Part, userId: Part) => `/organizations/${id}/people/${userId}${rest}`;
const atInvitation = (rest: string) => (id: Part, uuid: Part) =>
  `/organizations/${id}/invitations/${uuid}${rest}`;
const atSignIn = (rest: string) => (id: Part) => `/sign-in/organizations/${id}${rest}`;

/** Every address of the pages, for links and for routes. */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  organizationSignIn: atSignIn(''),
  startSignOn: atSignIn('/start'),
  signOnCallback: atSignIn('/callback'),
  confirmSignOn: atSignIn('/confirm'),
  mailSignOnCode: atSignIn('/confirm/mail'),
  endProviderSession: atSignIn('/backchannel_logout'),
  secondStep: '/sign-in/second-factor',
  signOut: '/sign-out',
  session: '/session',
  forgotPassword: '/forgot-password',
  passwordResetRequested: '/forgot-password/sent',
  resetPassword: '/reset-password/:token',
  acceptInvitation: '/invitations/:token',
  loginLink: '/login/:token',
  openSetupLink: '/setup/:token',
  mails: '/mails',
  startAgain: '/start-again',
  docs: '/docs',
  docsGroup: (name: string) => `/docs/${name}`,
  guide: '/docs/guide',
  guidePage: (name: string) => `/docs/guide/${name}`,

  account: '/account',
  ownName: '/account/name',
  renewSession: '/account/stay-signed-in',
  sessions: '/account/sessions',
  endOtherSessions: '/account/sessions/sign-out-others',
  endSession: (session: Part) => `/account/sessions/${session}/sign-out`,
  secondFactor: '/account/second-factor',
  newPasskey: '/account/second-factor/passkey',
  passkeyName: (passkey: Part) => `/account/second-factor/passkeys/${passkey}/name`,
  removePasskey: (passkey: Part) => `/account/second-factor/passkeys/${passkey}/remove`,
  codes: '/account/second-factor/app',
  removeCodes: '/account/second-factor/app/remove',
  recoveryCodes: '/account/second-factor/recovery-codes',
  newRecoveryCodes: '/account/second-factor/recovery-codes/new',
  memberships: '/meetings',

  organization: inOrganization(''),
  organizationName: inOrganization('/name'),
  firstSteps: inOrganization('/first-steps'),
  activity: inOrganization('/activity'),
  activityFile: inOrganization('/activity.csv'),
  accessKey: inOrganization('/access-key'),
  accessKeyName: inOrganization('/access-key/name'),
  settings: inOrganization('/settings'),
  requireSecondFactor: inOrganization('/second-factor'),
  apiCalls: inOrganization('/calls'),
  newAccessKey: inOrganization('/access-key/new'),
  signOn: inOrganization('/sign-on'),
  checkSignOn: inOrganization('/sign-on/check'),
  trySignOn: inOrganization('/sign-on/try'),
  triedSignOn: inOrganization('/sign-on/tried'),
  switchSignOn: (id: Part, to: 'on' | 'required' | 'off') => `/organizations/${id}/sign-on/${to}`,
  removeSignOn: inOrganization('/sign-on/remove'),
  directory: inOrganization('/directory'),
  directoryToken: inOrganization('/directory/token'),
  newDirectoryToken: inOrganization('/directory/token/new'),
  oldDirectoryToken: inOrganization('/directory/token/old'),
  directoryOff: inOrganization('/directory/off'),
  setupLink: inOrganization('/setup-link'),
  newSetupLink: inOrganization('/setup-link/new'),
  endSetupLink: inOrganization('/setup-link/end'),

  people: inOrganization('/people'),
  peopleFile: inOrganization('/people.csv'),
  loginLinkOf: atMember('/login-link'),
  newLoginLink: atMember('/login-link/new'),
  signOutMember: atMember('/sign-out'),
  member: atMember(''),
  memberName: atMember('/name'),
  idpId: atMember('/idp-id'),
  unlinkIdentity: atMember('/unlink'),
  removeMember: atMember('/remove'),

  meetings: inOrganization('/meetings'),
  pastMeetings: inOrganization('/meetings/past'),
  calendarMeeting: (id: Part, meetingId: Part) => `/organizations/${id}/meetings/${meetingId}.ics`,
  calendar: inOrganization('/calendar'),
  newCalendarAddress: inOrganization('/calendar/new'),
  replaceCalendar: inOrganization('/calendar/replace'),
  revokeCalendar: inOrganization('/calendar/revoke'),
  calendarFeed: '/calendar/:token.ics',
  organizationMeetings: inOrganization('/all-meetings'),
  weeks: inOrganization('/all-meetings/weeks'),
  organizationMeeting: (id: Part, meetingId: Part) => `/organizations/${id}/all-meetings/${meetingId}`,
  exports: inOrganization('/export'),
  exportFile: (id: Part, form: 'csv' | 'json') => `/organizations/${id}/export/meetings.${form}`,

  invitations: inOrganization('/invitations'),
  invitationsFile: inOrganization('/invitations.csv'),
  invite: inOrganization('/invitations/new'),
  inviteMany: inOrganization('/invitations/many'),
  selectedInvitations: (id: Part, action: 'renew' | 'revoke') =>
    `/organizations/${id}/invitations/selected/${action}`,
  invitation: atInvitation(''),
  renewInvitation: atInvitation('/renew'),
  revokeInvitation: atInvitation('/revoke'),

  webhooks: inOrganization('/webhooks'),
  testWebhook: inOrganization('/webhooks/test'),
  webhookSettings: inOrganization('/webhooks/settings'),
  dismissFailed: inOrganization('/webhooks/dismiss'),
  redeliverFailed: inOrganization('/webhooks/redeliver'),
  delivery: (id: Part, deliveryId: Part) => `/organizations/${id}/webhooks/deliveries/${deliveryId}`,
  secret: inOrganization('/webhooks/secret'),
  newSecret: inOrganization('/webhooks/secret/new'),
  finishRotation: inOrganization('/webhooks/secret/finish'),
} as const;

/** The parameter of what a page says once. An address that is kept does not have it. */
export const RESENT = 'resent';

/** The address with its parameters. Without any, it has no question mark. */
export function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The organization in an address. Null if there is none: its number is canonical and exact. */
export function organizationIn(path: string): number | null {
  const id = Number(/^\/organizations\/([1-9]\d{0,15})(?=\/|$)/.exec(path)?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

const SECTION =
  /^\/organizations\/[1-9]\d{0,15}(?:\/(?:meetings|all-meetings|export|invitations|webhooks|people|settings))?(?=\/|$)/;

/** The organization that a person signs in to at such an address. Null elsewhere. */
export function organizationOfSignIn(path: string): number | null {
  const rest = /^\/sign-in(\/organizations\/.+)$/.exec(path)?.[1];
  return rest === undefined ? null : organizationIn(rest);
}

/** The address of the section of an organization to which a path belongs. Null outside organizations. */
export function sectionPath(path: string): string | null {
  return SECTION.exec(path)?.[0] ?? null;
}

/** The first page of a session that the password or a login link started, unless another one was requested. */
export function startPath({ boundTo }: { readonly boundTo: number | null }): string {
  return boundTo === null ? paths.memberships : paths.meetings(boundTo);
}

/**
 * The paths that signing in may lead to. All belong to the service, so that no link can lead to another site. A query
 * has no line breaks.
 */
const AFTER_SIGN_IN =
  /^\/(?:(?:meetings|account(?:\/(?:name|sessions|second-factor(?:\/[\w-]{1,1400}){0,3}))?)(?:\?page=\d{1,10})?|docs\/guide(?:\/[a-z-]{1,40})?|organizations\/[1-9]\d{0,15}(?:\/[a-z0-9-]{1,40}){0,3}(?:\?(?!.*%(?:[01][\da-fA-F]|7[fF]))[\w.~%=&+[\]:,-]{1,2000})?)$/;

/** Where to go on, in a cookie, which has about 4 kB: a longer path leads to the start instead. */
export function keptPath(next: string | null): string | null {
  return next !== null && next.length <= 1000 ? next : null;
}

/** Returns the path if signing in may lead to it, otherwise null. */
export function pathAfterSignIn(path: unknown): string | null {
  return typeof path === 'string' && AFTER_SIGN_IN.test(path) ? path : null;
}

interface Visited {
  /** Null if only forms are sent there. */
  readonly pagePath: string | null;
  readonly request: { readonly url: string; readonly path: string };
}

/** The sign-in page, which leads back to the requested page, or to that page without its query. */
export function signInPath({ pagePath, request: { url, path } }: Visited): string {
  // A file belongs to the page above it in the path, and what is no page to its section.
  const page = pagePath === null ? sectionPath(path) : url.replace(/\/[\w-]+\.[a-z]+(?:\?.*)?$/, '');
  const next = pathAfterSignIn(page) ?? pathAfterSignIn(page?.split('?', 1)[0]);
  return next === null ? paths.signIn : `${paths.signIn}?next=${encodeURIComponent(next)}`;
}
