import type { ErrorTracker } from '@rollcall/core';
import express, { type Router } from 'express';
import { changePassword } from './account/change-password.js';
import { home } from './account/home.js';
import { redeemLoginLink } from './account/redeem-login-link.js';
import { signIn } from './account/sign-in.js';
import { signOut } from './account/sign-out.js';
import { answerErrors, answerUnknown } from './answer-errors.js';
import { loadAssets } from './assets.js';
import { redirectBelow } from './base-path.js';
import { CalendarFiles } from './calendar/calendar-files.js';
import { createCalendarFeed } from './calendar/create-calendar-feed.js';
import { readCalendarFeed } from './calendar/read-calendar-feed.js';
import { readCalendarMeeting } from './calendar/read-calendar-meeting.js';
import { replaceCalendarFeed } from './calendar/replace-calendar-feed.js';
import { revokeCalendarFeed } from './calendar/revoke-calendar-feed.js';
import { createCookies } from './cookies.js';
import type { CheckReceiver, Dashboard, FormTokens, PagesCore, SendFile } from './dashboard.js';
import { type InterfaceDocument, interfaceFacts } from './docs/facts.js';
import { guide } from './docs/guide.js';
import { reference } from './docs/reference.js';
import { exportMeetings } from './export/export-meetings.js';
import { previewExport } from './export/preview-export.js';
import { acceptInvitation } from './invitations/accept-invitation.js';
import { inviteUsers } from './invitations/invite-users.js';
import { listInvitations } from './invitations/list-invitations.js';
import { readInvitation } from './invitations/read-invitation.js';
import { renewInvitation } from './invitations/renew-invitation.js';
import { revokeInvitation } from './invitations/revoke-invitation.js';
import { listUpcomingMeetings } from './meetings/list-upcoming-meetings.js';
import { changeRole } from './members/change-role.js';
import { listMembers } from './members/list-members.js';
import { removeMember } from './members/remove-member.js';
import { generateAccessKey } from './organization/generate-access-key.js';
import { listActivity } from './organization/list-activity.js';
import { listMemberships } from './organization/list-memberships.js';
import { setTimeZone } from './organization/set-time-zone.js';
import { pacePages } from './pace-pages.js';
import { addPage, refuseOthers } from './page.js';
import { pageHeaders } from './page-headers.js';
import { publicAddress } from './public-address.js';
import { noVisitLimits, type VisitLimitsOptions, visitLimits } from './visit-limits.js';
import { configureWebhook } from './webhooks/configure-webhook.js';
import { readDelivery } from './webhooks/read-delivery.js';
import { redeliverFailed } from './webhooks/redeliver-failed.js';
import { rotateSecret } from './webhooks/rotate-secret.js';
import { testWebhook } from './webhooks/test-webhook.js';

export interface PagesOptions {
  readonly core: PagesCore;
  readonly formTokens: FormTokens;
  /** Sends downloads. */
  readonly sendFile: SendFile;
  readonly checkReceiver: CheckReceiver;
  /** The base of the pages' own addresses. Forms are accepted only from its origin. */
  readonly publicUrl: string;
  /** The brand that pages show. */
  readonly serviceName: string;
  /** The zone of exports for organizations that have not chosen one. UTC by default. */
  readonly defaultTimeZone?: string | undefined;
  readonly errorTracker: ErrorTracker;
  /** How often pages and feeds may be requested. Without limits by default. */
  readonly visits?: VisitLimitsOptions | undefined;
  /** The OpenAPI document, which is the source of the docs. */
  readonly openapi: InterfaceDocument;
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
  defaultTimeZone = 'UTC',
  isMounted = false,
  ...options
}: PagesOptions): Router {
  const assets = loadAssets();
  const address = publicAddress(publicUrl);
  const dashboard: Dashboard = {
    ...options,
    defaultTimeZone,
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
  addPage(router, dashboard, changePassword(dashboard));
  addPage(router, dashboard, listMemberships(dashboard));
  addPage(router, dashboard, setTimeZone(dashboard));
  addPage(router, dashboard, generateAccessKey(dashboard));
  addPage(router, dashboard, listActivity(dashboard));
  addPage(router, dashboard, listMembers(dashboard));
  addPage(router, dashboard, changeRole(dashboard));
  addPage(router, dashboard, removeMember(dashboard));
  addPage(router, dashboard, listUpcomingMeetings(dashboard));
  addPage(router, dashboard, configureWebhook(dashboard));
  addPage(router, dashboard, rotateSecret(dashboard));
  addPage(router, dashboard, testWebhook(dashboard));
  addPage(router, dashboard, redeliverFailed(dashboard));
  addPage(router, dashboard, readDelivery(dashboard));
  addPage(router, dashboard, readCalendarMeeting(dashboard));
  addPage(router, dashboard, createCalendarFeed(dashboard));
  addPage(router, dashboard, replaceCalendarFeed(dashboard));
  addPage(router, dashboard, revokeCalendarFeed(dashboard));
  addPage(router, dashboard, readCalendarFeed(dashboard));
  addPage(router, dashboard, listInvitations(dashboard));
  addPage(router, dashboard, inviteUsers(dashboard));
  addPage(router, dashboard, readInvitation(dashboard));
  addPage(router, dashboard, revokeInvitation(dashboard));
  addPage(router, dashboard, renewInvitation(dashboard));
  addPage(router, dashboard, previewExport(dashboard));
  addPage(router, dashboard, exportMeetings(dashboard, 'json'));
  addPage(router, dashboard, exportMeetings(dashboard, 'csv'));
  addPage(router, dashboard, reference(dashboard));
  addPage(router, dashboard, guide(dashboard));
  if (!isMounted) router.use(answerUnknown(dashboard));
  router.use(answerErrors(dashboard));
  return router;
}
