import type { Core, ErrorTracker } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { AssetLinks } from './assets.js';
import type { CalendarFiles } from './calendar/calendar-files.js';
import type { Cookies } from './cookies.js';
import type { InterfaceFacts } from './docs/facts.js';
import type { SetHeaders } from './page-headers.js';
import type { PublicAddress } from './public-address.js';
import type { VisitLimits } from './visit-limits.js';

/** The use-cases that the pages call. */
export type PagesCore = Pick<
  Core,
  | 'signIn'
  | 'signOut'
  | 'resumeSession'
  | 'authorizeMember'
  | 'readPendingInvitation'
  | 'acceptInvitation'
  | 'readLoginLink'
  | 'redeemLoginLink'
  | 'listMemberships'
  | 'listOwnMeetings'
  | 'previewExport'
  | 'exportMeetings'
  | 'summarizeMeetings'
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
  | 'createCalendarFeed'
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
  | 'changeRole'
  | 'removeMember'
>;

/** Tokens against forged forms. Each is valid with the value of one cookie only. */
export interface FormTokens {
  issue(cookieValue: string): string;
  matches(cookieValue: string, token: string): boolean;
}

/** A file too large for memory: text before, chunks between, text after. */
export interface SentFile {
  readonly before: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly after: string;
  /** Called with the first chunk: errors before it can still be answered by a page. */
  readonly writeHead: () => void;
}

/** Sends a file at the reader's pace and stops when the reader disconnects. */
export type SendFile = (request: Request, response: Response, file: SentFile) => Promise<void>;

/** Why nothing can be sent to a URL, in the sender's words; null where only a delivery can show it. */
export type CheckReceiver = (url: string) => string | null;

/** What every page is given. */
export interface Dashboard {
  readonly core: PagesCore;
  readonly formTokens: FormTokens;
  readonly sendFile: SendFile;
  readonly checkReceiver: CheckReceiver;
  readonly errorTracker: ErrorTracker;
  readonly serviceName: string;
  /** The zone of exports for organizations that have not chosen one. */
  readonly defaultTimeZone: string;
  readonly address: PublicAddress;
  readonly cookies: Cookies;
  readonly assets: AssetLinks;
  readonly setHeaders: SetHeaders;
  readonly visitLimits: VisitLimits;
  readonly calendarFiles: CalendarFiles;
  /** What the docs say about the API. */
  readonly facts: InterfaceFacts;
}
