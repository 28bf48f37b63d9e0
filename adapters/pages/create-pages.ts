import type { ErrorTracker } from '@rollcall/core';
import express, { type Router } from 'express';
import { account } from './account/change-password.js';
import { home } from './account/home.js';
import { redeemLoginLink } from './account/redeem-login-link.js';
import { signIn } from './account/sign-in.js';
import { signOut } from './account/sign-out.js';
import { loadAssets } from './assets.js';
import { redirectBelow } from './base-path.js';
import { CalendarFiles } from './calendar/calendar-files.js';
import { createCalendarFeed } from './calendar/create-calendar-feed.js';
import { calendarFeed } from './calendar/read-calendar-feed.js';
import { calendarMeeting } from './calendar/read-calendar-meeting.js';
import { replaceCalendarFeed } from './calendar/replace-calendar-feed.js';
import { revokeCalendarFeed } from './calendar/revoke-calendar-feed.js';
import { createCookies } from './cookies.js';
import type { CheckReceiver, Dashboard, FormTokens, PagesCore, SendFile } from './dashboard.js';
import { type InterfaceDocument, interfaceFacts } from './docs/facts.js';
import { guide } from './docs/guide.js';
import { reference } from './docs/reference.js';
import { answerErrors, answerUnknown } from './errors.js';
import { exportFile, exportMeetings } from './export/export-meetings.js';
import { acceptInvitation } from './invitations/accept-invitation.js';
import { inviteMany } from './invitations/invite-users.js';
import { invitations } from './invitations/list-invitations.js';
import { invitation } from './invitations/read-invitation.js';
import { renewInvitation } from './invitations/renew-invitation.js';
import { revokeInvitation } from './invitations/revoke-invitation.js';
import { upcomingMeetings } from './meetings/list-upcoming-meetings.js';
import { member } from './members/change-role.js';
import { people } from './members/list-members.js';
import { removeMember } from './members/remove-member.js';
import { accessKey } from './organization/access-key.js';
import { chooseOrganization } from './organization/choose-organization.js';
import { activity } from './organization/list-activity.js';
import { organization } from './organization/organization.js';
import { pacePages } from './pace.js';
import { addPage, refuseOthers } from './page.js';
import { pageHeaders } from './page-headers.js';
import { publicAddress } from './public-address.js';
import { noVisitLimits, type VisitLimitsOptions, visitLimits } from './visit-limits.js';
import { configureWebhook } from './webhook/configure-webhook.js';
import { readDelivery } from './webhook/read-delivery.js';
import { redeliverFailed } from './webhook/redeliver-failed.js';
import { rotateSecret } from './webhook/rotate-secret.js';
import { testWebhook } from './webhook/test-webhook.js';

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
  addPage(router, dashboard, createCalendarFeed(dashboard));
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
