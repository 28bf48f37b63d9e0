/** A number or UUID in an address, or the name of the parameter in the pattern of a route, such as `:id`. */
type Part = number | string;

const organization = (id: Part) => `/organizations/${id}`;
const people = (id: Part) => `${organization(id)}/people`;
const member = (id: Part, userId: Part) => `${people(id)}/${userId}`;
const meetings = (id: Part) => `${organization(id)}/meetings`;
const calendar = (id: Part) => `${organization(id)}/calendar`;
const organizationMeetings = (id: Part) => `${organization(id)}/all-meetings`;
const exports = (id: Part) => `${organization(id)}/export`;
const accessKey = (id: Part) => `${organization(id)}/access-key`;
const invitations = (id: Part) => `${organization(id)}/invitations`;
const invitation = (id: Part, uuid: Part) => `${invitations(id)}/${uuid}`;
const webhooks = (id: Part) => `${organization(id)}/webhooks`;
const directory = (id: Part) => `${organization(id)}/directory`;
const setupLink = (id: Part) => `${organization(id)}/setup-link`;
const secret = (id: Part) => `${webhooks(id)}/secret`;
const signOn = (id: Part) => `${organization(id)}/sign-on`;
const organizationSignIn = (id: Part) => `/sign-in/organizations/${id}`;

/** Every address of the pages, for links and for routes. */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  organizationSignIn,
  startSignOn: (id: Part) => `${organizationSignIn(id)}/start`,
  signOnCallback: (id: Part) => `${organizationSignIn(id)}/callback`,
  confirmSignOn: (id: Part) => `${organizationSignIn(id)}/confirm`,
  mailSignOnCode: (id: Part) => `${organizationSignIn(id)}/confirm/mail`,
  endProviderSession: (id: Part) => `${organizationSignIn(id)}/backchannel_logout`,
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

  organization,
  organizationName: (id: Part) => `${organization(id)}/name`,
  firstSteps: (id: Part) => `${organization(id)}/first-steps`,
  activity: (id: Part) => `${organization(id)}/activity`,
  activityFile: (id: Part) => `${organization(id)}/activity.csv`,
  accessKey,
  accessKeyName: (id: Part) => `${accessKey(id)}/name`,
  settings: (id: Part) => `${organization(id)}/settings`,
  requireSecondFactor: (id: Part) => `${organization(id)}/second-factor`,
  apiCalls: (id: Part) => `${organization(id)}/calls`,
  newAccessKey: (id: Part) => `${accessKey(id)}/new`,
  signOn,
  checkSignOn: (id: Part) => `${signOn(id)}/check`,
  trySignOn: (id: Part) => `${signOn(id)}/try`,
  triedSignOn: (id: Part) => `${signOn(id)}/tried`,
  switchSignOn: (id: Part, to: 'on' | 'required' | 'off') => `${signOn(id)}/${to}`,
  removeSignOn: (id: Part) => `${signOn(id)}/remove`,
  directory,
  directoryToken: (id: Part) => `${directory(id)}/token`,
  newDirectoryToken: (id: Part) => `${directory(id)}/token/new`,
  oldDirectoryToken: (id: Part) => `${directory(id)}/token/old`,
  directoryOff: (id: Part) => `${directory(id)}/off`,
  setupLink,
  newSetupLink: (id: Part) => `${setupLink(id)}/new`,
  endSetupLink: (id: Part) => `${setupLink(id)}/end`,

  people,
  peopleFile: (id: Part) => `${people(id)}.csv`,
  loginLinkOf: (id: Part, userId: Part) => `${member(id, userId)}/login-link`,
  newLoginLink: (id: Part, userId: Part) => `${member(id, userId)}/login-link/new`,
  signOutMember: (id: Part, userId: Part) => `${member(id, userId)}/sign-out`,
  member,
  memberName: (id: Part, userId: Part) => `${member(id, userId)}/name`,
  idpId: (id: Part, userId: Part) => `${member(id, userId)}/idp-id`,
  unlinkIdentity: (id: Part, userId: Part) => `${member(id, userId)}/unlink`,
  removeMember: (id: Part, userId: Part) => `${member(id, userId)}/remove`,

  meetings,
  pastMeetings: (id: Part) => `${meetings(id)}/past`,
  calendarMeeting: (id: Part, meetingId: Part) => `${meetings(id)}/${meetingId}.ics`,
  calendar,
  newCalendarAddress: (id: Part) => `${calendar(id)}/new`,
  replaceCalendar: (id: Part) => `${calendar(id)}/replace`,
  revokeCalendar: (id: Part) => `${calendar(id)}/revoke`,
  calendarFeed: '/calendar/:token.ics',
  organizationMeetings,
  weeks: (id: Part) => `${organizationMeetings(id)}/weeks`,
  organizationMeeting: (id: Part, meetingId: Part) => `${organizationMeetings(id)}/${meetingId}`,
  exports,
  exportFile: (id: Part, form: 'csv' | 'json') => `${exports(id)}/meetings.${form}`,

  invitations,
  invitationsFile: (id: Part) => `${invitations(id)}.csv`,
  invite: (id: Part) => `${invitations(id)}/new`,
  inviteMany: (id: Part) => `${invitations(id)}/many`,
  selectedInvitations: (id: Part, action: 'renew' | 'revoke') => `${invitations(id)}/selected/${action}`,
  invitation,
  renewInvitation: (id: Part, uuid: Part) => `${invitation(id, uuid)}/renew`,
  revokeInvitation: (id: Part, uuid: Part) => `${invitation(id, uuid)}/revoke`,

  webhooks,
  testWebhook: (id: Part) => `${webhooks(id)}/test`,
  webhookSettings: (id: Part) => `${webhooks(id)}/settings`,
  dismissFailed: (id: Part) => `${webhooks(id)}/dismiss`,
  redeliverFailed: (id: Part) => `${webhooks(id)}/redeliver`,
  delivery: (id: Part, deliveryId: Part) => `${webhooks(id)}/deliveries/${deliveryId}`,
  secret,
  newSecret: (id: Part) => `${secret(id)}/new`,
  finishRotation: (id: Part) => `${secret(id)}/finish`,
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
