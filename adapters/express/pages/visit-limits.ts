import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limit, Limits } from '@rollcall/core';
import { networkOf } from '@rollcall/core/adapters';
import type { Request, RequestHandler } from 'express';
import { PageError } from './errors/error-page.js';

type Reader = Readonly<{ clientAddress: string; request: Request }>;

export interface VisitLimitsOptions {
  /** Counts in this process, because counting in a database would cost as much as a page. */
  readonly limits: Limits;
  /** Pages for each user, and for each IP address (IPv6: /64) without a session. 0 means no limit. */
  readonly pagesPerMinute: number;
  /** Reads of each calendar feed. 0 means no limit. */
  readonly feedsPerMinute: number;
}

export type VisitLimits = ReturnType<typeof visitLimits>;

/** Each throws a `PageError` when the limit is reached. */
export function visitLimits({ limits, pagesPerMinute, feedsPerMinute }: VisitLimitsOptions) {
  const pages: Limit = { name: 'pages', points: pagesPerMinute, seconds: 60 };
  const feeds: Limit = { name: 'feeds', points: feedsPerMinute, seconds: 60 };
  const unknownFeeds: Limit = { name: 'unknown-feeds', points: pagesPerMinute, seconds: 60 };
  return {
    countPage: async (subject: string) => throwIfLimited(await limits.consume(pages, subject)),
    async countFeed({ clientAddress, request }: Reader) {
      throwIfLimited(await limits.waitFor(unknownFeeds, networkOf(clientAddress)));
      // Identifies the requested feed without its address, which is a secret.
      const key = createHash('sha256').update(String(request.params.token)).digest('base64url');
      throwIfLimited(await limits.consume(feeds, key));
    },
    /** Counts guesses: addresses of feeds that do not exist. */
    countUnknownFeed: async ({ clientAddress }: Reader) =>
      throwIfLimited(await limits.consume(unknownFeeds, networkOf(clientAddress))),
  };
}

export const noVisitLimits: VisitLimits = {
  countPage: async () => {},
  countFeed: async () => {},
  countUnknownFeed: async () => {},
};

function throwIfLimited(seconds: number): void {
  if (seconds > 0) throw new PageError('too-many-visits', seconds);
}

/** Starts at most one page per turn of the event loop, so that API calls never wait for more than one page. */
export function yieldBetweenPages(): RequestHandler {
  let last: Promise<unknown> | null = null;
  return async (_request, _response, next) => {
    const before = last;
    const own = before === null ? nextTurn() : before.then(() => nextTurn());
    last = own;
    if (before !== null) await before;
    void own.then(() => {
      if (last === own) last = null;
    });
    next();
  };
}
