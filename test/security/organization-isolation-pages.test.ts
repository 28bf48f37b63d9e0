import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { testUuid } from '@rollcall/core/testing';
import { formFields } from '../support/page/client.js';
import {
  containsMarker,
  type IsolationSite,
  ids,
  marker,
  password,
  startIsolationSite,
} from '../support/security/isolation-site.js';
import { type Bytes, type Site, wholeAnswer } from '../support/security/site.js';

describe('What people of organization 1 can find out about organization 2 on the pages', () => {
  let site: Site;
  let tokens: IsolationSite['tokens'];
  before(async () => {
    ({ site, tokens } = await startIsolationSite('sqlite'));
  });
  after(() => site.stop());

  const visitors: Readonly<Record<string, () => Promise<string | null>>> = {
    'a stranger': async () => null,
    'a session bound to 1, of a member of both': async () => signedInByLink(site, testUuid(3)),
    'a session bound to 1, of a member of 1': async () => signedInByLink(site, testUuid(1)),
    'a member of 1': async () => signedIn(site, 'one@example.test'),
  };

  const webhookPages = [
    '',
    '/secret',
    '/secret/finish',
    '/test',
    '/redeliver',
    '/redeliver?since=2020-01-01T00:00',
    '/deliveries/1',
  ].map((path) => `/organizations/2/webhooks${path}`);
  const pages = [
    ...['/', '/sign-in', '/meetings', '/organizations/1/meetings', '/assets/default-avatar.svg'],
    ...Object.values(ids).map(({ organization }) => `/organizations/${organization}/meetings`),
    ...['/invitations/x', '/login/x', '/no/such/page', '/sign-in?next=/organizations/2/meetings'],
    ...['/organizations/2/meetings?page=2', '/organizations/2', '/organizations/2/webhook'],
    ...webhookPages,
    ...['/organizations/1/calendar', '/organizations/2/calendar', '/organizations/2/invitations'],
    ...['/organizations/2/meetings/1.ics', '/calendar/x.ics'],
  ];
  const forms = [
    '/sign-in',
    '/sign-out',
    '/invitations/x',
    '/login/x',
    '/organizations/2/meetings',
    '/organizations/2/calendar',
    ...webhookPages,
  ];

  for (const [name, session] of Object.entries(visitors)) {
    test(`${name}: no page and no form contains anything of organization 2`, async () => {
      for (const path of pages) {
        const answer = await open(site, path, await session());
        assert.ok(answer.status < 500 && !containsMarker(wholeAnswer(answer)), `${path}: ${answer.text}`);
      }
      for (const path of forms) {
        const answer = await sendForm(site, path, await session());
        assert.ok(answer.status < 500 && !containsMarker(wholeAnswer(answer)), `${path}: ${answer.text}`);
      }
    });
  }

  test('a token is not a session, and a session is not a token', async () => {
    const token = tokens.get(2) ?? '';
    assert.equal((await open(site, '/organizations/2/meetings', `3000-session=${token}`)).status, 303);
    const session = await signedIn(site, `${marker.toLowerCase()}-two@example.test`);
    const headers = { Authorization: `Bearer ${session.slice('3000-session='.length)}`, Cookie: session };
    const answer = await site.send('GET', '/api/v2/organizations/2/webhook', { headers });
    assert.deepEqual([answer.status, answer.text], [401, '{"error":"Unauthorized Access"}']);
  });

  test('none of these requests caused an unexpected failure', () => {
    assert.deepEqual(site.reports, []);
  });
});

async function signedIn({ core }: Site, email: string): Promise<string> {
  const { session } = await core.signIn({ email, password: new Secret(password), address: 'a test' });
  return `3000-session=${session.reveal()}`;
}

/** The cookie of a session opened by a login link of organization 1. */
async function signedInByLink({ core }: Site, uuid: string): Promise<string> {
  const { url } = await core.issueLoginLink({ organization: { id: 1 }, uuid });
  const { session } = await core.redeemLoginLink({ token: url.split('/').at(-1) ?? '' });
  return `3000-session=${session.reveal()}`;
}

function open({ send }: Site, path: string, cookie: string | null, method = 'GET'): Promise<Bytes> {
  return send(method, path, { headers: { Accept: 'text/html', ...(cookie !== null && { Cookie: cookie }) } });
}

/** Sends a form, with a valid token if the visitor can have one. */
async function sendForm(site: Site, path: string, cookie: string | null): Promise<Bytes> {
  const page = await open(site, '/sign-in', cookie);
  const visitor = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]);
  const { form_token = '' } = formFields(page.text);
  const fields = new URLSearchParams({ form_token, email: 'one@example.test', password: 'wrong one' });
  return site.send('POST', path, {
    headers: {
      Accept: 'text/html',
      Cookie: [...visitor, ...(cookie === null ? [] : [cookie])].join('; '),
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: fields.toString(),
  });
}
