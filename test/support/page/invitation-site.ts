import type { TestContext } from 'node:test';
import { startSiteOf } from '#test/support/page/site.js';
import type { DatabaseKind } from '#test/support/storage.js';

export const listPath = '/organizations/1/invitations';

export const invitePath = `${listPath}/new`;

export const manyPath = `${listPath}/many`;

export const dana = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };

/** User 100 is an admin of organization 1, 101 a member of it, 102 an owner of organization 2. */
export async function startInvitationSite(context: TestContext, database: DatabaseKind = 'memory') {
  const people = { 100: ['admin', 1], 101: ['member', 1], 102: ['owner', 2] } as const;
  const site = await startSiteOf(context, people, { database });
  return { site, admin: await site.signedIn(100) };
}
