import type { TestContext } from 'node:test';
import { type PageSite, type StartPageSite, startSiteOf } from '#test/support/page/site.js';

export const MINUTE_MS = 60_000;

/** User 100 is a member of organization 1 only. */
export const startSignInSite = (context: TestContext, options?: StartPageSite): Promise<PageSite> =>
  startSiteOf(context, { 100: ['member', 1] }, options);

export const homePath = '/organizations/1/meetings';
