import type { ErrorTracker } from '@rollcall/core';
import express, { type Router } from 'express';
import { changePassword } from './account/change-password.js';
import { endOtherSessions } from './account/end-other-sessions.js';
import { endSession } from './account/end-session.js';
import { home } from './account/home.js';
import { listSessions } from './account/list-sessions.js';
import { redeemLoginLink } from './account/redeem-login-link.js';
import { renewSession } from './account/renew-session.js';
import { passwordResetRequested, requestPasswordReset } from './account/request-password-reset.js';
import { resetPassword } from './account/reset-password.js';
import { resumeSession } from './account/resume-session.js';
import { signIn } from './account/sign-in.js';
import { signOut } from './account/sign-out.js';
import { addPage, rejectOtherMethods } from './add-page.js';
import { answerErrors, answerUnknown } from './answer-errors.js';
import { loadAssets } from './assets.js';
import { addBasePathToRedirects, restoreRedirects } from './base-path.js';
import { createCalendarFeed, showCalendarAddress } from './calendar/create-calendar-feed.js';
import { readCalendarFeed } from './calendar/read-calendar-feed.js';
import { readCalendarMeeting } from './calendar/read-calendar-meeting.js';
import { replaceCalendarFeed } from './calendar/replace-calendar-feed.js';
import { revokeCalendarFeed } from './calendar/revoke-calendar-feed.js';
import { createCookies } from './cookies.js';
import { type Brand, defaultBrand } from './design/brand.js';
import { type OpenApiDocument, readApiFacts } from './docs/api-facts.js';
import { guide } from './docs/guide.js';
import { reference } from './docs/reference.js';
import { exportMeetings } from './export/export-meetings.js';
import { previewExport } from './export/preview-export.js';
import { acceptInvitation } from './invitations/accept-invitation.js';
import { exportInvitations } from './invitations/export-invitations.js';
import { inviteUsers } from './invitations/invite-users.js';
import { listInvitations } from './invitations/list-invitations.js';
import { readInvitation } from './invitations/read-invitation.js';
import { renewInvitation } from './invitations/renew-invitation.js';
import { renewSelected } from './invitations/renew-selected.js';
import { revokeInvitation } from './invitations/revoke-invitation.js';
import { revokeSelected } from './invitations/revoke-selected.js';
import { type KeptMails, listMails } from './mails/list-mails.js';
import { listPastMeetings } from './meetings/list-past-meetings.js';
import { listUpcomingMeetings } from './meetings/list-upcoming-meetings.js';
import { addMember } from './members/add-member.js';
import { changeRole } from './members/change-role.js';
import { exportMembers } from './members/export-members.js';
import { listMembers } from './members/list-members.js';
import { removeMember } from './members/remove-member.js';
import { setIdpId } from './members/set-idp-id.js';
import { setName, setOwnName } from './members/set-name.js';
import { generateAccessKey, showAccessKey } from './organization/generate-access-key.js';
import { hideFirstSteps } from './organization/hide-first-steps.js';
import { listActivity } from './organization/list-activity.js';
import { listMemberships } from './organization/list-memberships.js';
import { renameOrganization } from './organization/rename-organization.js';
import { setTimeZone } from './organization/set-time-zone.js';
import type {
  BrowserCipher,
  FormTokens,
  PageDeps,
  PagesCore,
  PublishedOrganization,
  SendFile,
} from './page-deps.js';
import { pageHeaders } from './page-headers.js';
import { publicAddress } from './public-address.js';
import { noVisitLimits, type VisitLimitsOptions, visitLimits } from './visit-limits.js';
import { configureWebhook } from './webhooks/configure-webhook.js';
import { finishRotation } from './webhooks/finish-rotation.js';
import { readDelivery } from './webhooks/read-delivery.js';
import { redeliverFailed } from './webhooks/redeliver-failed.js';
import { rotateSecret, showSecret } from './webhooks/rotate-secret.js';
import { testWebhook } from './webhooks/test-webhook.js';
import { yieldBetweenPages } from './yield-between-pages.js';

export interface PagesOptions {
  readonly core: PagesCore;
  readonly formTokens: FormTokens;
  readonly browserCipher: BrowserCipher;
  /** Sends downloads. */
  readonly sendFile: SendFile;
  /** The base of the pages' own addresses. Forms are accepted only from its origin. */
  readonly publicUrl: string;
  /** The brand that pages show. */
  readonly serviceName: string;
  /** Whether the core has a `mailer`, so that people can reset a forgotten password. Not by default. */
  readonly sendsMail?: boolean | undefined;
  /** The operator's color and logo. Rollcall's own by default. */
  readonly brand?: Brand | undefined;
  /** The zone of exports for organizations that have not chosen one. UTC by default. */
  readonly defaultTimeZone?: string | undefined;
  readonly errorTracker: ErrorTracker;
  /** How often pages and feeds may be requested. Without limits by default. */
  readonly visits?: VisitLimitsOptions | undefined;
  /** An organization whose access key the guide shows to everyone, as in the demo. None by default. */
  readonly publishedOrganization?: PublishedOrganization | undefined;
  /** Mails that everyone may read, as in the demo, which sends none. None by default, and then there is no page. */
  readonly keptMails?: KeptMails | undefined;
  /** The OpenAPI document, which is the source of the docs. */
  readonly openapi: OpenApiDocument;
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
  keptMails,
  isMounted = false,
  ...options
}: PagesOptions): Router {
  const assets = loadAssets(brand);
  const address = publicAddress(publicUrl);
  const deps: PageDeps = {
    ...options,
    defaultTimeZone,
    sendsMail,
    address,
    cookies: createCookies(address),
    assets: assets.links,
    setHeaders: pageHeaders(address),
    visitLimits: visits === undefined ? noVisitLimits : visitLimits(visits),
    facts: readApiFacts(openapi),
  };

  const router = express.Router();
  if (address.basePath !== '') router.use(addBasePathToRedirects(address.basePath));
  router
    .route('/assets/:name')
    .get((request, response, next) => {
      // What is not ours may be a file of the host, which has headers of its own.
      if (!isMounted || assets.has(request)) deps.setHeaders(request, response);
      if (!assets.serve(request, response)) next('route');
    })
    .all(rejectOtherMethods(['GET', 'HEAD']));
  router.use(yieldBetweenPages());
  addPage(router, deps, home(deps));
  addPage(router, deps, signIn(deps));
  addPage(router, deps, signOut(deps));
  addPage(router, deps, renewSession(deps));
  addPage(router, deps, resumeSession(deps));
  addPage(router, deps, acceptInvitation(deps));
  addPage(router, deps, redeemLoginLink(deps));
  addPage(router, deps, changePassword(deps));
  addPage(router, deps, setOwnName(deps));
  addPage(router, deps, listSessions(deps));
  addPage(router, deps, endSession(deps));
  addPage(router, deps, endOtherSessions(deps));
  addPage(router, deps, requestPasswordReset(deps));
  addPage(router, deps, passwordResetRequested(deps));
  addPage(router, deps, resetPassword(deps));
  addPage(router, deps, listMemberships(deps));
  addPage(router, deps, setTimeZone(deps));
  addPage(router, deps, renameOrganization(deps));
  addPage(router, deps, hideFirstSteps(deps));
  addPage(router, deps, generateAccessKey(deps));
  addPage(router, deps, showAccessKey(deps));
  addPage(router, deps, listActivity(deps));
  addPage(router, deps, listMembers(deps));
  addPage(router, deps, exportMembers(deps));
  addPage(router, deps, addMember(deps));
  addPage(router, deps, changeRole(deps));
  addPage(router, deps, setIdpId(deps));
  addPage(router, deps, setName(deps));
  addPage(router, deps, removeMember(deps));
  addPage(router, deps, listUpcomingMeetings(deps));
  addPage(router, deps, listPastMeetings(deps));
  addPage(router, deps, configureWebhook(deps));
  addPage(router, deps, rotateSecret(deps));
  addPage(router, deps, showSecret(deps));
  addPage(router, deps, finishRotation(deps));
  addPage(router, deps, testWebhook(deps));
  addPage(router, deps, redeliverFailed(deps));
  addPage(router, deps, readDelivery(deps));
  addPage(router, deps, readCalendarMeeting(deps));
  addPage(router, deps, createCalendarFeed(deps));
  addPage(router, deps, showCalendarAddress(deps));
  addPage(router, deps, replaceCalendarFeed(deps));
  addPage(router, deps, revokeCalendarFeed(deps));
  addPage(router, deps, readCalendarFeed(deps));
  addPage(router, deps, listInvitations(deps));
  addPage(router, deps, exportInvitations(deps));
  addPage(router, deps, inviteUsers(deps));
  addPage(router, deps, revokeSelected(deps));
  addPage(router, deps, renewSelected(deps));
  addPage(router, deps, readInvitation(deps));
  addPage(router, deps, revokeInvitation(deps));
  addPage(router, deps, renewInvitation(deps));
  addPage(router, deps, previewExport(deps));
  addPage(router, deps, exportMeetings(deps, 'json'));
  addPage(router, deps, exportMeetings(deps, 'csv'));
  addPage(router, deps, reference(deps));
  addPage(router, deps, guide(deps));
  if (keptMails !== undefined) addPage(router, deps, listMails(deps, keptMails));
  router.use(isMounted ? restoreRedirects : answerUnknown(deps));
  router.use(answerErrors(deps));
  return router;
}
