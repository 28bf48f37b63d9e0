import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { anOrganization, testUuid } from '@rollcall/core/testing';
import express, { type ErrorRequestHandler } from 'express';
import { PageError } from '#adapters/express/pages/errors/error-page.js';
import { readForm } from '#adapters/express/pages/form.js';
import { publicAddress } from '#adapters/express/pages/public-address.js';
import { eventName } from '#core/testing/subscribe.js';
import { type Answer, formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { type PageSite, type StartPageSite, startPageSite } from '#test/support/page/site.js';
import { webhookAt } from '../support/webhook-at.js';

const credentials = { email: 'user-100@example.test', password: 'a good password' };
const admin = { ...credentials, email: 'user-101@example.test' };

async function site(context: TestContext, options: StartPageSite = {}): Promise<PageSite> {
  const started = await startPageSite(context, options);
  await started.load({ organizations: [anOrganization(1, { name: 'Northwind Wellness' })] });
  await started.addUser({ id: 100, password: credentials.password, organizations: [1] });
  await started.addUser({ id: 101, password: admin.password, organizations: [1], role: 'admin' });
  return started;
}

/** A form that would be accepted as it is, and the client that opened it. */
interface Prepared {
  readonly client: PageClient;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The status of the answer if it is accepted. */
  readonly accepted: number;
  /** The maximum size of the form. */
  readonly maxBytes: number;
  /** Whether it is kept and given back if its token is not valid. */
  readonly isGivenBack: boolean;
}

async function prepare(client: PageClient, page: string, form: Partial<Prepared> = {}): Promise<Prepared> {
  const hidden = formFields((await client.open(page)).text);
  const { path = page, accepted = 303, maxBytes = 20 * 1024, isGivenBack = false } = form;
  return { client, path, fields: { ...hidden, ...form.fields }, accepted, maxBytes, isGivenBack };
}

async function signedIn(
  { visitor }: PageSite,
  user: { readonly email: string; readonly password: string },
): Promise<PageClient> {
  const client = visitor();
  await client.fillIn('/sign-in', user);
  return client;
}

/** The page of an invitation. */
async function invitationPage({ invite, core }: PageSite): Promise<string> {
  await invite({ email: 'new@example.test' });
  const { items } = await core.listInvitations({ organization: { id: 1 } });
  return `/organizations/1/invitations/${items[0]?.userUuid}`;
}

const webhook = '/organizations/1/webhooks';
const settings = { url: 'https://partner.test/hooks', enabled: '1', [`event.${eventName}`]: '1' };

/** A form of a configured webhook, which has made the delivery with this number. */
async function webhookForm(
  site: PageSite,
  form: (delivery: number) => Partial<Prepared> & { readonly page?: string },
): Promise<Prepared> {
  const organization = { id: 1 };
  const { url } = settings;
  const configuration = webhookAt(url);
  await site.core.configureWebhook({ organization, how: 'set', webhook: configuration });
  const person = { email: 'new@example.test', firstName: 'New', lastName: 'Person' };
  await site.core.registerUser({ organizationId: 1, ...person });
  await site.deliver();
  const { deliveries } = await site.core.listDeliveries({ organization });
  const { page = webhook, ...rest } = form(deliveries[0]?.id ?? 0);
  return prepare(await signedIn(site, admin), page, rest);
}

/** All forms of the pages. */
const forms: Readonly<Record<string, (site: PageSite) => Promise<Prepared>>> = {
  'signing in': ({ visitor }) => prepare(visitor(), '/sign-in', { fields: credentials }),
  'signing out': async ({ visitor }) => {
    const client = visitor();
    await client.fillIn('/sign-in', credentials);
    return prepare(client, '/organizations/1/meetings', { path: '/sign-out' });
  },
  'accepting an invitation': async ({ visitor, invite }) =>
    prepare(visitor(), await invite(), { fields: { password: credentials.password } }),
  'inviting someone': async (site) =>
    prepare(await signedIn(site, admin), '/organizations/1/invitations', {
      fields: { email: 'new@example.test', first_name: 'New', last_name: 'Person' },
      isGivenBack: true,
    }),
  'inviting many people': async (site) =>
    prepare(await signedIn(site, admin), '/organizations/1/invitations/many', {
      fields: { people: 'new@example.test,New,Person' },
      maxBytes: 1_000_000,
      accepted: 200,
      isGivenBack: true,
    }),
  'renewing an invitation': async (site) =>
    prepare(await signedIn(site, admin), `${await invitationPage(site)}/renew`, { isGivenBack: true }),
  'revoking an invitation': async (site) =>
    prepare(await signedIn(site, admin), `${await invitationPage(site)}/revoke`),
  'configuring the webhook': (site) => webhookForm(site, () => ({ fields: settings, isGivenBack: true })),
  'regenerating the signing secret': (site) =>
    webhookForm(site, () => ({ page: `${webhook}/secret`, isGivenBack: true })),
  'testing the webhook': (site) => webhookForm(site, () => ({ path: `${webhook}/test` })),
  'resending a delivery': (site) =>
    webhookForm(site, (delivery) => ({ page: `${webhook}/deliveries/${delivery}` })),
  'resending failed deliveries': (site) =>
    webhookForm(site, () => ({
      path: `${webhook}/redeliver`,
      fields: { since: '2026-11-20T12:00:00.000Z' },
      isGivenBack: true,
    })),
  'creating a calendar address': async (site) =>
    prepare(await signedIn(site, credentials), '/organizations/1/calendar'),
  'replacing a calendar address': async (site) => {
    const client = await signedIn(site, credentials);
    await site.core.createCalendarFeed({ organizationId: 1, userId: 100 });
    const form = { path: '/organizations/1/calendar' };
    return prepare(client, '/organizations/1/calendar/replace', form);
  },
  'revoking a calendar address': async (site) => {
    const client = await signedIn(site, credentials);
    await site.core.createCalendarFeed({ organizationId: 1, userId: 100 });
    return prepare(client, '/organizations/1/calendar/revoke');
  },
  'redeeming a login link': async ({ visitor, linkFor }) =>
    prepare(visitor(), await linkFor({ organizationId: 1, uuid: testUuid(100) })),
};

type Forge = (form: Prepared, site: PageSite) => Promise<Answer>;

const withHeaders =
  (headers: Readonly<Record<string, string | undefined>>): Forge =>
  ({ client, path, fields }) =>
    client.send({ path, fields, headers });

const without = (fields: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));

/** The ways to forge a form. */
const forgeries: Readonly<Record<string, Forge>> = {
  'without its token': ({ client, path, fields }) =>
    client.send({ path, fields: without(fields, 'form_token') }),
  'with an empty token': ({ client, path, fields }) =>
    client.send({ path, fields: { ...fields, form_token: '' } }),
  'with the token of another visitor': async ({ client, path, fields }, { visitor }) => {
    const { form_token = '' } = formFields((await visitor().open('/sign-in')).text);
    return client.send({ path, fields: { ...fields, form_token } });
  },
  'with the token of another session': async ({ client, path, fields }, { visitor }) => {
    const other = visitor();
    await other.fillIn('/sign-in', credentials);
    const { form_token = '' } = formFields((await other.open('/organizations/1/meetings')).text);
    return client.send({ path, fields: { ...fields, form_token } });
  },
  'without any cookie': ({ path, fields }, { visitor }) => visitor().send({ path, fields }),
  'from a foreign origin': withHeaders({ Origin: 'https://evil.example' }),
  'from our host by another scheme': withHeaders({ Origin: 'ftp://127.0.0.1' }),
  'from our host at another port': withHeaders({ Origin: 'http://127.0.0.1:1' }),
  'from the origin null': withHeaders({ Origin: 'null' }),
  'as cross-site according to the browser': withHeaders({ 'Sec-Fetch-Site': 'cross-site' }),
  'as cross-site without an origin': withHeaders({ Origin: undefined, 'Sec-Fetch-Site': 'cross-site' }),
  'from a sibling site': withHeaders({ 'Sec-Fetch-Site': 'same-site' }),
};

for (const [name, prepared] of Object.entries(forms)) {
  test(`The form for ${name} changes nothing if it is forged or malformed, and is accepted afterwards`, async (t) => {
    const started = await site(t);
    const form = await prepared(started);
    for (const [how, forge] of Object.entries(forgeries)) await refuseForged(started, { form, how, forge });
    await refuseMalformed(started, form);
    const { client, path, fields, accepted } = form;
    // Some browsers do not send their origin.
    const headers = { Origin: undefined, 'Sec-Fetch-Site': undefined };
    assert.equal((await client.send({ path, fields, headers })).status, accepted);
  });
}

/** The forged form is refused or given back. */
async function refuseForged(
  started: PageSite,
  { form, how, forge }: { readonly form: Prepared; readonly how: string; readonly forge: Forge },
): Promise<void> {
  // Taken just before the form is sent: the forgery may sign in another person first.
  let before: readonly string[] = [];
  const client: PageClient = {
    ...form.client,
    send(request) {
      before = [...started.changes];
      return form.client.send(request);
    },
  };
  const answer = await forge({ ...form, client }, started);
  const hasCookies = how !== 'without any cookie';
  assert.equal(answer.status, 403, how);
  if (hasCookies) assert.deepEqual(started.changes, before, how);
  if (form.isGivenBack && /token|cookie/.test(how)) {
    assert.match(readableText(answer.text), /We kept what you typed|Nothing to resend/, how);
  } else {
    assert.match(readableText(answer.text), /Nothing was changed/, how);
    const isShownAgain = /This form has expired\. Nothing was changed\. Check/.test(answer.text);
    if (!isShownAgain) assert.deepEqual(answer.headers.getSetCookie(), [], how);
  }
}

/** With arrays, too many fields, another content type or too much text, the form is refused. */
async function refuseMalformed(
  started: PageSite,
  { client, path, fields, maxBytes }: Prepared,
): Promise<void> {
  const before = [...started.changes];
  const body = new URLSearchParams(fields).toString();
  const post = (text: string, type = 'application/x-www-form-urlencoded', headers = {}) =>
    sendRaw(started, client, { path, body: text, headers: { 'Content-Type': type, ...headers } });

  assert.equal((await post(`${body}&form_token=again`)).status, 400);
  assert.equal((await post(`${body}&password=a&password=b`)).status, 400);
  assert.equal((await post(`${body}${'&x=1'.repeat(1000)}`)).status, 413);
  assert.equal((await post(`${body}&padding=${'x'.repeat(maxBytes)}`)).status, 413);
  assert.equal((await post(JSON.stringify(fields), 'application/json')).status, 415);
  assert.equal((await post('--x--', 'multipart/form-data; boundary=x')).status, 415);
  assert.equal((await post(body, 'text/plain')).status, 415);
  assert.equal((await post(body, undefined, { 'Content-Encoding': 'gzip' })).status, 415);
  assert.equal((await post('')).status, 403);
  assert.deepEqual(started.changes, before);
}

test('A form is accepted under both names of this machine, as in a demo', async (t) => {
  const started = await site(t);
  const client = started.visitor();
  const fields = { ...formFields((await client.open('/sign-in')).text), ...credentials };
  const Origin = started.url.replace('127.0.0.1', 'localhost');
  assert.equal((await client.send({ path: '/sign-in', fields, headers: { Origin } })).status, 303);
});

test('The token of a visitor is no longer valid once the visitor has signed in', async (t) => {
  const client = (await site(t)).visitor();
  const { form_token = '' } = formFields((await client.open('/sign-in')).text);
  await client.fillIn('/sign-in', credentials);
  const answer = await client.send({ path: '/sign-out', fields: { form_token } });
  assert.equal(answer.status, 403);
  assert.match(readableText(answer.text), /You may have signed in or out since you opened it/);
});

test('Behind a proxy our origin is that of PUBLIC_URL, whatever the headers say', async (t) => {
  const started = await site(t, { publicUrl: 'https://rollcall.example.test' });
  const signIn = async (headers: Record<string, string>): Promise<number> => {
    const client = started.visitor();
    const fields = { ...formFields((await client.open('/sign-in')).text), ...credentials };
    return (await client.send({ path: '/sign-in', fields, headers })).status;
  };
  assert.equal(await signIn({}), 303);
  assert.equal(await signIn({ Origin: started.url }), 403);
  assert.equal(await signIn({ Origin: 'http://rollcall.example.test' }), 403);
  assert.equal(await signIn({ Origin: 'https://rollcall.example.test.evil.example' }), 403);
  const pretended = { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example' };
  assert.equal(await signIn(pretended), 403);
});

test('At an address other than PUBLIC_URL the page that refuses a form links to PUBLIC_URL', async (t) => {
  const publicUrl = 'https://rollcall.example.test';
  const started = await site(t, { publicUrl });
  const refused = async (headers: Record<string, string | undefined>): Promise<string> => {
    const answer = await started.visitor().send({ path: '/sign-in', fields: credentials, headers });
    assert.equal(answer.status, 403);
    return answer.text;
  };
  const pasted = [{ Origin: started.url }, { Origin: undefined, 'Sec-Fetch-Site': undefined }];
  for (const text of await Promise.all(pasted.map(refused))) {
    assert.match(readableText(text), /its PUBLIC_URL: https:\/\/rollcall\.example\.test\./);
    assert.ok(text.includes(`<a href="${publicUrl}/" class="button primary">Go to ${publicUrl}</a>`));
  }
  const host = { 'X-Forwarded-Host': 'ROLLCALL.example.test' };
  const forged = await refused({ Origin: 'https://evil.example', ...host });
  assert.match(readableText(forged), /This form was sent from another site .* on this site/);
  const pretended = await refused({ Origin: started.url, 'X-Forwarded-Host': '"><script>evil.example' });
  assert.doesNotMatch(pretended, /evil/, 'the header is not repeated');
});

function sendRaw(
  { url }: PageSite,
  client: PageClient,
  request: {
    readonly path: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const cookies = [...client.cookies()].map(([name, value]) => `${name}=${value}`);
  const headers = { Accept: 'text/html', Cookie: cookies.join('; '), ...request.headers };
  return fetch(`${url}${request.path}`, { method: 'POST', body: request.body, headers, redirect: 'manual' });
}

describe('A browser that leaves before its form is read', () => {
  test('is refused like one that sends no form', async (t) => {
    const app = express();
    const accepted: unknown[] = [];
    app.use(async (request, _response, next) => {
      request.socket.destroy();
      await once(request.socket, 'close');
      next();
    });
    const address = publicAddress('http://127.0.0.1');
    app.post('/', async (request, response) => {
      await readForm({ address, request, response });
      accepted.push(request.body);
    });
    const refused = new Promise((resolve) => {
      app.use(((error, _request, _response, _next) => resolve(error)) satisfies ErrorRequestHandler);
    });
    const server = app.listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const body = new URLSearchParams({ form_token: 'token' });
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }));
    assert.deepEqual([await refused, accepted], [new PageError('malformed-form'), []]);
  });
});
