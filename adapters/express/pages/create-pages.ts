import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { countVisit } from './access.js';
import { changePassword } from './account/change-password.js';
import { endOtherSessions, endSession, listSessions } from './account/list-sessions.js';
import { redeemLoginLink } from './account/redeem-login-link.js';
import { prolongSession, renewSession } from './account/renew-session.js';
import { passwordResetRequested, requestPasswordReset } from './account/request-password-reset.js';
import { resetPassword } from './account/reset-password.js';
import { home, signIn } from './account/sign-in.js';
import { signOut } from './account/sign-out.js';
import {
  createCalendarFeed,
  replaceCalendarFeed,
  revokeCalendarFeed,
  showCalendarAddress,
} from './calendar/create-calendar-feed.js';
import { readCalendarFeed } from './calendar/read-calendar-feed.js';
import { readCalendarMeeting } from './calendar/read-calendar-meeting.js';
import { createCookies } from './cookies.js';
import { listMails } from './demo/list-mails.js';
import { startAgain } from './demo/start-again.js';
import { loadAssets } from './design/assets.js';
import { type Brand, defaultBrand } from './design/brand.js';
import { endOldDirectoryToken, turnDirectoryOff } from './directory/end-directory-tokens.js';
import { issueDirectoryToken, showDirectoryToken } from './directory/issue-directory-token.js';
import { readDirectory } from './directory/read-directory.js';
import { apiFacts } from './docs/api-facts.js';
import { guide } from './docs/guide.js';
import type { OpenApiDocument } from './docs/read-operations.js';
import { reference } from './docs/reference.js';
import { answerError } from './errors/answer-errors.js';
import { PageError } from './errors/error-page.js';
import { exportMeetings, previewExport } from './export/preview-export.js';
import { acceptInvitation } from './invitations/accept-invitation.js';
import { inviteLines } from './invitations/invite-lines.js';
import { inviteUser } from './invitations/invite-user.js';
import { exportInvitations, listInvitations } from './invitations/list-invitations.js';
import { readInvitation, revokeInvitation } from './invitations/read-invitation.js';
import { renewInvitation } from './invitations/renew-invitation.js';
import { renewSelected, revokeSelected } from './invitations/renew-selected.js';
import { listMeetings } from './meetings/list-meetings.js';
import { listPastMeetings, listUpcomingMeetings } from './meetings/own-meetings.js';
import { readMeeting } from './meetings/read-meeting.js';
import { summarizeMeetings } from './meetings/summarize-meetings.js';
import { changeRole, setIdpId } from './members/change-role.js';
import { issueLoginLink, showLoginLink } from './members/issue-login-link.js';
import { exportMembers, listMembers } from './members/list-members.js';
import { removeMember } from './members/remove-member.js';
import { setName, setOwnName } from './members/set-name.js';
import { signOutMember } from './members/sign-out-member.js';
import { generateAccessKey, showAccessKey } from './organization/generate-access-key.js';
import { hideFirstSteps } from './organization/hide-first-steps.js';
import { exportActivity, listActivity } from './organization/list-activity.js';
import { listApiCalls } from './organization/list-api-calls.js';
import { listMemberships } from './organization/list-memberships.js';
import { nameAccessKey } from './organization/name-access-key.js';
import { overview } from './organization/overview.js';
import { renameOrganization } from './organization/rename-organization.js';
import { setTimeZone } from './organization/set-time-zone.js';
import { addPage, type Page, rejectMethod } from './page.js';
import type { PageDeps } from './page-deps.js';
import { pageHeaders } from './page-headers.js';
import { addBasePathToRedirects, publicAddress, restoreRedirects } from './public-address.js';
import { addPasskey, namePasskey } from './second-factor/add-passkey.js';
import { readSecondFactor } from './second-factor/read-second-factor.js';
import { renewRecoveryCodes, showRecoveryCodes } from './second-factor/recovery-codes.js';
import { removeCodes, removePasskey } from './second-factor/remove-second-factor.js';
import { requireSecondFactor } from './second-factor/require-second-factor.js';
import { secondStep } from './second-factor/second-step.js';
import { setUpCodes } from './second-factor/set-up-codes.js';
import { checkSignOn } from './sign-on/check-sign-on.js';
import { configureSignOn } from './sign-on/configure-sign-on.js';
import { confirmSignOn, mailSignOnCode } from './sign-on/confirm-sign-on.js';
import { endProviderSession } from './sign-on/end-provider-session.js';
import { finishSignOn } from './sign-on/finish-sign-on.js';
import { openSignOn, startSignOn } from './sign-on/open-sign-on.js';
import { endSetupLink, issueSetupLink, openSetupLink, showSetupLink } from './sign-on/setup-link.js';
import { removeSignOn, requireSignOn, turnSignOnOff, turnSignOnOn } from './sign-on/switch-sign-on.js';
import { showTrial, trySignOn } from './sign-on/try-sign-on.js';
import { unlinkIdentity } from './sign-on/unlink-identity.js';
import { openVisit } from './visit.js';
import { noVisitLimits, type VisitLimitsOptions, visitLimits, yieldBetweenPages } from './visit-limits.js';
import { configureWebhook } from './webhooks/configure-webhook.js';
import { dismissFailed } from './webhooks/dismiss-failed.js';
import { listDeliveries } from './webhooks/list-deliveries.js';
import { readDelivery } from './webhooks/read-delivery.js';
import { redeliverFailed } from './webhooks/redeliver-failed.js';
import { finishRotation, rotateSecret, showSecret } from './webhooks/rotate-secret.js';
import { testWebhook } from './webhooks/test-webhook.js';

type UsualOptions = Pick<PageDeps, 'sendsMail' | 'defaultTimeZone' | 'meetingUrl' | 'supportUrl'>;

/** By default no mail is sent, days begin in UTC, and nothing leads to a platform or to the operator. */
export interface PagesOptions
  extends Omit<
      PageDeps,
      keyof UsualOptions | 'address' | 'cookies' | 'assets' | 'setHeaders' | 'visitLimits' | 'facts'
    >,
    Partial<{ readonly [Name in keyof UsualOptions]: UsualOptions[Name] | undefined }> {
  /** The base of the pages' own addresses. Forms are accepted only from its origin. */
  readonly publicUrl: string;
  /** The operator's color and logo. Rollcall's own by default. */
  readonly brand?: Brand | undefined;
  /** How often pages and feeds may be requested. Without limits by default. */
  readonly visits?: VisitLimitsOptions | undefined;
  /** Reads the OpenAPI document, which is the source of the docs. */
  readonly openapi: () => OpenApiDocument;
  /** Whether the pages are mounted in another application, which then handles unknown addresses. */
  readonly isMounted?: boolean;
}

/**
 * All pages, for the root of an Express application, behind the routes of the API. An unknown address gets a
 * page if the client prefers HTML, else `next` is called. Error pages show the answer's `X-Request-Id` if it
 * is set. Failures are counted by `request.ip`, IPv6 addresses by their /64.
 */
export function createPages({
  publicUrl,
  openapi,
  visits,
  brand = defaultBrand,
  defaultTimeZone = 'UTC',
  sendsMail = false,
  meetingUrl = null,
  supportUrl = null,
  isMounted = false,
  ...options
}: PagesOptions): Router {
  const assets = loadAssets(brand);
  const address = publicAddress(publicUrl);
  const deps: PageDeps = {
    ...options,
    defaultTimeZone,
    sendsMail,
    meetingUrl,
    supportUrl,
    address,
    cookies: createCookies(address),
    assets: assets.links,
    setHeaders: pageHeaders(address),
    visitLimits: visits === undefined ? noVisitLimits : visitLimits(visits),
    facts: apiFacts(openapi),
  };

  const router = express.Router();
  if (address.basePath !== '') router.use(addBasePathToRedirects(address.basePath));
  router
    .route('/assets/:name')
    .get((request, response, next) => {
      // What is not ours may be a file of the host, which has headers of its own.
      if (!isMounted || assets.has(request)) deps.setHeaders.page(request, response);
      if (!assets.serve(request, response)) next('route');
    })
    .all((request, response, next) => {
      if (request.accepts('html') === false) next('router');
      else rejectMethod({ response }, ['GET', 'HEAD']);
    });
  router.use(yieldBetweenPages());
  for (const page of pages) addPage(router, deps, page);
  const { demo } = deps;
  if (demo !== undefined) for (const page of [listMails(demo), startAgain(demo)]) addPage(router, deps, page);
  router.use(isMounted ? restoreRedirects : answerUnknown(deps));
  const onError: ErrorRequestHandler = (error, request, response, next) =>
    answerError(openVisit(deps, request, response), error, next);
  router.use(onError);
  return router;
}

/** Handles an unknown address. People get a page; requests of programs go to the next handler. */
function answerUnknown(deps: PageDeps): RequestHandler {
  return async (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') return next('router');
    const visit = openVisit(deps, request, response);
    await countVisit(visit);
    await answerError(visit, new PageError('not-found'), next);
  };
}

/** Every page. Of two that match an address, the first answers. */
const pages: readonly Page[] = [
  ...[home, signIn, signOut, renewSession, prolongSession, acceptInvitation, redeemLoginLink],
  ...[secondStep, readSecondFactor, addPasskey, namePasskey, removePasskey, setUpCodes, removeCodes],
  ...[renewRecoveryCodes, showRecoveryCodes, requireSecondFactor],
  ...[changePassword, setOwnName, listSessions, endSession, endOtherSessions],
  ...[requestPasswordReset, passwordResetRequested, resetPassword, listMemberships],
  ...[overview, setTimeZone],
  ...[readDirectory, issueDirectoryToken, showDirectoryToken, endOldDirectoryToken, turnDirectoryOff],
  ...[renameOrganization, hideFirstSteps, generateAccessKey, showAccessKey, listActivity],
  ...[nameAccessKey, listApiCalls, exportActivity],
  ...[listMembers, exportMembers, changeRole, setIdpId, setName, removeMember],
  ...[issueLoginLink, showLoginLink, signOutMember],
  ...[listUpcomingMeetings, listPastMeetings, listMeetings, summarizeMeetings, readMeeting],
  ...[listDeliveries, testWebhook, configureWebhook, rotateSecret, showSecret, finishRotation],
  ...[redeliverFailed, dismissFailed, readDelivery],
  ...[readCalendarMeeting, createCalendarFeed, showCalendarAddress, replaceCalendarFeed, revokeCalendarFeed],
  ...[readCalendarFeed, listInvitations, exportInvitations, inviteUser, inviteLines],
  ...[revokeSelected, renewSelected, readInvitation, revokeInvitation, renewInvitation],
  ...[openSignOn, startSignOn, finishSignOn, confirmSignOn, mailSignOnCode, endProviderSession],
  ...[configureSignOn, checkSignOn, trySignOn, showTrial, unlinkIdentity],
  ...[turnSignOnOn, requireSignOn, turnSignOnOff, removeSignOn],
  ...[issueSetupLink, showSetupLink, endSetupLink, openSetupLink],
  ...[previewExport, exportMeetings('json'), exportMeetings('csv'), ...reference, ...guide],
];
