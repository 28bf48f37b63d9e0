import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { parseReplies } from '../support/http/client.js';
import { checkAnswer } from '../support/http/contract.js';
import { formFields } from '../support/page/client.js';
import { type Asked, type Bytes, exchangeBytes, type Site, startSite } from '../support/security/site.js';

const password = 'a good password';
const script = '<script>alert(1)</script>';
const html = { Accept: 'text/html' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

interface Started {
  readonly site: Site;
  readonly token: string;
  readonly session: string;
}

async function start(publicUrl?: string): Promise<Started> {
  const site = await startSite({ settings: { failedAuthenticateLimit: 3 }, ...(publicUrl && { publicUrl }) });
  const { core } = site;
  await site.load({
    organizations: [anOrganization(1, { name: script })],
    users: [aUser(1, { email: 'dana@example.test', firstName: script, lastName: `"'>${script}` })],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: 'idp-1' }],
  });
  await core.setPassword({ email: 'dana@example.test', password: new Secret(password) });
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  const { token } = await core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' });
  const opened = await core.signIn({
    email: 'dana@example.test',
    password: new Secret(password),
    address: 'x',
  });
  return { site, token: token.reveal(), session: opened.session.reveal() };
}

/** One answer of every class. */
async function everyAnswer({ site, token, session }: Started): Promise<ReadonlyMap<string, Bytes>> {
  const answers = new Map<string, Bytes>();
  const secure = site.ports.secrets;
  const add = async (name: string, method: string, path: string, sent: Asked = {}): Promise<void> => {
    assert.ok(!answers.has(name), name);
    answers.set(name, await site.ask(method, path, sent));
  };
  const base = '/api/v2/organizations/1';
  const bearer = { Authorization: `Bearer ${token}` };
  const json = { ...bearer, 'Content-Type': 'application/json' };
  await add('200', 'GET', `${base}/webhook`, { headers: bearer });
  await add('200 of HEAD', 'HEAD', `${base}/webhook`, { headers: bearer });
  await add('200 of an export', 'GET', `${base}/export_meetings?column=name`, { headers: bearer });
  await add('200 of a page of an export', 'GET', `${base}/export_meetings?column=name&page=1`, {
    headers: bearer,
  });
  await add('200 of HEAD of an export', 'HEAD', `${base}/export_meetings?column=name`, { headers: bearer });
  await add('400 of a field', 'POST', `${base}/invite_user`, {
    headers: json,
    body: `{"email":"${script}"}`,
  });
  await add('400 of a body', 'POST', `${base}/invite_user`, { headers: json, body: script });
  await add('400 of an export', 'GET', `${base}/export_meetings?column=${script}`, { headers: bearer });
  await add('400 of a path', 'GET', `${base}/members/%zz/upcoming_meetings`, { headers: bearer });
  await add('401 without a token', 'GET', `${base}/webhook`);
  await add('401 of another organization', 'GET', '/api/v2/organizations/2/webhook', { headers: bearer });
  await add('404 of a member', 'GET', `${base}/members/${script.replace('/', '%2F')}/upcoming_meetings`, {
    headers: bearer,
  });
  await add('404 below the interface', 'GET', `/api/v2/${script}`);
  await add('404 below the interface for a browser', 'GET', `/api/${script}`, { headers: html });
  await add('404 elsewhere', 'GET', `/${script}`);
  await add('405', 'DELETE', `${base}/webhook`, { headers: bearer });
  await add('405 of OPTIONS', 'OPTIONS', `${base}/webhook`, {
    headers: { Origin: 'https://elsewhere.test' },
  });
  await add('405 of TRACE', 'TRACE', `${base}/webhook`, { headers: bearer });
  await add('404 of OPTIONS', 'OPTIONS', '/api/v2/nothing');
  await add('404 of TRACE', 'TRACE', '/nothing');
  await add('405 beside', 'POST', '/healthz');
  await add('413', 'POST', `${base}/webhook`, { headers: json, body: 'x'.repeat(200_000) });
  await add('415', 'POST', `${base}/webhook`, { headers: { ...bearer, 'Content-Type': script }, body: '{}' });
  await add('422', 'POST', `${base}/webhook`, { headers: json, body: `{"webhook":{"url":"${script}"}}` });
  for (let failed = 0; failed < 4; failed += 1) {
    await add(`${failed < 3 ? 401 : 429} of authenticate ${failed}`, 'POST', '/api/v2/authenticate', {
      headers: json,
      body: `{"access_key":"${script}"}`,
    });
  }
  await add('200 of the document', 'GET', '/openapi.json');
  await add('200 of health', 'GET', '/healthz');
  await add('200 of readiness', 'GET', '/readyz');
  const healed = site.replace('webhooks', { of: () => Promise.reject(new Error(script)) });
  await add('500', 'GET', `${base}/webhook`, { headers: bearer });
  healed();

  const cookie = { ...html, Cookie: `session=${session}; __Host-session=${session}` };
  const { url } = await site.core.issueLoginLink({ organization: { id: 1 }, uuid: testUuid(1) });
  const invited = await site.core.inviteUser({
    organization: { id: 1 },
    email: 'new@example.test',
    firstName: script,
    lastName: `"'>${script}`,
  });
  await add('page 200', 'GET', '/organizations/1/meetings', { headers: cookie });
  await add('page 200 of HEAD', 'HEAD', '/sign-in', { headers: html });
  await add('page 200 of signing in', 'GET', `/sign-in?next=${script}`, { headers: html });
  await add('page 200 of a link', 'GET', new URL(url).pathname, { headers: html });
  await add('page 200 of an invitation', 'GET', new URL(invited.invitationUrl).pathname, { headers: html });
  await add('page 303 of the start', 'GET', '/', { headers: html });
  await add('page 303 of a stranger', 'GET', `/organizations/1/meetings?page=${script}`, { headers: html });
  await add('page 400', 'POST', '/sign-in', { headers: { ...html, ...form }, body: 'x=1&x=2' });
  await add('page 403', 'POST', '/sign-in', {
    headers: { ...html, ...form, Origin: 'https://elsewhere.test' },
  });
  await add('page 404', 'GET', `/${script}`, { headers: html });
  await add('page 404 of a token', 'GET', `/login/${script}`.replace('</', '<%2F'), { headers: html });
  await add('page 404 that can’t be decoded', 'GET', '/login/%zz', { headers: html });
  await add('page 405', 'DELETE', '/sign-in', { headers: html });
  await add('page 405 of OPTIONS', 'OPTIONS', '/sign-in', { headers: html });
  await add('page 413', 'POST', '/sign-in', { headers: { ...html, ...form }, body: 'x'.repeat(30_000) });
  await add('page 415', 'POST', '/sign-in', { headers: html, body: script });
  await add('page 404 for programs', 'GET', '/sign-in', { headers: { Accept: 'application/json' } });
  await add('asset 200', 'GET', '/assets/default-avatar.svg');
  await add('asset 404', 'GET', `/assets/${script}`.replace('</', '<%2F'), { headers: html });
  await add('asset 404 for programs', 'GET', '/assets/nothing', { headers: { Accept: 'application/json' } });
  await add('asset 405 of OPTIONS', 'OPTIONS', '/assets/favicon.svg');
  await add('asset 405 of OPTIONS by a browser', 'OPTIONS', '/assets/favicon.svg', { headers: html });
  await add('asset 405', 'POST', '/assets/favicon.svg');
  await add('asset 404 for programs that ask what it can', 'OPTIONS', '/assets/favicon.svg', {
    headers: { Accept: 'application/json' },
  });
  const ill = site.replace('sessions', { find: () => Promise.reject(new Error(script)) });
  const other = secure.newToken('session').token.reveal();
  await add('page 500', 'GET', '/meetings', {
    headers: { ...html, Cookie: `session=${other}; __Host-session=${other}` },
  });
  ill();
  return answers;
}

for (const publicUrl of ['http://localhost:3000', 'https://rollcall.example.test']) {
  const isHttps = publicUrl.startsWith('https');
  describe(`Every class of answers at ${publicUrl}`, () => {
    let started: Started;
    let answers: ReadonlyMap<string, Bytes>;
    before(async () => {
      started = await start(publicUrl);
      answers = await everyAnswer(started);
    });
    after(() => started.site.stop());

    test('has the status in its name, so that none is missing', () => {
      const wrong = [...answers].filter(([name, { status }]) => {
        const said = /\d{3}/.exec(name)?.[0];
        return said !== undefined && String(status) !== said;
      });
      assert.deepEqual(
        wrong.map(([name, { status }]) => `${name}: ${status}`),
        [],
      );
    });

    test('has headers with the error code and the request id, HTML too', () => {
      const { ErrorCode } = openapi().components.schemas as { ErrorCode: { enum: readonly string[] } };
      for (const [name, { status, headers }] of answers) {
        // A file is the same for every client.
        if (status >= 400 || !name.startsWith('asset')) {
          assert.match(String(headers['x-request-id']), /^[\w.-]{1,128}$/, name);
        }
        const code = headers['x-error-code'];
        if (status < 400) assert.equal(code, undefined, name);
        else assert.ok(ErrorCode.enum.includes(String(code)), `${name}: ${code}`);
      }
    });

    test('is never run, framed, sniffed or named in a Referer', () => {
      for (const [name, { headers }] of answers) {
        assert.equal(headers['x-content-type-options'], 'nosniff', name);
        assert.equal(headers['x-frame-options'], 'DENY', name);
        assert.match(String(headers['content-security-policy']), /^default-src 'none';/, name);
        assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, name);
        assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*|https?:|data:/, name);
        assert.match(String(headers['referrer-policy']), /^(?:no-referrer|strict-origin)$/, name);
      }
    });

    test('is never stored, except public files', () => {
      for (const [name, { headers }] of answers) {
        const expected = name === 'asset 200' ? 'public, max-age=86400' : 'no-store';
        assert.equal(headers['cache-control'], expected, name);
      }
    });

    test('requires HTTPS if the service uses HTTPS, and only then', () => {
      for (const [name, { headers }] of answers) {
        const expected = isHttps ? /^max-age=31536000; includeSubDomains$/ : /^undefined$/;
        assert.match(String(headers['strict-transport-security']), expected, name);
      }
    });

    test('has a request id, and does not reveal the software', () => {
      for (const [name, { headers }] of answers) {
        assert.match(String(headers['x-request-id']), /^[\w-]{36}$/, name);
        for (const header of [
          'server',
          'x-powered-by',
          'via',
          'access-control-allow-origin',
          'set-cookie2',
        ]) {
          assert.equal(headers[header], undefined, `${name}: ${header}`);
        }
      }
    });

    test('sets cookies that scripts cannot read, other sites cannot send, and other hosts do not get', () => {
      let seen = 0;
      for (const { headers } of answers.values()) {
        for (const cookie of headers['set-cookie'] ?? []) {
          seen += 1;
          const end = isHttps ? '; HttpOnly; Secure; SameSite=Lax' : '; HttpOnly; SameSite=Lax';
          assert.ok(cookie.endsWith(`; Path=/${end}`), cookie);
          assert.equal(cookie.startsWith('__Host-'), isHttps);
          assert.doesNotMatch(cookie, /domain=/i);
        }
      }
      assert.ok(seen > 3);
    });

    test('is JSON from the API and HTML from the pages, with the right Content-Type', () => {
      for (const [name, { headers, text }] of answers) {
        const type = String(headers['content-type']);
        if (name === 'asset 200') assert.equal(type, 'image/svg+xml; charset=utf-8');
        else if (/(?:page|asset) \d{3}(?! for programs)/.test(name)) {
          assert.equal(type, 'text/html; charset=utf-8', name);
        } else {
          assert.equal(type, 'application/json; charset=utf-8', name);
          if (text !== '') assert.equal(typeof JSON.parse(text), 'object');
        }
      }
    });

    test('never contains sent or stored text as markup', () => {
      let shown = 0;
      for (const [name, { headers, text }] of answers) {
        if (!String(headers['content-type']).startsWith('text/html')) continue;
        assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/rollcall\.js)/, name);
        if (text.includes('&lt;script>')) shown += 1;
        assert.doesNotMatch(text, /<[^>]*\son\w+=|<(?:img|svg|iframe|object)[^>]*alert/, name);
        assert.match(
          text,
          /^(?:<!doctype html><html lang="en"(?: data-time-zone="UTC")?><head><meta charset="utf-8"\/>|<p>|<!DOCTYPE html>|$)/,
        );
      }
      assert.ok(shown >= 3, 'the names of organization and person are shown');
    });
  });
}

describe('No part of a request reaches the head of its answer', () => {
  let started: Started;
  before(async () => {
    started = await start('https://rollcall.example.test');
  });
  after(() => started.site.stop());

  const injected = 'x\r\nSet-Cookie: injected=1\r\nX-Injected: 1\r\n\r\n<html>';
  const spellings = [
    encodeURIComponent(injected),
    '%0d%0aX-Injected:%201',
    '%0aX-Injected:%201',
    '%0dX-Injected:%201',
    '%E5%98%8D%E5%98%8AX-Injected:%201',
    '%c4%8d%c4%8aX-Injected:%201',
    '%u000d%u000aX-Injected:%201',
    '%250d%250aX-Injected:%201',
  ];

  test('line breaks in URLs, in any encoding, do not split headers', async () => {
    const { site, token } = started;
    for (const spelling of spellings) {
      for (const path of [
        `/${spelling}`,
        `/sign-in?next=${spelling}`,
        `/sign-in?next=/meetings${spelling}`,
        `/meetings?page=${spelling}`,
        `/organizations/1${spelling}/meetings`,
        `/organizations/1/meetings?page=1${spelling}`,
        `/login/${spelling}`,
        `/assets/${spelling}`,
        `/api/v2/organizations/${spelling}/webhook`,
        `/api/v2/organizations/1/export_meetings?column=${spelling}`,
      ]) {
        for (const method of ['GET', 'POST']) {
          const headers = { ...html, Authorization: `Bearer ${token}` };
          const { rawHeaders, status } = await site.ask(method, path, { headers });
          assert.doesNotMatch(rawHeaders.join('\n'), /injected/i, path);
          assert.ok(status < 500);
        }
      }
    }
  });

  test('line breaks in forms and JSON do not split headers', async () => {
    const { site, token } = started;
    const page = await site.ask('GET', '/sign-in', { headers: html });
    const Cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]).join('; ');
    const { form_token = '' } = formFields(page.text);
    for (const spelling of spellings) {
      const credentials = `email=dana%40example.test&password=${encodeURIComponent(password)}`;
      const body = `form_token=${form_token}&${credentials}&next=%2Fmeetings${spelling}`;
      const { status, rawHeaders, headers } = await site.ask('POST', '/sign-in', {
        headers: { ...html, ...form, Cookie },
        body,
      });
      assert.doesNotMatch(rawHeaders.join('\n'), /injected/i);
      if (status !== 400) assert.deepEqual([status, headers.location], [303, '/meetings']);
      const invited = await site.ask('POST', '/api/v2/organizations/1/invite_user', {
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: `a@b.test${injected}`, first_name: injected, last_name: injected }),
      });
      assert.equal(invited.status, 400);
      assert.doesNotMatch(invited.rawHeaders.join('\n'), /injected/i);
    }
  });

  test('a request id that could break a line of the log or of the head is replaced', async () => {
    const { site } = started;
    for (const id of [script, 'a b', 'a\tb', 'ä', '', 'x'.repeat(129), '{jndi:ldap://x}', '"', '{}', 'a,b']) {
      const { headers } = await site.ask('GET', '/healthz', { headers: { 'X-Request-Id': id } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, id);
    }
    const kept = await site.ask('GET', '/healthz', { headers: { 'X-Request-Id': 'a-request.4711_x' } });
    assert.equal(kept.headers['x-request-id'], 'a-request.4711_x');
    const twice = await site.ask('GET', '/healthz', { headers: { 'X-Request-Id': ['a', 'b'] } });
    assert.match(String(twice.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  });

  test('invalid HTTP gets an answer of the same kind that does not repeat it', async () => {
    const { port } = started.site;
    for (const bytes of [
      `GET /${script} HTTP/9.9\r\n\r\n`,
      `${script}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\n${script}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: a\rX-Injected: 1\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `CONNECT ${script}:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]) {
      const text = await exchangeBytes(port, bytes);
      assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/rollcall\.js)|injected/i);
      const [reply] = parseReplies(text);
      assert.ok(reply !== undefined, bytes.slice(0, 60));
      checkAnswer({ method: 'RAW', path: '/', reply });
      const { 'content-security-policy': policy, 'x-frame-options': frame } = reply.headers;
      assert.match(`${policy} ${frame}`, /^default-src 'none'; ?frame-ancestors 'none' DENY$/);
      assert.equal(reply.headers['referrer-policy'], 'no-referrer');
    }
  });
});

describe('No header of a request changes a URL', () => {
  const publicUrl = 'https://rollcall.example.test';
  const evil = 'evil.test';
  let started: Started;
  before(async () => {
    started = await start(publicUrl);
  });
  after(() => started.site.stop());

  const games: readonly Readonly<Record<string, string>>[] = [
    { Host: evil },
    { Host: `${evil}:443` },
    { 'X-Forwarded-Host': evil, 'X-Forwarded-Proto': 'http', 'X-Forwarded-Port': '1' },
    { 'X-Host': evil, 'X-Forwarded-Server': evil, 'X-Original-Host': evil, 'X-HTTP-Host-Override': evil },
    { Forwarded: `host=${evil};proto=http;for=1.2.3.4` },
    { 'X-Original-URL': `//${evil}/`, 'X-Rewrite-URL': `//${evil}/`, 'X-Forwarded-Prefix': `//${evil}` },
    { Origin: `https://${evil}`, Referer: `https://${evil}/` },
  ];

  test('an invalid Host is refused everywhere, and not repeated', async () => {
    const { site } = started;
    for (const Host of [`rollcall.example.test@${evil}`, `${evil}/x?y#z`, 'x"><script>']) {
      for (const path of ['/', '/sign-in', '/openapi.json', '/api/v2/organizations/1/webhook', '/no/page']) {
        const { status, text, rawHeaders } = await site.ask('GET', path, { headers: { ...html, Host } });
        assert.equal(status, 400, `${Host} ${path}`);
        assert.doesNotMatch(`${rawHeaders.join('\n')}\n${text}`, /evil|script/i);
      }
    }
  });

  test('links, the document, pages and redirects have PUBLIC_URL or no host at all', async () => {
    const { site, token, session } = started;
    let invited = 0;
    for (const game of games) {
      const json = { ...game, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const base = '/api/v2/organizations/1';
      invited += 1;
      const person = { email: `p${invited}@example.test`, first_name: 'A', last_name: 'B' };
      const invite = await site.ask('POST', `${base}/invite_user`, {
        headers: json,
        body: JSON.stringify(person),
      });
      const link = await site.ask('POST', `${base}/users/${testUuid(1)}/generate_otl_url`, { headers: json });
      const document = await site.ask('GET', '/openapi.json', { headers: game });
      const { invitation_url } = JSON.parse(invite.text).user;
      const { otl_url } = JSON.parse(link.text);
      assert.match(invitation_url, /^https:\/\/rollcall\.example\.test\/invitations\/[\w.-]+$/);
      assert.match(otl_url, /^https:\/\/rollcall\.example\.test\/login\/[\w.-]+$/);
      assert.deepEqual(JSON.parse(document.text).servers, [{ url: `${publicUrl}/api/v2` }]);

      const browser = { ...html, ...game, Cookie: `__Host-session=${session}` };
      for (const path of ['/', '/sign-in', '/meetings', '/organizations/1/meetings', '/no/page']) {
        const { text, headers, rawHeaders } = await site.ask('GET', path, { headers: browser });
        assert.doesNotMatch(`${rawHeaders.join('\n')}\n${text}`, /evil/i);
        assert.match(headers.location ?? '/', /^\/[a-z]*(?:\/1\/meetings)?$/);
      }
    }
  });

  test('a form is accepted from PUBLIC_URL, and not from an origin that only a header names', async () => {
    const { site } = started;
    const page = await site.ask('GET', '/sign-in', { headers: html });
    const Cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]).join('; ');
    const { form_token = '' } = formFields(page.text);
    const credentials = { form_token, email: 'dana@example.test', password: 'wrong one here' };
    const body = new URLSearchParams(credentials).toString();
    const send = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await site.ask('POST', '/sign-in', { headers: { ...html, ...form, Cookie, ...headers }, body }))
        .status;
    assert.equal(await send({ Origin: publicUrl, Host: evil }), 422);
    for (const Origin of [
      `https://${evil}`,
      'http://rollcall.example.test',
      'https://rollcall.example.test:8443',
      `https://rollcall.example.test.${evil}`,
      `https://${evil}/rollcall.example.test`,
      'https://rollcall.example.test@evil.test',
      'https://ROLLCALL.example.test.',
      'null',
      '',
      'file://',
      'https://rollcall.example.test https://evil.test',
    ]) {
      const { host = evil } = URL.canParse(Origin) ? new URL(Origin) : {};
      const games = [{ Origin }, { Origin, Host: host }, { Origin, 'X-Forwarded-Host': host }];
      for (const game of games) assert.equal(await send(game), 403, Origin);
    }
  });

  test('no URL redirects to another site: not before or after signing in, and not with a path that looks like a host', async () => {
    const { site } = started;
    const elsewhere = [
      `https://${evil}/`,
      `//${evil}/`,
      `///${evil}/`,
      `/\\${evil}/`,
      `\\\\${evil}\\`,
      `/%2f${evil}/`,
      `/meetings/../..//${evil}`,
      `/meetings@${evil}`,
      `/meetings.${evil}`,
      `/organizations/1/meetings/..//${evil}`,
      `/organizations/1/meetings?page=1//${evil}`,
      `/organizations/1/meetings#//${evil}`,
      `/meetings\t//${evil}`,
      ` /meetings`,
      `javascript:alert(1)`,
      `data:text/html,x`,
      `https:/meetings`,
      `/meetings\r\nLocation: //${evil}`,
      '/sign-out',
      '/login/x',
    ];
    for (const next of elsewhere) {
      const page = await site.ask('GET', `/sign-in?next=${encodeURIComponent(next)}`, { headers: html });
      assert.equal(formFields(page.text).next, undefined, next);
      const Cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]).join('; ');
      const { form_token = '' } = formFields(page.text);
      const body = new URLSearchParams({ form_token, email: 'dana@example.test', password, next }).toString();
      const sent = await site.ask('POST', '/sign-in', { headers: { ...html, ...form, Cookie }, body });
      assert.deepEqual([sent.status, sent.headers.location], [303, '/meetings'], next);
    }
    for (const path of [
      `//${evil}/`,
      `//${evil}/meetings`,
      `/\\${evil}`,
      `/%5c${evil}`,
      `/.//${evil}`,
      '//meetings',
    ]) {
      for (const target of [path, `http://${evil}${path}`]) {
        const bytes = `GET ${target} HTTP/1.1\r\nHost: ${evil}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
        const text = await exchangeBytes(site.port, bytes);
        assert.match(text, /^HTTP\/1\.1 (?:404|400) /, target);
        assert.doesNotMatch(text, /^location:.*$/im);
        assert.doesNotMatch(text, /evil/);
      }
    }
    const absolute = `GET http://${evil}/meetings HTTP/1.1\r\nHost: ${evil}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
    assert.match(
      await exchangeBytes(site.port, absolute),
      /^HTTP\/1\.1 303 [\s\S]*\r\nLocation: \/sign-in\r\n/,
    );
  });
});
