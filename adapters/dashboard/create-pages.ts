import type { ErrorTracker } from '@rollcall/core';
import express, { type Router } from 'express';
import { loadAssets } from './assets.js';
import { redirectBelow } from './base-path.js';
import { CalendarFiles } from './calendar-files.js';
import { createCookies } from './cookies.js';
import type { CheckReceiver, Dashboard, FormTokens, PagesCore, SendFile } from './dashboard.js';
import { type InterfaceDocument, interfaceFacts } from './docs/facts.js';
import { answerErrors, answerUnknown } from './errors.js';
import { pacePages } from './pace.js';
import { addPage, refuseOthers } from './page.js';
import { pageHeaders } from './page-headers.js';
import { acceptInvitation } from './pages/accept-invitation.js';
import { accessKey } from './pages/access-key.js';
import { account } from './pages/change-password.js';
import { member } from './pages/change-role.js';
import { chooseOrganization } from './pages/choose-organization.js';
import { configureWebhook } from './pages/configure-webhook.js';
import { exportFile, exportMeetings } from './pages/export-meetings.js';
import { guide } from './pages/guide.js';
import { home } from './pages/home.js';
import { inviteMany } from './pages/invite-users.js';
import { activity } from './pages/list-activity.js';
import { invitations } from './pages/list-invitations.js';
import { people } from './pages/list-members.js';
import { upcomingMeetings } from './pages/list-upcoming-meetings.js';
import { openCalendarFeed } from './pages/open-calendar-feed.js';
import { organization } from './pages/organization.js';
import { calendarFeed } from './pages/read-calendar-feed.js';
import { calendarMeeting } from './pages/read-calendar-meeting.js';
import { readDelivery } from './pages/read-delivery.js';
import { invitation } from './pages/read-invitation.js';
import { redeemLoginLink } from './pages/redeem-login-link.js';
import { redeliverFailed } from './pages/redeliver-failed.js';
import { reference } from './pages/reference.js';
import { removeMember } from './pages/remove-member.js';
import { renewInvitation } from './pages/renew-invitation.js';
import { replaceCalendarFeed } from './pages/replace-calendar-feed.js';
import { revokeCalendarFeed } from './pages/revoke-calendar-feed.js';
import { revokeInvitation } from './pages/revoke-invitation.js';
import { rotateSecret } from './pages/rotate-secret.js';
import { signIn } from './pages/sign-in.js';
import { signOut } from './pages/sign-out.js';
import { testWebhook } from './pages/test-webhook.js';
import { publicAddress } from './public-address.js';
import { noVisitLimits, type VisitLimitsOptions, visitLimits } from './visit-limits.js';

export interface PagesOptions {
  readonly core: PagesCore;
  readonly formTokens: FormTokens;
  /** How downloads leave. */
  readonly sendFile: SendFile;
  readonly checkReceiver: CheckReceiver;
  /** Base of the pages' own addresses; forms are accepted from its origin only. */
  readonly publicUrl: string;
  /** The brand that pages show. */
  readonly serviceName: string;
  readonly errorTracker: ErrorTracker;
  /** How often pages and feeds may be asked for; left out: as often as anybody likes. */
  readonly visits?: VisitLimitsOptions | undefined;
  /** The OpenAPI document, which the docs are made from. */
  readonly openapi: InterfaceDocument;
  /** Unknown addresses are left to the application that ours is mounted in. */
  readonly isMounted?: boolean;
}

/**
 * All pages, for the root of an Express application behind everything that answers programs: to unknown
 * addresses it answers a page where HTML is preferred, and calls `next` else. Error pages name the request
 * by the answer's `X-Request-Id` where one was set; failures are counted by `request.ip`, an IPv6
 * address by its /64.
 */
export function createPages({
  publicUrl,
  openapi,
  visits,
  isMounted = false,
  ...given
}: PagesOptions): Router {
  const assets = loadAssets();
  const address = publicAddress(publicUrl);
  const dashboard: Dashboard = {
    ...given,
    address,
    cookies: createCookies(address),
    assets: assets.links,
    setHeaders: pageHeaders(address),
    visitLimits: visits === undefined ? noVisitLimits : visitLimits(visits),
    calendarFiles: new CalendarFiles(),
    facts: interfaceFacts(openapi),
  };

  const router = express.Router();
  if (address.basePath !== '') router.use(redirectBelow(address.basePath));
  router
    .route('/assets/:name')
    .get((request, response, next) => {
      dashboard.setHeaders(request, response);
      if (!assets.serve(request, response)) next('route');
    })
    .all(refuseOthers(['GET', 'HEAD']));
  router.use(pacePages());
  addPage(router, dashboard, home(dashboard));
  addPage(router, dashboard, signIn(dashboard));
  addPage(router, dashboard, signOut(dashboard));
  addPage(router, dashboard, acceptInvitation(dashboard));
  addPage(router, dashboard, redeemLoginLink(dashboard));
  addPage(router, dashboard, account(dashboard));
  addPage(router, dashboard, chooseOrganization(dashboard));
  addPage(router, dashboard, organization(dashboard));
  addPage(router, dashboard, accessKey(dashboard));
  addPage(router, dashboard, activity(dashboard));
  addPage(router, dashboard, people(dashboard));
  addPage(router, dashboard, member(dashboard));
  addPage(router, dashboard, removeMember(dashboard));
  addPage(router, dashboard, upcomingMeetings(dashboard));
  addPage(router, dashboard, configureWebhook(dashboard));
  addPage(router, dashboard, rotateSecret(dashboard));
  addPage(router, dashboard, testWebhook(dashboard));
  addPage(router, dashboard, redeliverFailed(dashboard));
  addPage(router, dashboard, readDelivery(dashboard));
  addPage(router, dashboard, calendarMeeting(dashboard));
  addPage(router, dashboard, openCalendarFeed(dashboard));
  addPage(router, dashboard, replaceCalendarFeed(dashboard));
  addPage(router, dashboard, revokeCalendarFeed(dashboard));
  addPage(router, dashboard, calendarFeed(dashboard));
  addPage(router, dashboard, invitations(dashboard));
  addPage(router, dashboard, inviteMany(dashboard));
  addPage(router, dashboard, invitation(dashboard));
  addPage(router, dashboard, revokeInvitation(dashboard));
  addPage(router, dashboard, renewInvitation(dashboard));
  addPage(router, dashboard, exportMeetings(dashboard));
  addPage(router, dashboard, exportFile(dashboard, 'json'));
  addPage(router, dashboard, exportFile(dashboard, 'csv'));
  addPage(router, dashboard, reference(dashboard));
  addPage(router, dashboard, guide(dashboard));
  if (!isMounted) router.use(answerUnknown(dashboard));
  router.use(answerErrors(dashboard));
  return router;
}
