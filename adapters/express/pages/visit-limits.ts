import { createHash } from 'node:crypto';
import type { Limit, Limits } from '@rollcall/core';
import { networkOf } from '@rollcall/core/adapters';
import type { Request } from 'express';
import { clientAddress } from './client-address.js';
import { PageError } from './page-error.js';

export interface VisitLimitsOptions {
  /** Counts in this process, because counting in a database would cost as much as a page. */
  readonly limits: Limits;
  /** Pages for each user, and for each IP address (IPv6: /64) without a session. 0 means no limit. */
  readonly pagesPerMinute: number;
  /** Reads of each calendar feed. 0 means no limit. */
  readonly feedsPerMinute: number;
}

/** Each throws a `PageError` when the limit is reached. */
export interface VisitLimits {
  countPage(subject: string): Promise<void>;
  countFeed(request: Request): Promise<void>;
  /** Counts guesses: addresses of feeds that do not exist. */
  countUnknownFeed(request: Request): Promise<void>;
}

export function visitLimits({ limits, pagesPerMinute, feedsPerMinute }: VisitLimitsOptions): VisitLimits {
  const pages: Limit = { name: 'pages', points: pagesPerMinute, seconds: 60 };
  const feeds: Limit = { name: 'feeds', points: feedsPerMinute, seconds: 60 };
  const unknownFeeds: Limit = { name: 'unknown-feeds', points: pagesPerMinute, seconds: 60 };
  return {
    countPage: async (subject) => throwIfLimited(await limits.fail(pages, subject)),
    async countFeed(request) {
      throwIfLimited(await limits.waitFor(unknownFeeds, networkOf(clientAddress(request))));
      throwIfLimited(await limits.fail(feeds, feedKey(request)));
    },
    countUnknownFeed: async (request) =>
      throwIfLimited(await limits.fail(unknownFeeds, networkOf(clientAddress(request)))),
  };
}

/** No limits. */
export const noVisitLimits: VisitLimits = {
  countPage: async () => {},
  countFeed: async () => {},
  countUnknownFeed: async () => {},
};

function throwIfLimited(seconds: number): void {
  if (seconds > 0) throw new PageError('too-many-visits', seconds);
}

/** Identifies the requested feed without its address, which is a secret. */
function feedKey(request: Request): string {
  return createHash('sha256').update(String(request.params.token)).digest('base64url');
}
