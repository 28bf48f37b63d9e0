import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, recordingSender } from '@rollcall/core/testing';
import type { Demo } from '@rollcall/express';
import { answerTo, aPerson, scriptedProvider } from '../core/scripted-provider.js';
import { softwareAuthenticator } from '../software-authenticator.js';
import { type Answer, copiedText, follow, type PageClient } from './client.js';
import { sampleOf, startFullSite, users } from './routes.js';
import { answerWith, codeAt } from './second-factor-site.js';
import { type PageSite, password } from './site.js';
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
const person = `${people}/${users.member}`;
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
  const collector = { site, script, ...collectorOf(views) };
  await collectRoutes(collector);
  await collectLists(collector);
  await collectRefusedForms(collector);
  await collectOrganization(collector);
  await collectInvitations(collector);
  await collectMemberPages(collector);
  await collectWebhooks(collector);
  await collectSignOn(collector);
  await collectSecondFactor(collector);
  await collectErrors(collector);
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
  await site.addUser({ id: 301, organizations: Array.from({ length: 12 }, (_, i) => 11 + i) });
  await site.addUser({ id: 302, organizations: [1], role: 'owner' });
  for (let index = 0; index < 60; index += 1)
    await site.invite({ email: `invited-${index}@example.test`, firstName: `Invited${index}` });
}

interface Collector extends ReturnType<typeof collectorOf> {
  readonly site: PageSite;
  readonly script: ReturnType<typeof scriptedProvider>['script'];
}

type Sent = Readonly<Record<string, string>>;

function collectorOf(views: View[]) {
  const add = (view: View): void => {
    assert.ok(isPage(view.answer), `${view.name} is not a page: ${view.answer.status}`);
    assert.ok(!views.some(({ name }) => name === view.name), `${view.name} is there twice`);
    views.push(view);
  };
  /** A browser whose pages can become views, which are named after who has it. */
  const as = (who: string, client: PageClient) => {
    const addLast = async (name: string, received: Received, text: string): Promise<void> => {
      const view = { name: `${who} ${name}`, ...(await followed(client, received)) };
      const { words } = view.answer;
      assert.ok(words.includes(text), `${view.name} does not show “${text}”: ${words}`);
      add(view);
    };
    return {
      ...client,
      /** Adds a page, which must contain this text. */
      shows: async (name: string, path: string, text: string) =>
        addLast(name, { path, answer: await client.open(path) }, text),
      /** Sends the form on a page, by default to the page, and adds the last page that this redirects to. */
      sends: async (name: string, path: string, text: string, fields: Sent = {}, to = path) =>
        addLast(name, { path: to, answer: await client.fillIn(path, fields, to) }, text),
    };
  };
  return { add, as };
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
async function collectRoutes({ site, add }: Collector): Promise<void> {
  const clients = {
    owner: await site.signedIn(users.owner),
    member: await site.signedIn(users.member),
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

async function collectLists({ site, as }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
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
  for (const [name, path, shows] of lists) await owner.shows(name, path, shows);
}

async function collectRefusedForms({ site, as }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
  const member = as('member', await site.signedIn(users.member));
  const visitor = as('visitor', site.visitor());
  await visitor.sends('sign-in, wrong password', '/sign-in', 'The email address or password is wrong', {
    email: aUser(users.owner).email,
    password: 'wrong',
  });
  await visitor.shows('sign-in for a page', '/account', 'Sign in');
  await visitor.sends('forgot-password, refused', '/forgot-password', 'Enter a valid email address', {
    email: 'nobody',
  });
  await visitor.sends('forgot-password, sent', '/forgot-password', 'Check your email', {
    email: 'nobody@example.test',
  });
  await visitor.sends(
    'reset-password, refused',
    await site.resetLinkFor(aUser(users.member)),
    'at least 8 characters',
    { new_password: 'short' },
  );
  const toAccept = await site.invite({ email: 'accepting@example.test' });
  await visitor.sends('invitation, refused', toAccept, 'There are', { first_name: '', password: 'x' });
  const known = await site.invite({ email: aUser(users.elsewhere).email });
  await visitor.shows('invitation of someone with an account', known, 'password');
  await member.shows('invitation of someone else', toAccept, 'signed in');
  await member.sends('account, refused', '/account', 'must have at least 8 characters', {
    current_password: 'wrong',
    new_password: 'x',
  });
  await owner.sends('invitations-new, refused', `${invitations}/new`, 'There are 3 problems', {
    email: 'nobody',
    idp_id: ' ',
  });
  await owner.sends('person, ID refused', person, 'ID', { idp_id: 'idp-200' }, `${person}/idp-id`);
  await owner.sends('person-name, refused', `${person}/name`, 'is required', { first_name: '' });
  await owner.sends('organization-name, refused', `${organization}/name`, 'is required', { name: '' });
  await owner.sends(
    'organization-name, changed by someone else',
    `${organization}/name`,
    'Someone changed the name',
    { shown_name: 'Earlier', name: 'N'.repeat(300) },
  );
  await member.sends('account-name, refused', '/account/name', 'is required', { last_name: '' });
  await owner.sends('person, a role that someone changed', person, 'Someone changed the role', {
    shown_role: 'admin',
    role: 'owner',
  });
  await owner.sends('webhook, refused', `${webhooks}/settings`, 'URL', { url: 'nothing' });
  await owner.sends('invitations-many, refused', `${invitations}/many`, 'ada@example.test', {
    people: 'nobody\nada@example.test, Ada',
  });
  await owner.sends('invitations-many, invited', `${invitations}/many`, 'Invited 2 people', {
    people: 'ada@example.test, Ada, Byron\nbob@example.test, Bob, Byron',
  });
  await owner.sends(
    'access-key-name, refused',
    `${organization}/access-key/name`,
    'Name must have at most 60 characters',
    { name: 'x'.repeat(61) },
  );
  await owner.sends(
    'access-key, refused',
    `${organization}/access-key`,
    'Time until the current key stops working',
    { keep_old_hours: '7777' },
  );
}

/** What a person sees on the way through the identity provider, and an owner of its settings. */
async function collectSignOn({ site, as, script }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
  const settingsOfSignOn = `${organization}/sign-on`;
  const trying = `${settingsOfSignOn}/try`;
  const wayIn = '/sign-in/organizations/1';
  const confirm = `${wayIn}/confirm`;
  await owner.shows('sign-on while signed in', wayIn, 'signs you out here');
  for (const provider of ['okta', 'google', 'jumpcloud', 'onelogin', 'other'])
    await owner.shows(`sign-on, ${provider}`, `${settingsOfSignOn}?provider=${provider}`, 'Redirect address');
  await owner.sends(
    'sign-on, refused',
    `${settingsOfSignOn}?provider=google`,
    'Google Workspace domain is required',
    { issuer: 'https://accounts.google.com', current_password: password, admits: 'provisioned' },
  );
  await owner.sends('sign-on, wrong password', settingsOfSignOn, 'Your password is wrong', {
    current_password: 'wrong',
  });
  await owner.sends('sign-on, changed by someone else', settingsOfSignOn, 'Someone changed sign-on', {
    unchanged_since: 'none',
    current_password: password,
    admits: 'provisioned',
  });
  await owner.sends('sign-on, required too early', `${settingsOfSignOn}/required`, 'Try it first', {
    current_password: password,
  });
  script.offer = { ...offer, problems: ['It names no token_endpoint'], hasLogout: false };
  await owner.shows('sign-on check, incomplete', `${settingsOfSignOn}/check`, 'It names no token_endpoint');
  script.offer = { failure: 'unreachable', reason: 'it did not answer within 10 s', code: null };
  await owner.shows('sign-on check, no answer', `${settingsOfSignOn}/check`, 'within 10 s');

  const { email } = aUser(users.owner);
  script.person = aPerson('00u1', { email, name: 'نور '.repeat(80), groups: ['a', 'b'], ...manyClaims });
  await owner.shows('sign-on tried', await returned(owner, trying), 'more claims');
  script.person = { failure: 'invalid', reason: 'the nonce is wrong', code: null };
  await owner.shows('sign-on tried, failed', await returned(owner, trying), 'the nonce is wrong');

  const visitor = as('visitor', site.visitor());
  script.person = aPerson('00u1', { email });
  await visitor.shows('sign-on confirm', await returned(visitor), 'This is me');
  await visitor.sends('sign-on confirm, wrong password', confirm, 'The password is wrong', {
    password: 'wrong',
  });
  await visitor.sends('sign-on confirm, by code', confirm, 'The 8 digits', {}, `${confirm}/mail`);
  for (const [name, person, shows] of [
    ['refused', { failure: 'refused', reason: '', code: 'access_denied' }, '(access_denied)'],
    ['invalid', { failure: 'invalid', reason: '', code: null }, 'wrong answer'],
    ['away', { failure: 'unreachable', reason: '', code: null }, 'does not answer'],
    ['not admitted', aPerson('nobody'), 'come in here'],
  ] as const) {
    script.person = person;
    await visitor.shows(`sign-on, ${name}`, await returned(visitor), shows);
  }
  const setupLink = `${organization}/setup-link`;
  await owner.shows('set-up link', setupLink, 'Replace the set-up link');
  await owner.sends('set-up link, shown once', setupLink, 'Your set-up link', { current_password: password });
  await owner.shows('set-up link, ending', `${setupLink}/end`, 'End the');
  const { url } = await site.core.issueSetupLink({ organization: { id: 1 }, userId: users.owner });
  const staff = as('staff', site.visitor());
  const setup = new URL(url).pathname;
  await staff.shows('set-up', setup, 'Open the set-up');
  await staff.fillIn(setup, {});
  await staff.shows('sign-on', settingsOfSignOn, 'open until');
  await site.core.provisionUser({
    ...{ organization: { id: 1 }, from: '' },
    entry: {
      ...{ userName: 'petra@north.example', externalId: null, email: null, isActive: false },
      ...{ givenName: 'Petra', familyName: 'Lopez', displayName: null },
    },
  });
  await staff.shows('directory', `${organization}/directory`, 'open until');
  const petra = `${organization}/directory?search=petra%40north.example`;
  await owner.shows('directory, inactive', petra, 'has deactivated them');
  await staff.shows('elsewhere', `${organization}/people`, 'A set-up link opens sign-on');
  await site.core.endSetupLink({ organization: { id: 1 } });
  await staff.shows('set-up closed', `/sign-in?next=${settingsOfSignOn}`, 'close after five minutes');
  await visitor.shows('sign-on of nobody', '/sign-in/organizations/999', 'sign in here');
}

const offer = { problems: [], algorithms: ['RS256'], namesIssuer: true, hasUserinfo: true, hasLogout: true };
const manyClaims = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`https://north.example/claim-${index}`, 'x'.repeat(150)]),
);

/** The address to which the identity provider sends the person back. */
async function returned(client: PageClient, from = '/sign-in/organizations/1/start'): Promise<string> {
  const { location } = await client.open(from);
  const state = new URL(location ?? '').searchParams.get('state') ?? '';
  return `/sign-in/organizations/1/callback?${answerTo({ state })}`;
}

/** The owner sets everything up, and signs in with it. */
async function collectSecondFactor({ site, add, as }: Collector): Promise<void> {
  // Another owner, so that the first one goes on signing in with a password alone.
  const { email } = aUser(302);
  const owner = as('owner', await site.signedIn(302));
  const account = '/account/second-factor';
  const passkeyPage = `${account}/passkey`;
  await owner.sends('confirm, wrong password', passkeyPage, 'Your password is wrong', {
    current_password: 'wrong',
  });
  await owner.sends('passkey', passkeyPage, 'Your device or password manager keeps it', {
    current_password: password,
  });
  await owner.sends('passkey, refused', passkeyPage, 'made no passkey', { name: '' });
  const device = softwareAuthenticator({ rpId: new URL(site.url).hostname, origin: site.url });
  const name = `Phone ${'x'.repeat(54)}`;
  const made = await answerWith(owner, passkeyPage, (challenge) => device.register(challenge), { name });
  add({ name: 'owner recovery codes', path: made.location ?? '', answer: await follow(owner, made) });
  await owner.shows('second factor, on', account, 'Make new recovery codes');
  const passkey = `${account}/passkeys/${device.credentialId}`;
  await owner.shows('rename passkey', `${passkey}/name`, 'Save the name');
  await owner.shows('remove passkey', `${passkey}/remove`, 'Remove the passkey?');
  const app = `${account}/app`;
  await owner.shows('app', app, 'Show the QR code');
  await owner.sends('app, key', app, 'Scan this');
  await owner.sends('app, wrong code', app, 'Code is wrong', { second_factor: '1' });
  const key = copiedText((await owner.open(app)).text, 'code-secret') ?? '';
  await owner.sends('app, on', app, 'The app is set up', { second_factor: codeAt(key, site.clock.now()) });
  await owner.shows('access key, by second factor', `${organization}/access-key`, 'Use a passkey');
  await owner.shows('account, second factor', '/account', 'Use a recovery code instead');
  await owner.shows('member, second factor', person, 'Use a recovery code instead');
  const visitor = as('visitor', site.visitor());
  await visitor.sends('second step', '/sign-in', 'Your password is right', { email, password });
  await visitor.sends('wrong second step', '/sign-in/second-factor', 'Code is wrong', { second_factor: '1' });
  const requirement = { organization: { id: 1 }, userId: 302 };
  await site.core.requireSecondFactor({ ...requirement, isRequired: true });
  const admin = as('admin', await site.signedIn(users.admin));
  await admin.shows('without second factor', organization, 'Please add a second factor');
  await site.core.requireSecondFactor({ ...requirement, isRequired: false });
}

async function collectOrganization({ site, add, as }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
  const elsewhere = as('first owner', await site.signedIn(users.elsewhere));
  const empty = '/organizations/2';
  await elsewhere.shows('organization', empty, 'First steps');
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
    await elsewhere.shows(page.replace('/', '-'), `${empty}/${page}`, 'Organization 2');
  await elsewhere.sends(
    'organization, steps hidden',
    empty,
    'Show the first steps',
    { hidden: 'yes' },
    `${empty}/first-steps`,
  );
  await elsewhere.shows('last owner', `${empty}/people/${users.elsewhere}`, 'The last owner');

  await owner.sends('organization, zone saved', settings, 'Time zone saved', { time_zone: 'Europe/Berlin' });
  const key = `${organization}/access-key`;
  await owner.sends('access-key, new', key, 'Copy it now', { keep_old_hours: '24' });
  await owner.shows('access-key, was shown', `${key}/new`, 'can’t be shown again');
  const directory = `${organization}/directory`;
  const token = `${directory}/token`;
  await owner.shows('directory, two tokens', directory, 'Old token');
  await owner.sends('directory token, new', token, 'Copy it now', {
    keep_old_hours: '24',
    current_password: password,
  });
  await owner.sends('directory token, refused', token, 'Time until the current token stops working', {
    keep_old_hours: '7777',
    current_password: password,
  });
  await owner.shows('organization, two keys', settings, 'Old key');
  await owner.shows('access-key, two keys', key, 'The key before the current one');

  const many = as('switcher', await site.signedIn(301));
  const path = '/organizations/11/meetings';
  add({ name: 'switcher open', path, answer: await many.open(path), opens: '.organizations summary' });
  add({ name: 'account menu open', path, answer: await many.open(path), opens: '.account summary' });
  await many.shows('searched', '/meetings?search=clinic', 'Clinic 12');
  await many.shows('nothing found', '/meetings?search=nothing', 'None of your organizations matches');
  add({
    name: 'owner invitations-new, more options',
    path: `${invitations}/new`,
    answer: await owner.open(`${invitations}/new`),
    opens: '.more summary',
  });
}

async function collectInvitations({ site, as }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
  const { items } = await site.core.listInvitations({ organization: { id: 1 }, state: 'pending' });
  const [first, second, third, fourth] = items.map(({ userUuid }) => userUuid);
  const selected = `invitation=${first}&invitation=${second}`;
  await owner.shows('invitation, renew one', `${invitations}/${fourth}/renew`, 'new link');
  const renew = `${invitations}/selected/renew`;
  const revoke = `${invitations}/selected/revoke?${selected}`;
  await owner.shows('invitations, revoke two', revoke, 'Revoke 2 invitations?');
  await owner.shows('invitations, renew two', `${renew}?${selected}`, 'Renew 2 invitations?');
  await owner.sends('invitations, renewed two', `${renew}?${selected}`, 'Renewed 2 invitations', {}, renew);
  await owner.sends('invitation, revoked', `${invitations}/${third}/revoke`, 'Revoked');
  const kim = { email: 'kim@example.test', first_name: 'Kim', last_name: 'Kim', expires_in_days: '30' };
  const invite = `${invitations}/new`;
  await owner.sends('invitation, sent', invite, 'Kim Kim is invited', kim);
  await owner.sends('invitation, sent again', invite, 'was invited before', kim);
  await owner.shows('invitation, renewed', `${invitations}/${first}`, 'Other invitations of this address');
  await owner.sends('person, login link', person, 'It is not shown again', {}, `${person}/login-link`);
}

async function collectMemberPages({ site, as }: Collector): Promise<void> {
  const member = as('member', await site.signedIn(users.member));
  const meetings = `${organization}/meetings`;
  await member.shows('meetings, one to join', meetings, 'Join');
  await member.shows('meetings-past, page 2', `${meetings}/past?page=2`, 'Past circle');
  await member.shows('meetings-past, searched', `${meetings}/past?search=circle+1`, 'with “');
  await member.shows('meetings, none found', `${meetings}?search=nothing`, 'No meeting matches');
  await member.shows('meetings, refused', `${meetings}?search=${'x'.repeat(301)}`, 'at most 300');
  await member.shows('meetings, past the end', `${meetings}?page=99`, 'empty');
  await member.shows('sessions, several', '/account/sessions', 'Sign out everywhere else');
  const calendar = `${organization}/calendar`;
  await site.core.createCalendarFeed({ organizationId: 1, userId: users.admin });
  const admin = as('admin', await site.signedIn(users.admin));
  await admin.shows('calendar, replace', `${calendar}/replace`, 'Replace');
  await admin.shows('calendar, revoke', `${calendar}/revoke`, 'Revoke');
  const owner = as('owner', await site.signedIn(users.owner));
  await owner.sends('calendar, new', calendar, 'Your new calendar address');
  await owner.shows('calendar, was shown', `${calendar}/new`, 'can’t be shown again');
  await owner.shows('calendar, existing', calendar, 'Your calendar');
}

async function collectWebhooks({ site, as }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
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
  await owner.shows('webhooks, failing', webhooks, 'Failing since');
  await owner.shows('delivery, failing', `${webhooks}/deliveries/${failing.id}`, '500');
  await owner.shows('webhooks, searched', `${webhooks}?since=2026-11-01T00:00&state=delivered`, 'Delivered');
  await owner.shows('webhooks, refused search', `${webhooks}?since=x`, 'must be a date and time');
  await owner.shows('webhooks, none held', `${webhooks}?state=held`, 'No ');
  await owner.sends('webhooks, tested', `${webhooks}/test`, 'test');
  await owner.shows('redeliver', `${webhooks}/redeliver`, 'Resend 3 undelivered events?');
  await owner.shows('redeliver, refused', `${webhooks}/redeliver?since=x`, 'Since must be');
  const since = `${webhooks}/redeliver?since=2026-11-01T00:00`;
  await owner.shows('redeliver, asked', since, 'Resend');
  await owner.shows('dismiss, asked', `${webhooks}/dismiss`, 'Dismiss');
  const secret = `${webhooks}/secret`;
  await owner.sends('webhook secret, new', secret, 'Copy the new signing secret', { overlap_hours: '24' });
  await owner.shows('webhook secret, was shown', `${secret}/new`, 'can’t be shown again');
  await owner.shows('webhook secret-finish', `${secret}/finish`, 'Finish the rotation?');
  await owner.shows('webhook secret, rotating', secret, 'both stop working');
  await owner.shows('webhooks, rotating', `${webhooks}/settings`, 'old');
}

async function collectErrors({ site, add, as }: Collector): Promise<void> {
  const owner = as('owner', await site.signedIn(users.owner));
  const visitor = as('visitor', site.visitor());
  const sendRaw = async (name: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    add({ name, path, answer: await owner.send({ path, fields: { form_token: 'x' }, headers }) });
  await owner.shows('error 404', '/nothing', 'Page not found');
  await visitor.shows('error 404', '/nothing', 'Page not found');
  await visitor.shows('error 404, invitation', '/invitations/x', 'does not exist');
  await visitor.shows('error 404, calendar', '/calendar/x.ics', 'does not exist');
  await sendRaw('error 403, expired form', `${organization}/first-steps`);
  await sendRaw('error 403, foreign form', `${organization}/first-steps`, { Origin: 'https://evil.example' });
  await sendRaw('error 415', `${organization}/first-steps`, { 'Content-Type': 'text/plain' });
  await visitor.sends('sign-in, expired', '/sign-in', 'expired', { form_token: 'x' });
  add({ name: 'error 405', path: '/docs', answer: await owner.open('/docs', { method: 'DELETE' }) });

  const link = await site.linkFor(users.owner);
  const bound = as('link', site.visitor());
  await bound.fillIn(link, {});
  await bound.shows('error 403', '/account', 'Please sign in with your password');
  await bound.shows('meetings', `${organization}/meetings`, 'Hello, First100');
  await visitor.shows('error 410, login link', link, 'already used');
  const reset = await site.resetLinkFor(aUser(users.member));
  await site.visitor().fillIn(reset, { new_password: 'another good password' });
  await visitor.shows('error 410, reset link', reset, 'no longer works');
  const revoked = await site.invite({ email: 'revoked@example.test' });
  const { items } = await site.core.listInvitations({ organization: { id: 1 }, search: 'revoked@' });
  await site.core.revokeInvitation({ organization: { id: 1 }, invitationId: items[0]?.id ?? '' });
  await visitor.shows('error 410, invitation', revoked, 'revoked');

  const other = as('other', await site.signedIn(users.owner));
  await owner.sends('removed someone', `${people}/259/remove`, 'is no longer a member');
  const elsewhere = as('first owner', await site.signedIn(users.elsewhere));
  const own = `/organizations/2/people/${users.elsewhere}`;
  await elsewhere.sends('last owner, refused', own, 'owner', { role: 'member' });
  const guessing = async () =>
    followed(visitor, {
      path: '/sign-in',
      answer: await visitor.fillIn('/sign-in', { email: aUser(users.admin).email, password: 'wrong' }),
    });
  let guessed = await guessing();
  for (let tries = 0; tries < 20 && guessed.answer.status !== 429; tries += 1) guessed = await guessing();
  assert.equal(guessed.answer.status, 429);
  add({ name: 'error 429', ...guessed });
  await other.sends('signed out', '/account', 'signed out', {}, '/sign-out');

  const path = `${organization}/meetings`;
  site.break(new Unavailable('the database is away', { retryAfter: 7 }));
  await owner.shows('error 503', path, 'We can’t answer right now');
  site.break(new Error('a bug'));
  await owner.shows('error 500', path, 'Something went wrong');
}
