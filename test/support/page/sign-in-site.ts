import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import type { PageClient } from '#test/support/page/client.js';
import { type PageSite, type StartPageSite, startPageSite } from '#test/support/page/site.js';

/** The credentials of user 100. */
export const credentials = { email: 'user-100@example.test', password: 'a good password' };

export const MINUTE_MS = 60_000;

/** User 100 is a member of organization 1 only. */
export async function startSignInSite(context: TestContext, options: StartPageSite = {}): Promise<PageSite> {
  const started = await startPageSite(context, options);
  await started.load({
    organizations: [
      anOrganization(1, { name: 'Northwind Wellness' }),
      anOrganization(2, { name: 'Contoso' }),
    ],
  });
  await started.addUser({ id: 100, password: credentials.password, organizations: [1] });
  return started;
}

export async function signedIn({ visitor }: PageSite): Promise<PageClient> {
  const client = visitor();
  assert.equal((await client.fillIn('/sign-in', credentials)).status, 303);
  return client;
}

export const homePath = '/organizations/1/meetings';
