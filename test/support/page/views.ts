import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, recordingSender, testUuid } from '@rollcall/core/testing';
import type { Demo } from '@rollcall/express';
import { answerTo, aPerson, scriptedProvider } from '../core/scripted-provider.js';
import { softwareAuthenticator } from '../software-authenticator.js';
import { type Answer, copiedText, follow, type PageClient, readableText } from './client.js';
import { sampleOf, signedIn, startFullSite, users } from './routes.js';
import { answerWith, codeAt } from './second-factor-site.js';
import { password } from './sign-in-as.js';
import type { PageSite } from './site.js';
import { answered } from './webhook-site.js';

/** One page as somebody has received it. */
export interface View {
  /** Who sees it and what, such as `owner organizations-id-people`. It names its pictures, too. */
  readonly name: string;
  readonly path: string;
  readonly answer: Answer;
  /** The selector of a part to open with a click. */
  readonly opens?: string;
}

/** What answers with something else than a page: files, calendars, and redirects. */
export const otherRoutes: readonly string[] = [
  '/',
  '/assets/:name',
  '/calendar/:token.ics',
  '/organizations/:id/activity.csv',
  '/organizations/:id/export/meetings.csv',
  '/organizations/:id/export/meetings.json',
  '/organizations/:id/invitations.csv',
  '/organizations/:id/meetings/:meetingId.ics',
  '/organizations/:id/people.csv',
  '/organizations/:id/people/:userId/idp-id',
  '/organizations/:id/sign-on/try',
  '/session',
  '/sign-in/organizations/:id/callback',
  '/sign-in/organizations/:id/start',
];

/** The routes that show a page, but are not among these views. */
export function missingRoutes(routes: PageSite['routes'], views: readonly View[]): readonly string[] {
  return routes
    .filter(({ path, methods }) => methods.includes('get') && !otherRoutes.includes(path))
    .map(({ path }) => path)
    .filter((path) => !views.some((view) => view.answer.status === 200 && matches(path, view.path)));
}

function matches(route: string, path: string): boolean {
  const [pathname = ''] = path.split('?');
  return new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname);
}

export function isPage({ status, headers }: Answer): boolean {
  return status !== 303 && headers.get('content-type')?.startsWith('text/html') === true;
}

const organization = '/organizations/1';
const people = `${organization}/people`;
const settings = `${organization}/settings`;
const invitations = `${organization}/invitations`;
const webhooks = `${organization}/webhooks`;
const meetings = `${organization}/all-meetings`;
const HOUR_MS = 60 * 60 * 1000;

/** A site with lists of several pages, and every page of it, for an owner, a member and a visitor, and in many states. */
export async function startViews(
  context: TestContext,
): Promise<{ readonly site: PageSite; readonly views: readonly View[] }> {
  const mails = [
    {
      to: 'dana@example.test',
      subject: 'Set a new password',
      text: 'Hello Dana,\n\nOpen this link within 30 minutes:\n\nhttps://care.example/reset-password/0123456789abcdef0123456789abcdef',
      at: new Date('2026-11-20T11:58:00.000Z'),
    },
  ];
  const demo: Demo = {
    mails: () => mails,
    people: [{ email: 'owner@example.test', role: 'owner' }],
    password: 'try-it-yourself',
    startAgain: async () => {},
  };
  let sent = 0;
  const webhookSender = recordingSender(() => {
    sent += 1;
    return answered(sent === 1 ? 200 : 500);
  });
  const { provider: identityProvider, script } = scriptedProvider();
  const site = await startFullSite(context, 'memory', { webhookSender, demo, identityProvider });
  await addContent(site);
  const views: View[] = [];
  const collector = collectorOf(views);
  await collectRoutes(site, collector);
  await collectLists(site, collector);
  await collectRefusedForms(site, collector);
  await collectOrganization(site, collector);
  await collectInvitations(site, collector);
  await collectMemberPages(site, collector);
  await collectWebhooks(site, collector);
  await collectSignOn(site, collector, script);
  await collectSecondFactor(site, collector);
  await collectErrors(site, collector);
  return { site, views };
}

async function addContent(site: PageSite): Promise<void> {
  const { now } = site.clock;
  const past = Array.from({ length: 60 }, (_, index) => {
    const startTime = new Date(now().getTime() - (index + 1) * 24 * HOUR_MS);
    const endTime = new Date(startTime.getTime() + HOUR_MS);
    return aMeeting(1000 + index, {
      name: `Past circle ${index + 1}`,
      startTime,
      endTime,
      status: 'complete',
    });
  });
  const open = aMeeting(10, {
    name: 'Sleep and shift work',
    startTime: new Date(now().getTime() + HOUR_MS / 6),
    endTime: new Date(now().getTime() + HOUR_MS),
    location: 'https://meet.example/sleep-and-shift-work',
    groupLeaderId: users.admin,
    description: 'Short talks, then questions.\n\nBring something to write.',
  });
  const waiting = (id: number) =>
    aMeeting(id, {
      name: `Anxiety skills ${id}`,
      startTime: new Date(now().getTime() + id * HOUR_MS),
      endTime: new Date(now().getTime() + (id + 1) * HOUR_MS),
      waitList: true,
      location: 'https://meet.example/anxiety',
    });
  const registered = [10, 12, ...past.map(({ id }) => id)];
  await site.load({
    organizations: Array.from({ length: 12 }, (_, index) =>
      anOrganization(11 + index, { name: `Clinic ${index + 1}` }),
    ),
    meetings: [open, waiting(11), waiting(12), { ...waiting(13), privacy: true }, ...past],
    registrations: registered.map((meetingId) => ({
      meetingId,
      userId: users.member,
      registeredAt: new Date('2026-11-01T10:00:00.000Z'),
    })),
    waitingPlaces: [
      {
        meetingId: 11,
        userId: users.member,
        status: 'offered',
        createdAt: new Date('2026-11-02T10:00:00.000Z'),
        offeredUntil: new Date(now().getTime() + 5 * HOUR_MS),
      },
    ],
  });
  const many = Array.from({ length: 60 }, (_, index) => 200 + index);
  await site.load({
    users: many.map((id) => aUser(id, { firstName: `Firstname${id}`, lastName: 'Lastname' })),
    memberships: many.map((userId) => ({
      organizationId: 1,
      userId,
      role: 'member',
      idpId: `idp-${userId}`,
    })),
  });
  const calls = Array.from({ length: 60 }, (_, index) => ({
    ...{ organizationId: 1, at: site.clock.now(), method: 'GET', operation: 'listUsers' },
    ...{ path: '/api/v2/organizations/1/users/{uuid}/upcoming_meetings?page', milliseconds: index * 50 },
    ...{
      status: [200, 404, null][index % 3] ?? null,
      errorCode: index % 3 === 1 ? 'member-not-found' : null,
      errorText: index % 3 === 1 ? 'This member does not exist' : null,
    },
    requestId: `00000000-0000-4000-8000-0000000000${index + 10}`,
  }));
  await site.storage.apiCalls.add(calls);
  // A member of many organizations, and a second owner.
  await site.addUser({ id: 301, password, organizations: Array.from({ length: 12 }, (_, i) => 11 + i) });
  await site.addUser({ id: 302, password, organizations: [1], role: 'owner' });
  for (let index = 0; index < 60; index += 1)
    await site.invite({ email: `invited-${index}@example.test`, firstName: `Invited${index}` });
}

interface Collector {
  /** Opens a page, which must contain this text. */
  open(
    name: string,
    client: PageClient,
    page: { readonly path: string; readonly shows: string },
  ): Promise<void>;
  /** Sends the form on a page, follows redirects, and expects this text on the last page. */
  send(name: string, client: PageClient, form: Sent): Promise<Answer>;
  add(view: View): void;
}

interface Sent {
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Where the form is sent. By default to the page itself. */
  readonly to?: string;
  readonly shows: string;
}

function collectorOf(views: View[]): Collector {
  const add = (view: View): void => {
    assert.ok(isPage(view.answer), `${view.name} is not a page: ${view.answer.status}`);
    assert.ok(!views.some(({ name }) => name === view.name), `${view.name} is there twice`);
    views.push(view);
  };
  const addShowing = (view: View, shows: string): void => {
    const text = readableText(view.answer.text);
    assert.ok(text.includes(shows), `${view.name} does not show “${shows}”: ${text}`);
    add(view);
  };
  return {
    add,
    async open(name, client, { path, shows }) {
      const opened = await followed(client, { path, answer: await client.open(path) });
      addShowing({ name, ...opened }, shows);
    },
    async send(name, client, { path, fields = {}, to = path, shows }) {
      const sent = await followed(client, { path: to, answer: await client.fillIn(path, fields, to) });
      addShowing({ name, ...sent }, shows);
      return sent.answer;
    },
  };
}

interface Received {
  readonly path: string;
  readonly answer: Answer;
}

async function followed(client: PageClient, received: Received): Promise<Received> {
  let { path, answer } = received;
  for (let redirects = 0; answer.status === 303 && redirects < 5; redirects += 1) {
    path = answer.location ?? '';
    answer = await client.open(path);
  }
  return { path, answer };
}

/** Every page without more than what the site has, for three people. */
async function collectRoutes(site: PageSite, { add }: Collector): Promise<void> {
  const clients = {
    owner: await signedIn(site, 'owner'),
    member: await signedIn(site, 'member'),
    visitor: site.visitor(),
  };
  for (const { path: route, methods } of site.routes) {
    if (!methods.includes('get') || otherRoutes.includes(route)) continue;
    for (const [who, client] of Object.entries(clients)) {
      const path = await sampleOf(site, route);
      const answer = await client.open(path);
      // What a member or a visitor may not see is the same page for every route.
      const isOpen = answer.status === 200 && isPage(answer);
      if (isOpen) add({ name: `${who}${nameOf(route)}`, path, answer });
    }
  }
}

function nameOf(route: string): string {
  return route.replaceAll(/[/:]+/g, ' ').trim().replaceAll(' ', '-').replace(/^/, ' ');
}

async function collectLists(site: PageSite, { open }: Collector): Promise<void> {
  const owner = await signedIn(site, 'owner');
  const lists = [
    ['people by name', `${people}?sort=name`, 'Firstname200'],
    ['people newest first', `${people}?sort=newest&role=member`, 'members'],
    ['people, page 2', `${people}?page=2`, 'Firstname259'],
    ['people, past the end', `${people}?page=99`, 'This page is empty'],
    ['people, none found', `${people}?search=nobody`, 'No one matches'],
    ['people, a search that is too long', `${people}?search=${'x'.repeat(301)}`, 'Search'],
    ['invitations by name', `${invitations}?sort=name&search=invited`, 'Invited0'],
    ['invitations oldest first', `${invitations}?sort=oldest&state=pending`, 'Pending'],
    ['invitations, page 2', `${invitations}?page=2`, 'invited-'],
    ['invitations, none found', `${invitations}?search=nobody`, 'No '],
    ['invitations, none replaced', `${invitations}?state=replaced`, 'No '],
    ['calls, failed', `${organization}/calls?state=failed&operation=listUsers`, 'member-not-found'],
    ['calls, none found', `${organization}/calls?operation=readUser`, 'No calls match'],
    ['activity, narrowed', `${organization}/activity?kind=organization&who=100&from=2026-01-01`, 'Done by'],
    ['activity, none found', `${organization}/activity?search=nobody`, 'No activity matches'],
    ['activity, no day', `${organization}/activity?from=yesterday`, 'From must be a date'],
    ['activity, past the end', `${organization}/activity?page=99`, 'Activity'],
    ['meetings, all', `${meetings}?status=all`, 'Past circle 1'],
    ['meetings, page 2', `${meetings}?status=all&page=2`, 'Past circle 60'],
    ['meetings, past the end', `${meetings}?page=99`, 'This page is empty'],
    ['meetings, none found', `${meetings}?search=nothing`, 'No meeting matches'],
    ['meetings, none canceled', `${meetings}?status=canceled`, 'There are none'],
    ['meetings, of two days', `${meetings}?dates=custom&from=2026-11-20&to=2026-11-21`, 'Sleep'],
    ['meetings, refused', `${meetings}?dates=custom&from=x&search=${'x'.repeat(301)}`, 'problem'],
    ['meetings, a private one', `${meetings}/13`, 'names are not shown'],
    ['meetings, one with a waitlist', `${meetings}/11`, 'A seat is offered'],
    [
      'export, a choice',
      `${organization}/export?column[]=name&column[]=start_time&reporting_days=all`,
      'Past circle',
    ],
    ['export, nothing found', `${organization}/export?column[]=name&report_type=eap_meetings`, 'Preview'],
    ['export, refused', `${organization}/export?column[]=name&reporting_days=custom&start_time=x`, 'problem'],
  ] as const;
  for (const [name, path, shows] of lists) await open(`owner ${name}`, owner, { path, shows });
}

async function collectRefusedForms(site: PageSite, { send, open }: Collector): Promise<void> {
  const owner = await signedIn(site, 'owner');
  const member = await signedIn(site, 'member');
  const visitor = site.visitor();
  await send('visitor sign-in, wrong password', visitor, {
    path: '/sign-in',
    fields: { email: aUser(users.owner).email, password: 'wrong' },
    shows: 'The email address or password is wrong',
  });
  await open('visitor sign-in for a page', visitor, { path: '/account', shows: 'Sign in' });
  await send('visitor forgot-password, refused', visitor, {
    path: '/forgot-password',
    fields: { email: 'nobody' },
    shows: 'Enter a valid email address',
  });
  await send('visitor forgot-password, sent', visitor, {
    path: '/forgot-password',
    fields: { email: 'nobody@example.test' },
    shows: 'Check your email',
  });
  await send('visitor reset-password, refused', visitor, {
    path: await site.resetLinkFor(aUser(users.member)),
    fields: { new_password: 'short' },
    shows: 'at least 8 characters',
  });
  const toAccept = await site.invite({ email: 'accepting@example.test' });
  await send('visitor invitation, refused', visitor, {
    path: toAccept,
    fields: { first_name: '', password: 'x' },
    shows: 'There are',
  });
  const known = await site.invite({ email: aUser(users.elsewhere).email });
  await open('visitor invitation of someone with an account', visitor, { path: known, shows: 'password' });
  await open('member invitation of someone else', member, { path: toAccept, shows: 'signed in' });
  await send('member account, refused', member, {
    path: '/account',
    fields: { current_password: 'wrong', new_password: 'x' },
    shows: 'must have at least 8 characters',
  });
  await send('owner invitations-new, refused', owner, {
    path: `${invitations}/new`,
    fields: { email: 'nobody', idp_id: ' ' },
    shows: 'There are 3 problems',
  });
  await send('owner person, ID refused', owner, {
    path: `${people}/${users.member}`,
    fields: { idp_id: 'idp-200' },
    to: `${people}/${users.member}/idp-id`,
    shows: 'ID',
  });
  await send('owner person-name, refused', owner, {
    path: `${people}/${users.member}/name`,
    fields: { first_name: '' },
    shows: 'is required',
  });
  await send('owner organization-name, refused', owner, {
    path: `${organization}/name`,
    fields: { name: '' },
    shows: 'is required',
  });
  await send('owner organization-name, changed by someone else', owner, {
    path: `${organization}/name`,
    fields: { shown_name: 'Earlier', name: 'N'.repeat(300) },
    shows: 'Someone changed the name',
  });
  await send('member account-name, refused', member, {
    path: '/account/name',
    fields: { last_name: '' },
    shows: 'is required',
  });
  await send('owner person, a role that someone changed', owner, {
    path: `${people}/${users.member}`,
    fields: { shown_role: 'admin', role: 'owner' },
    shows: 'Someone changed the role',
  });
  await send('owner webhook, refused', owner, {
    path: `${webhooks}/settings`,
    fields: { url: 'nothing' },
    shows: 'URL',
  });
  await send('owner invitations-many, refused', owner, {
    path: `${invitations}/many`,
    fields: { people: 'nobody\nada@example.test, Ada' },
    shows: 'ada@example.test',
  });
  await send('owner invitations-many, invited', owner, {
    path: `${invitations}/many`,
    fields: { people: 'ada@example.test, Ada, Byron\nbob@example.test, Bob, Byron' },
    shows: 'Invited 2 people',
  });
  await send('owner access-key-name, refused', owner, {
    path: `${organization}/access-key/name`,
    fields: { name: 'x'.repeat(61) },
    shows: 'Name must have at most 60 characters',
  });
  await send('owner access-key, refused', owner, {
    path: `${organization}/access-key`,
    fields: { keep_old_hours: '7777' },
    shows: 'Time until the current key stops working',
  });
}

/** What a person sees on the way through the identity provider, and an owner of its settings. */
async function collectSignOn(
  site: PageSite,
  { open, send }: Collector,
  script: ReturnType<typeof scriptedProvider>['script'],
): Promise<void> {
  const owner = await signedIn(site, 'owner');
  const settingsOfSignOn = `${organization}/sign-on`;
  const wayIn = '/sign-in/organizations/1';
  await open('owner sign-on while signed in', owner, { path: wayIn, shows: 'signs you out here' });
  for (const provider of ['okta', 'google', 'jumpcloud', 'onelogin', 'other'])
    await open(`owner sign-on, ${provider}`, owner, {
      path: `${settingsOfSignOn}?provider=${provider}`,
      shows: 'Redirect address',
    });
  await send('owner sign-on, refused', owner, {
    path: `${settingsOfSignOn}?provider=google`,
    fields: { issuer: 'https://accounts.google.com', current_password: password, admits: 'provisioned' },
    shows: 'Google Workspace domain is required',
  });
  await send('owner sign-on, wrong password', owner, {
    path: settingsOfSignOn,
    fields: { current_password: 'wrong' },
    shows: 'Your password is wrong',
  });
  await send('owner sign-on, changed by someone else', owner, {
    path: settingsOfSignOn,
    fields: { unchanged_since: 'none', current_password: password, admits: 'provisioned' },
    shows: 'Someone changed sign-on',
  });
  await send('owner sign-on, required too early', owner, {
    path: `${settingsOfSignOn}/required`,
    fields: { current_password: password },
    shows: 'Try it first',
  });
  script.offer = { ...offer, problems: ['It names no token_endpoint'], hasLogout: false };
  await open('owner sign-on check, something is missing', owner, {
    path: `${settingsOfSignOn}/check`,
    shows: 'It names no token_endpoint',
  });
  script.offer = { failure: 'unreachable', reason: 'it did not answer within 10 s', code: null };
  await open('owner sign-on check, no answer', owner, {
    path: `${settingsOfSignOn}/check`,
    shows: 'within 10 s',
  });

  const { email } = aUser(users.owner);
  script.person = aPerson('00u1', { email, name: 'نور '.repeat(80), groups: ['a', 'b'], ...manyClaims });
  await open('owner sign-on tried', owner, { ...(await returned(owner, 'try')), shows: 'more claims' });
  script.person = { failure: 'invalid', reason: 'the nonce is wrong', code: null };
  await open('owner sign-on tried, failed', owner, {
    ...(await returned(owner, 'try')),
    shows: 'the nonce is wrong',
  });

  const visitor = site.visitor();
  script.person = aPerson('00u1', { email });
  await open('visitor sign-on confirm', visitor, { ...(await returned(visitor)), shows: 'This is me' });
  await send('visitor sign-on confirm, wrong password', visitor, {
    path: `${wayIn}/confirm`,
    fields: { password: 'wrong' },
    shows: 'The password is wrong',
  });
  await send('visitor sign-on confirm, by code', visitor, {
    path: `${wayIn}/confirm`,
    to: `${wayIn}/confirm/mail`,
    shows: 'The 8 digits',
  });
  for (const [name, person, shows] of [
    ['refused', { failure: 'refused', reason: '', code: 'access_denied' }, '(access_denied)'],
    ['invalid', { failure: 'invalid', reason: '', code: null }, 'wrong answer'],
    ['away', { failure: 'unreachable', reason: '', code: null }, 'does not answer'],
    ['not admitted', aPerson('nobody'), 'come in here'],
  ] as const) {
    script.person = person;
    await open(`visitor sign-on, ${name}`, visitor, { ...(await returned(visitor)), shows });
  }
  await open('owner set-up link', owner, {
    path: `${organization}/setup-link`,
    shows: 'Replace the set-up link',
  });
  await send('owner set-up link, shown once', owner, {
    path: `${organization}/setup-link`,
    fields: { current_password: password },
    shows: 'Your set-up link',
  });
  await open('owner set-up link, ending', owner, {
    path: `${organization}/setup-link/end`,
    shows: 'End the',
  });
  const { url } = await site.core.issueSetupLink({ organization: { id: 1 }, userId: users.owner });
  const staff = site.visitor();
  const setup = new URL(url).pathname;
  await open('visitor set-up', staff, { path: setup, shows: 'Open the set-up' });
  await staff.fillIn(setup, {});
  await open('staff sign-on', staff, { path: settingsOfSignOn, shows: 'open until' });
  await site.core.provisionUser({
    ...{ organization: { id: 1 }, from: '' },
    entry: {
      ...{ userName: 'petra@north.example', externalId: null, email: null, isActive: false },
      ...{ givenName: 'Petra', familyName: 'Lopez', displayName: null },
    },
  });
  await open('staff directory', staff, { path: `${organization}/directory`, shows: 'open until' });
  await open('owner directory, inactive', owner, {
    path: `${organization}/directory?search=petra%40north.example`,
    shows: 'has deactivated them',
  });
  await open('staff elsewhere', staff, {
    path: `${organization}/people`,
    shows: 'A set-up link opens sign-on',
  });
  await site.core.endSetupLink({ organization: { id: 1 } });
  await open('staff set-up closed', staff, {
    path: `/sign-in?next=${settingsOfSignOn}`,
    shows: 'close after five minutes',
  });
  await open('visitor sign-on of nobody', visitor, {
    path: '/sign-in/organizations/999',
    shows: 'sign in here',
  });
}

const offer = { problems: [], algorithms: ['RS256'], namesIssuer: true, hasUserinfo: true, hasLogout: true };
const manyClaims = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`https://north.example/claim-${index}`, 'x'.repeat(150)]),
);

/** The address to which the identity provider sends the person back. */
async function returned(
  client: PageClient,
  begin: 'try' | 'start' = 'start',
): Promise<{ readonly path: string }> {
  const from = begin === 'try' ? `${organization}/sign-on/try` : '/sign-in/organizations/1/start';
  const { location } = await client.open(from);
  const state = new URL(location ?? '').searchParams.get('state') ?? '';
  return { path: `/sign-in/organizations/1/callback?${answerTo({ state })}` };
}

/** The owner sets everything up, and signs in with it. */
async function collectSecondFactor(site: PageSite, { open, send, add }: Collector): Promise<void> {
  // Another owner, so that the first one goes on signing in with a password alone.
  const { email } = aUser(302);
  const owner = site.visitor();
  await owner.fillIn('/sign-in', { email, password });
  const account = '/account/second-factor';
  const passkeyPage = `${account}/passkey`;
  await send('owner confirm, wrong password', owner, {
    path: passkeyPage,
    fields: { current_password: 'wrong' },
    shows: 'Your password is wrong',
  });
  await send('owner passkey', owner, {
    path: passkeyPage,
    fields: { current_password: password },
    shows: 'Your device or password manager keeps it',
  });
  await send('owner passkey, refused', owner, {
    path: passkeyPage,
    fields: { name: '' },
    shows: 'made no passkey',
  });
  const device = softwareAuthenticator({ rpId: new URL(site.url).hostname, origin: site.url });
  const name = `Phone ${'x'.repeat(54)}`;
  const made = await answerWith(owner, passkeyPage, (challenge) => device.register(challenge), { name });
  add({ name: 'owner recovery codes', path: made.location ?? '', answer: await follow(owner, made) });
  await open('owner second factor, on', owner, { path: account, shows: 'Make new recovery codes' });
  await open('owner rename passkey', owner, {
    path: `${account}/passkeys/${device.credentialId}/name`,
    shows: 'Save the name',
  });
  await open('owner remove passkey', owner, {
    path: `${account}/passkeys/${device.credentialId}/remove`,
    shows: 'Remove the passkey?',
  });
  const app = `${account}/app`;
  await open('owner app', owner, { path: app, shows: 'Show the QR code' });
  await send('owner app, key', owner, { path: app, shows: 'Scan this' });
  await send('owner app, wrong code', owner, {
    path: app,
    fields: { second_factor: '1' },
    shows: 'Code is wrong',
  });
  const key = copiedText((await owner.open(app)).text, 'code-secret') ?? '';
  await send('owner app, on', owner, {
    path: app,
    fields: { second_factor: codeAt(key, site.clock.now()) },
    shows: 'The app is set up',
  });
  await open('owner access key, by second factor', owner, {
    path: `${organization}/access-key`,
    shows: 'Use a passkey',
  });
  await open('owner account, second factor', owner, {
    path: '/account',
    shows: 'Use a recovery code instead',
  });
  await open('owner member, second factor', owner, {
    path: `${organization}/people/${users.member}`,
    shows: 'Use a recovery code instead',
  });
  const visitor = site.visitor();
  await send('visitor second step', visitor, {
    path: '/sign-in',
    fields: { email, password },
    shows: 'Your password is right',
  });
  await send('visitor second step, wrong', visitor, {
    path: '/sign-in/second-factor',
    fields: { second_factor: '1' },
    shows: 'Code is wrong',
  });
  const requirement = { organization: { id: 1 }, userId: 302 };
  await site.core.requireSecondFactor({ ...requirement, isRequired: true });
  await open('admin without second factor', await signedIn(site, 'admin'), {
    path: organization,
    shows: 'Please add a second factor',
  });
  await site.core.requireSecondFactor({ ...requirement, isRequired: false });
}

async function collectOrganization(site: PageSite, { send, open, add }: Collector): Promise<void> {
  const owner = await signedIn(site, 'owner');
  const elsewhere = await signedIn(site, 'elsewhere');
  const empty = '/organizations/2';
  await open('first owner organization', elsewhere, { path: empty, shows: 'First steps' });
  for (const page of [
    'activity',
    'all-meetings',
    'all-meetings/weeks',
    'calls',
    'export',
    'invitations',
    'meetings',
    'meetings/past',
    'people',
    'settings',
    'webhooks',
  ])
    await open(`first owner ${page.replace('/', '-')}`, elsewhere, {
      path: `${empty}/${page}`,
      shows: 'Organization 2',
    });
  const hidden = { path: empty, to: `${empty}/first-steps` };
  await send('first owner organization, steps hidden', elsewhere, {
    ...hidden,
    fields: { hidden: 'yes' },
    shows: 'Show the first steps',
  });
  await open('first owner last owner', elsewhere, {
    path: `${empty}/people/${users.elsewhere}`,
    shows: 'The last owner',
  });

  await send('owner organization, zone saved', owner, {
    path: settings,
    fields: { time_zone: 'Europe/Berlin' },
    shows: 'Time zone saved',
  });
  const key = `${organization}/access-key`;
  await send('owner access-key, new', owner, {
    path: key,
    fields: { keep_old_hours: '24' },
    shows: 'Copy it now',
  });
  await open('owner access-key, was shown', owner, { path: `${key}/new`, shows: 'can’t be shown again' });
  const directory = `${organization}/directory`;
  await open('owner directory, two tokens', owner, { path: directory, shows: 'Old token' });
  await send('owner directory token, new', owner, {
    path: `${directory}/token`,
    fields: { keep_old_hours: '24', current_password: password },
    shows: 'Copy it now',
  });
  await send('owner directory token, refused', owner, {
    path: `${directory}/token`,
    fields: { keep_old_hours: '7777', current_password: password },
    shows: 'Time until the current token stops working',
  });
  await open('owner organization, two keys', owner, { path: settings, shows: 'Old key' });
  await open('owner access-key, two keys', owner, { path: key, shows: 'The key before the current one' });

  const many = site.visitor();
  await many.fillIn('/sign-in', { email: aUser(301).email, password });
  const path = '/organizations/11/meetings';
  add({ name: 'switcher open', path, answer: await many.open(path), opens: '.organizations summary' });
  add({ name: 'account menu open', path, answer: await many.open(path), opens: '.account summary' });
  await open('switcher, searched', many, { path: '/meetings?search=clinic', shows: 'Clinic 12' });
  await open('switcher, nothing found', many, {
    path: '/meetings?search=nothing',
    shows: 'None of your organizations matches',
  });
  add({
    name: 'owner invitations-new, more options',
    path: `${invitations}/new`,
    answer: await owner.open(`${invitations}/new`),
    opens: '.more summary',
  });
}

async function collectInvitations(site: PageSite, { send, open }: Collector): Promise<void> {
  const owner = await signedIn(site, 'owner');
  const { items } = await site.core.listInvitations({ organization: { id: 1 }, state: 'pending' });
  const [first, second, third, fourth] = items.map(({ userUuid }) => userUuid);
  const selected = `invitation=${first}&invitation=${second}`;
  await open('owner invitation, renew one', owner, {
    path: `${invitations}/${fourth}/renew`,
    shows: 'new link',
  });
  await open('owner invitations, revoke two', owner, {
    path: `${invitations}/selected/revoke?${selected}`,
    shows: 'Revoke 2 invitations?',
  });
  const renew = `${invitations}/selected/renew`;
  await open('owner invitations, renew two', owner, {
    path: `${renew}?${selected}`,
    shows: 'Renew 2 invitations?',
  });
  await send('owner invitations, renewed two', owner, {
    path: `${renew}?${selected}`,
    to: renew,
    shows: 'Renewed 2 invitations',
  });
  await send('owner invitation, revoked', owner, {
    path: `${invitations}/${third}/revoke`,
    shows: 'Revoked',
  });
  const kim = { email: 'kim@example.test', first_name: 'Kim', last_name: 'Kim', expires_in_days: '30' };
  const inviting = { path: `${invitations}/new`, fields: kim };
  await send('owner invitation, sent', owner, { ...inviting, shows: 'Kim Kim is invited' });
  await send('owner invitation, sent again', owner, { ...inviting, shows: 'was invited before' });
  await open('owner invitation, with earlier ones', owner, {
    path: `${invitations}/${first}`,
    shows: 'Other invitations of this address',
  });
  await send('owner person, login link', owner, {
    path: `${people}/${users.member}`,
    to: `${people}/${users.member}/login-link`,
    shows: 'It is not shown again',
  });
}

async function collectMemberPages(site: PageSite, { send, open }: Collector): Promise<void> {
  const member = await signedIn(site, 'member');
  const meetings = `${organization}/meetings`;
  await open('member meetings, one to join', member, { path: meetings, shows: 'Join' });
  await open('member meetings-past, page 2', member, {
    path: `${meetings}/past?page=2`,
    shows: 'Past circle',
  });
  await open('member meetings-past, searched', member, {
    path: `${meetings}/past?search=circle+1`,
    shows: 'with “',
  });
  await open('member meetings, none found', member, {
    path: `${meetings}?search=nothing`,
    shows: 'No meeting matches',
  });
  await open('member meetings, refused', member, {
    path: `${meetings}?search=${'x'.repeat(301)}`,
    shows: 'at most 300',
  });
  await open('member meetings, past the end', member, { path: `${meetings}?page=99`, shows: 'empty' });
  await open('member sessions, several', await signedIn(site, 'member'), {
    path: '/account/sessions',
    shows: 'Sign out everywhere else',
  });
  const calendar = `${organization}/calendar`;
  await site.core.createCalendarFeed({ organizationId: 1, userId: users.admin });
  const admin = await signedIn(site, 'admin');
  await open('admin calendar, replace', admin, { path: `${calendar}/replace`, shows: 'Replace' });
  await open('admin calendar, revoke', admin, { path: `${calendar}/revoke`, shows: 'Revoke' });
  const owner = await signedIn(site, 'owner');
  await send('owner calendar, new', owner, { path: calendar, shows: 'Your new calendar address' });
  await open('owner calendar, was shown', owner, { path: `${calendar}/new`, shows: 'can’t be shown again' });
  await open('owner calendar, existing', owner, { path: calendar, shows: 'Your calendar' });
}

async function collectWebhooks(site: PageSite, { send, open }: Collector): Promise<void> {
  const owner = await signedIn(site, 'owner');
  for (const [index, firstName] of ['Ada', 'Bob', 'Cleo'].entries()) {
    await site.core.registerUser({
      organizationId: 1,
      email: `hook-${index}@example.test`,
      firstName,
      lastName: 'Kim',
    });
    await site.deliver();
  }
  const { deliveries } = await site.core.listDeliveries({ organization: { id: 1 } });
  const failing = deliveries.find(({ state }) => state !== 'delivered') ?? assert.fail('nothing has failed');
  await open('owner webhooks, failing', owner, { path: webhooks, shows: 'Failing since' });
  await open('owner delivery, failing', owner, {
    path: `${webhooks}/deliveries/${failing.id}`,
    shows: '500',
  });
  await open('owner webhooks, searched', owner, {
    path: `${webhooks}?since=2026-11-01T00:00&state=delivered`,
    shows: 'Delivered',
  });
  await open('owner webhooks, refused search', owner, {
    path: `${webhooks}?since=x`,
    shows: 'must be a date and time',
  });
  await open('owner webhooks, none held', owner, { path: `${webhooks}?state=held`, shows: 'No ' });
  await send('owner webhooks, tested', owner, { path: `${webhooks}/test`, shows: 'test' });
  await open('owner redeliver', owner, {
    path: `${webhooks}/redeliver`,
    shows: 'Resend 3 undelivered events?',
  });
  await open('owner redeliver, refused', owner, {
    path: `${webhooks}/redeliver?since=x`,
    shows: 'Since must be',
  });
  const since = `${webhooks}/redeliver?since=2026-11-01T00:00`;
  await open('owner redeliver, asked', owner, { path: since, shows: 'Resend' });
  await open('owner dismiss, asked', owner, { path: `${webhooks}/dismiss`, shows: 'Dismiss' });
  const secret = `${webhooks}/secret`;
  await send('owner webhook secret, new', owner, {
    path: secret,
    fields: { overlap_hours: '24' },
    shows: 'Copy the new signing secret',
  });
  await open('owner webhook secret, was shown', owner, {
    path: `${secret}/new`,
    shows: 'can’t be shown again',
  });
  await open('owner webhook secret-finish', owner, {
    path: `${secret}/finish`,
    shows: 'Finish the rotation?',
  });
  await open('owner webhook secret, rotating', owner, { path: secret, shows: 'both stop working' });
  await open('owner webhooks, rotating', owner, { path: `${webhooks}/settings`, shows: 'old' });
}

async function collectErrors(site: PageSite, { send, open, add }: Collector): Promise<void> {
  const owner = await signedIn(site, 'owner');
  const visitor = site.visitor();
  const sendRaw = async (name: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    add({ name, path, answer: await owner.send({ path, fields: { form_token: 'x' }, headers }) });
  await open('error 404, owner', owner, { path: '/nothing', shows: 'Page not found' });
  await open('error 404, visitor', visitor, { path: '/nothing', shows: 'Page not found' });
  await open('error 404, invitation', visitor, { path: '/invitations/x', shows: 'does not exist' });
  await open('error 404, calendar', visitor, { path: '/calendar/x.ics', shows: 'does not exist' });
  await sendRaw('error 403, expired form', `${organization}/first-steps`);
  await sendRaw('error 403, foreign form', `${organization}/first-steps`, { Origin: 'https://evil.example' });
  await sendRaw('error 415', `${organization}/first-steps`, { 'Content-Type': 'text/plain' });
  await send('visitor sign-in, expired', visitor, {
    path: '/sign-in',
    fields: { form_token: 'x' },
    shows: 'expired',
  });
  add({ name: 'error 405', path: '/docs', answer: await owner.open('/docs', { method: 'DELETE' }) });

  const link = await site.linkFor({ organizationId: 1, uuid: testUuid(users.owner) });
  const bound = site.visitor();
  await bound.fillIn(link, {});
  await open('error 403, signed in by a link', bound, {
    path: '/account',
    shows: 'Please sign in with your password',
  });
  await open('member by a link', bound, { path: `${organization}/meetings`, shows: 'Hello, First100' });
  await open('error 410, login link', visitor, { path: link, shows: 'already used' });
  const reset = await site.resetLinkFor(aUser(users.member));
  await site.visitor().fillIn(reset, { new_password: 'another good password' });
  await open('error 410, reset link', visitor, { path: reset, shows: 'no longer works' });
  const revoked = await site.invite({ email: 'revoked@example.test' });
  const { items } = await site.core.listInvitations({ organization: { id: 1 }, search: 'revoked@' });
  await site.core.revokeInvitation({ organization: { id: 1 }, invitationId: items[0]?.id ?? '' });
  await open('error 410, invitation', visitor, { path: revoked, shows: 'revoked' });

  const other = await signedIn(site, 'owner');
  await send('owner removed someone', owner, {
    path: `${people}/259/remove`,
    shows: 'is no longer a member',
  });
  const elsewhere = await signedIn(site, 'elsewhere');
  const own = `/organizations/2/people/${users.elsewhere}`;
  await send('error last owner', elsewhere, { path: own, fields: { role: 'member' }, shows: 'owner' });
  const guessing = async () =>
    followed(visitor, {
      path: '/sign-in',
      answer: await visitor.fillIn('/sign-in', { email: aUser(users.admin).email, password: 'wrong' }),
    });
  let guessed = await guessing();
  for (let tries = 0; tries < 20 && guessed.answer.status !== 429; tries += 1) guessed = await guessing();
  assert.equal(guessed.answer.status, 429);
  add({ name: 'error 429', ...guessed });
  await send('visitor signed out', other, { path: '/account', to: '/sign-out', shows: 'signed out' });

  const path = `${organization}/meetings`;
  site.break(new Unavailable('the database is away', { retryAfter: 7 }));
  await open('error 503', owner, { path, shows: 'We can’t answer right now' });
  site.break(new Error('a bug'));
  await open('error 500', owner, { path, shows: 'Something went wrong' });
}
