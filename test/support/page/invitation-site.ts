import type { TestContext } from 'node:test';
import { anOrganization } from '@rollcall/core/testing';
import type { PageClient } from '#test/support/page/client.js';
import { password, signInAs } from '#test/support/page/sign-in-as.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';
import type { DatabaseKind } from '#test/support/storage.js';

export const listPath = '/organizations/1/invitations';

export const invitePath = `${listPath}/new`;

export const manyPath = `${listPath}/many`;

export const dana = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };

interface Started {
  readonly site: PageSite;
  readonly admin: PageClient;
}

/** User 100 is an admin of organization 1, 101 a member of it, 102 an owner of organization 2. */
export async function startInvitationSite(
  context: TestContext,
  database: DatabaseKind = 'memory',
): Promise<Started> {
  const site = await startPageSite(context, { database });
  await site.load({
    organizations: [
      anOrganization(1, { name: 'Northwind Wellness' }),
      anOrganization(2, { name: 'Contoso' }),
    ],
  });
  await site.addUser({ id: 100, password, organizations: [1], role: 'admin' });
  await site.addUser({ id: 101, password, organizations: [1] });
  await site.addUser({ id: 102, password, organizations: [2], role: 'owner' });
  return { site, admin: await signInAs(site, 100) };
}
