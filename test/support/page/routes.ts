import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Secret } from '@rollcall/core';
import { aMeeting, anOrganization, aUser } from '@rollcall/core/testing';
import { anIdentity } from '#core/testing/new-sign-on.js';
import { scriptedProvider } from '../core/scripted-provider.js';
import { aRequestedSignOn } from '../core/sign-on-service.js';
import type { DatabaseKind } from '../storage.js';
import { webhookAt } from '../webhook-at.js';
import type { PageClient } from './client.js';
import { type PageSite, password, recordingMailer, type StartPageSite, startPageSite } from './site.js';

/** The pages of the reference and of the guide. */
export const referencePaths: readonly string[] = [
  '/docs',
  '/docs/users',
  '/docs/invitations',
  '/docs/meetings',
  '/docs/webhook',
  '/docs/events',
];
export const guidePaths: readonly string[] = [
  'quick-start',
  'people',
  'webhooks',
  'events',
  'exports',
  'errors',
  'sign-on',
].map((name) => `/docs/guide/${name}`);

/** The users of organization 1 by role, and the owner of organization 2. */
export const users = { owner: 100, admin: 101, member: 102, elsewhere: 103 } as const;

/** An existing value for each path parameter, by the path segment before it, and the last segment of pages that need a query. */
const samples: Readonly<Record<string, (site: PageSite) => Promise<string>>> = {
  'all-meetings/:meetingId': async () => '1',
  'assets/:name': async () => 'rollcall.css',
  'calendar/:token': async ({ core }) => {
    const { url } = await core.createCalendarFeed({ organizationId: 1, userId: users.member });
    return lastPart(url).replace(/\.ics$/, '');
  },
  'deliveries/:deliveryId': async ({ core }) => {
    const { deliveries } = await core.listDeliveries({ organization: { id: 1 } });
    return String(deliveries[0]?.id ?? assert.fail('nothing was delivered'));
  },
  'invitations/:token': async ({ invite }) => lastPart(await invite({ email: 'token@example.test' })),
  'invitations/:uuid': pendingUuid,
  'login/:token': async ({ linkFor }) => lastPart(await linkFor(users.member)),
  'meetings/:meetingId': async () => '1',
  'passkeys/:passkey': async () => 'credential-1',
  'people/:userId': async () => String(users.member),
  'reset-password/:token': async ({ resetLinkFor }) =>
    lastPart(await resetLinkFor({ email: aUser(users.member).email })),
  'setup/:token': async ({ core }) =>
    lastPart((await core.issueSetupLink({ organization: { id: 1 }, userId: users.owner })).url),
  'selected/renew': async (site) => `renew?invitation=${await pendingUuid(site)}`,
  'selected/revoke': async (site) => `revoke?invitation=${await pendingUuid(site)}`,
  'sessions/:session': anotherSession,
};

/** The id of a new session of the owner. */
async function anotherSession({ core }: PageSite): Promise<string> {
  const { email } = aUser(users.owner);
  const { session } = await core.signIn({ email, password: new Secret(password), address: '' });
  return (await core.listSessions({ session: session.reveal() })).own.id;
}

/** The UUID of a pending invitation. */
async function pendingUuid({ invite, core }: PageSite): Promise<string> {
  await invite({ email: 'uuid@example.test' });
  const { items } = await core.listInvitations({ organization: { id: 1 }, state: 'pending' });
  return items[0]?.userUuid ?? assert.fail('there is no invitation');
}

function lastPart(path: string): string {
  return path.split('/').at(-1) ?? '';
}

/** Fills in the parameters of a path with existing values. */
export async function sampleOf(site: PageSite, path: string, organization = '1'): Promise<string> {
  const parts = path.split('/');
  const filled = parts.map(async (part, at) => {
    const parameter = /^:\w+/.exec(part)?.[0];
    const sample = samples[`${parts[at - 1]}/${parameter ?? part}`];
    if (parameter === undefined) return sample?.(site) ?? part;
    if (parameter === ':id') return organization;
    assert.ok(sample !== undefined, `add a sample for ${parameter} of ${path} to ${import.meta.filename}`);
    return part.replace(parameter, await sample(site));
  });
  return (await Promise.all(filled)).join('/');
}

/** Starts a site on which every page has content. */
export async function startFullSite(
  context: TestContext,
  database: DatabaseKind = 'memory',
  options: Pick<StartPageSite, 'webhookSender' | 'demo' | 'identityProvider'> = {},
): Promise<PageSite> {
  const identityProvider = scriptedProvider().provider;
  const started = await startPageSite(context, {
    identityProvider,
    ...options,
    database,
    mailer: recordingMailer(),
  });
  await started.load({
    organizations: [anOrganization(1, { name: 'Northwind Wellness' }), anOrganization(2)],
    users: [aUser(1)],
    meetings: [
      aMeeting(1, {
        startTime: new Date('2026-11-25T18:00:00.000Z'),
        endTime: new Date('2026-11-25T19:00:00.000Z'),
      }),
    ],
  });
  for (const role of ['owner', 'admin', 'member'] as const) {
    await started.addUser({ id: users[role], organizations: [1], role });
  }
  await started.load({
    registrations: [users.owner, users.admin, users.member].map((userId) => ({
      meetingId: 1,
      userId,
      registeredAt: new Date('2026-11-01T10:00:00.000Z'),
    })),
  });
  await started.addUser({ id: users.elsewhere, organizations: [2], role: 'owner' });
  const { core } = started;
  await core.generateAccessKey({ organizationId: 1 });
  await core.issueSetupLink({ organization: { id: 1 }, userId: users.owner });
  for (const keepOldForHours of [0, 24])
    await core.issueDirectoryToken({ organization: { id: 1 }, keepOldForHours });
  await core.configureWebhook({
    organization: { id: 1 },
    how: 'set',
    webhook: webhookAt('https://hooks.test/rollcall'),
  });
  const person = { email: 'guest@example.test', firstName: 'Gil', lastName: 'Guest' };
  await core.registerUser({ organizationId: 1, ...person });
  await started.deliver();
  await core.saveSignOn({ organization: { id: 1 }, signOn: aRequestedSignOn() });
  await core.switchSignOn({ organization: { id: 1 }, to: 'on' });
  await started.storage.identities.link(anIdentity(users.member));
  return started;
}

/** The form token of the first page that has a form for this visitor. */
export async function tokenOf(client: PageClient): Promise<string> {
  const pages = ['/account', '/organizations/1/meetings', '/sign-in'];
  for (const page of pages) {
    const { form_token = '' } = await client.fieldsOf(page);
    if (form_token !== '') return form_token;
  }
  throw new Error('no page has a form');
}
