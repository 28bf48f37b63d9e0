import type { FeedExpired, FeedPage, FeedQuery } from '@rollcall/core';

/** What the parent asks of an instance. */
export type Task =
  | { readonly kind: 'register'; readonly number: number; readonly holdMs: number }
  | { readonly kind: 'read'; readonly query: FeedQuery };

/** `register` answers true. */
export type Result = true | FeedPage | FeedExpired;

export const ORGANIZATION_ID = 1;

/** `position-at-insert`: events get their positions when they are written, before the commit. */
export type Fault = 'position-at-insert';
