import { createHash } from 'node:crypto';
import { type Limit, type Limits, networkOf } from '@rollcall/core';
import type { Request, RequestHandler } from 'express';
import type { Dashboard } from './dashboard.js';
import { PageError } from './page-error.js';
import { addressOf, currentSession } from './session.js';

export interface VisitLimitsOptions {
  /** Counts in this process: a count in a database would cost as much as a page. */
  readonly limits: Limits;
  /** Pages a minute of each user, and of each address (IPv6: /64) where nobody is signed in; 0: no limit. */
  readonly pagesAMinute: number;
  /** How often a minute each calendar feed is read; 0: no limit. */
  readonly feedsAMinute: number;
}

/** Each throws a `PageError` where there are too many. */
export interface VisitLimits {
  countPage(subject: string): Promise<void>;
  countFeed(request: Request): Promise<void>;
  /** Addresses of feeds that there are not: of guesses. */
  countUnknownFeed(request: Request): Promise<void>;
}

export function visitLimits({ limits, pagesAMinute, feedsAMinute }: VisitLimitsOptions): VisitLimits {
  const pages: Limit = { name: 'pages', points: pagesAMinute, seconds: 60 };
  const feeds: Limit = { name: 'feeds', points: feedsAMinute, seconds: 60 };
  const unknownFeeds: Limit = { name: 'unknown-feeds', points: pagesAMinute, seconds: 60 };
  return {
    countPage: async (subject) => refuseAfter(await limits.fail(pages, subject)),
    async countFeed(request) {
      refuseAfter(await limits.waitFor(unknownFeeds, networkOf(addressOf(request))));
      refuseAfter(await limits.fail(feeds, feedOf(request)));
    },
    countUnknownFeed: async (request) =>
      refuseAfter(await limits.fail(unknownFeeds, networkOf(addressOf(request)))),
  };
}

/** Limits nothing. */
export const noVisitLimits: VisitLimits = {
  countPage: async () => {},
  countFeed: async () => {},
  countUnknownFeed: async () => {},
};

function refuseAfter(seconds: number): void {
  if (seconds > 0) throw new PageError('too-many-visits', seconds);
}

/** Which feed is asked for; not its address itself, which is a secret. */
export function feedOf(request: Request): string {
  return createHash('sha256').update(String(request.params.token)).digest('base64url');
}

/** Counts a page for the user whose session it is, else for the address. */
export function countVisits(dashboard: Dashboard): RequestHandler {
  return async (request, _response, next) => {
    // Where it can't be read, the page itself says so, if it needs it.
    const session = await currentSession(dashboard, request).catch(() => null);
    const subject = session === null ? `address ${networkOf(addressOf(request))}` : `user ${session.user.id}`;
    await dashboard.visitLimits.countPage(subject);
    next();
  };
}
