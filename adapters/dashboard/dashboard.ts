import type { Core, ErrorTracker } from '@rollcall/core';
import type { AssetLinks } from './assets.js';
import type { Cookies } from './cookies.js';
import type { InterfaceFacts } from './docs/facts.js';
import type { SetHeaders } from './page-headers.js';
import type { PublicAddress } from './public-address.js';

/** The use-cases that the pages call. */
export type PagesCore = Pick<
  Core,
  | 'signIn'
  | 'signOut'
  | 'resumeSession'
  | 'authorizeMember'
  | 'openInvitation'
  | 'acceptInvitation'
  | 'openLoginLink'
  | 'redeemLoginLink'
  | 'listMemberships'
  | 'listOwnMeetings'
  | 'configureWebhook'
  | 'readWebhook'
  | 'readWebhookHealth'
  | 'testWebhook'
  | 'listDeliveries'
  | 'readDelivery'
  | 'redeliver'
  | 'redeliverFailed'
  | 'inviteUser'
  | 'inviteUsers'
  | 'listInvitations'
  | 'readInvitation'
  | 'revokeInvitation'
  | 'renewInvitation'
  | 'openCalendarFeed'
  | 'findCalendarFeed'
  | 'revokeCalendarFeed'
  | 'readCalendarFeed'
  | 'readCalendarMeeting'
  | 'changePassword'
  | 'readAccessKey'
  | 'generateAccessKey'
  | 'setTimeZone'
  | 'listActivity'
  | 'listMembers'
  | 'readMember'
  | 'addMember'
  | 'changeRole'
  | 'removeMember'
>;

/** Tokens against forged forms: each belongs to the value of one cookie and is worth nothing with another. */
export interface FormTokens {
  issue(cookieValue: string): string;
  matches(cookieValue: string, token: string): boolean;
}

/** What every page is given. */
export interface Dashboard {
  readonly core: PagesCore;
  readonly formTokens: FormTokens;
  readonly errorTracker: ErrorTracker;
  readonly serviceName: string;
  readonly address: PublicAddress;
  readonly cookies: Cookies;
  readonly assets: AssetLinks;
  readonly setHeaders: SetHeaders;
  /** What the docs tell of the interface. */
  readonly facts: InterfaceFacts;
}
