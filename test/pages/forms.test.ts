import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import express, { type ErrorRequestHandler } from 'express';
import { PageError } from '#adapters/express/pages/errors/error-page.js';
import { readForm } from '#adapters/express/pages/form.js';
import { publicAddress } from '#adapters/express/pages/public-address.js';
import { readableText } from '#test/support/page/client.js';
import { credentials, type StartPageSite, startSiteOf } from '#test/support/page/site.js';

const site = (context: TestContext, options?: StartPageSite) =>
  startSiteOf(context, { 100: ['member', 1] }, options);

test('A form is accepted under both names of this machine, as in a demo, and of a browser that sends no origin', async (t) => {
  const started = await site(t);
  for (const headers of [
    { Origin: started.url.replace('127.0.0.1', 'localhost') },
    { Origin: undefined, 'Sec-Fetch-Site': undefined },
  ]) {
    const client = started.visitor();
    const fields = { ...(await client.fieldsOf('/sign-in')), ...credentials };
    assert.equal((await client.send({ path: '/sign-in', fields, headers })).status, 303);
  }
});

test('The token of a visitor is no longer valid once the visitor has signed in', async (t) => {
  const client = (await site(t)).visitor();
  const { form_token = '' } = await client.fieldsOf('/sign-in');
  await client.fillIn('/sign-in', credentials);
  const answer = await client.send({ path: '/sign-out', fields: { form_token } });
  assert.equal(answer.status, 403);
  assert.match(answer.words, /You may have signed in or out since you opened it/);
});

test('Behind a proxy our origin is that of PUBLIC_URL, whatever the headers say', async (t) => {
  const started = await site(t, { publicUrl: 'https://rollcall.example.test' });
  const signIn = async (headers: Record<string, string>): Promise<number> => {
    const client = started.visitor();
    const fields = { ...(await client.fieldsOf('/sign-in')), ...credentials };
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
  assert.doesNotMatch(pretended, /evil\./, 'the header is not repeated');
});

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
