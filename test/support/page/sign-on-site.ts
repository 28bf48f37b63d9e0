import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ProviderFailure, ProviderIdentity, SaveSignOn } from '@rollcall/core';
import { anOrganization } from '@rollcall/core/testing';
import { answerTo, scriptedProvider } from '../core/scripted-provider.js';
import { aRequestedSignOn } from '../core/sign-on-service.js';
import type { Answer, PageClient } from './client.js';
import { recordingMailer, startPageSite } from './site.js';

/** The users of organization 1 by role. The member is also the owner of organization 2, which has no sign-on. */
export const users = { owner: 100, admin: 101, member: 102 } as const;

export const wayIn = '/sign-in/organizations/1';
export const settings = '/organizations/1/sign-on';

export interface SignOnSite extends Awaited<ReturnType<typeof startSignOnSite>> {}

/** A site whose organization 1 has sign-on, at a provider that answers what it is told to. */
export async function startSignOnSite(
  context: TestContext,
  signOn: Partial<SaveSignOn['signOn']> = {},
  options: { readonly sendsMail?: boolean } = {},
) {
  const { provider, script, asked } = scriptedProvider();
  const mailer = recordingMailer();
  const site = await startPageSite(context, {
    identityProvider: provider,
    ...(options.sendsMail === true && { mailer }),
  });
  await site.load({ organizations: [anOrganization(1), anOrganization(2)] });
  for (const role of ['owner', 'admin'] as const)
    await site.addUser({ id: users[role], organizations: [1], role });
  await site.addUser({ id: users.member, organizations: [2], role: 'owner' });
  const member = { organizationId: 1, userId: users.member, role: 'member', idpId: 'idp-102' } as const;
  await site.load({ memberships: [member] });
  await site.core.saveSignOn({ organization: { id: 1 }, signOn: aRequestedSignOn(signOn) });
  await site.core.switchSignOn({ organization: { id: 1 }, to: 'on' });

  /** Opens the address at the provider, and returns with its answer. */
  const signOnAs = async (
    client: PageClient,
    person: ProviderIdentity | ProviderFailure,
    start = `${wayIn}/start`,
  ): Promise<Answer> => {
    script.person = person;
    const begun = await client.open(start);
    assert.equal(begun.status, 303, begun.text);
    const state = new URL(begun.location ?? '').searchParams.get('state') ?? '';
    return client.open(`${wayIn}/callback?${answerTo({ state })}`);
  };
  return {
    ...site,
    script,
    asked,
    mails: mailer.sent,
    signOnAs,
    /** A browser in which someone has signed in with the password. */
    withPassword: (user: keyof typeof users) => site.signedIn(users[user]),
    /** Links the user to the person at the provider with this subject. */
    async link(user: keyof typeof users, subject: string): Promise<void> {
      const { issuer } = aRequestedSignOn();
      const key = { organizationId: 1, issuer: String(issuer), subject, userId: users[user] };
      const linked = await site.storage.identities.link({ ...key, linkedAt: site.clock.now() });
      assert.equal(typeof linked, 'object');
    },
    linked: (user: keyof typeof users) =>
      site.storage.identities.of({ organizationId: 1, userId: users[user] }),
  };
}
