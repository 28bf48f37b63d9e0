import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { testUuid } from '@rollcall/core/testing';
import type { Bytes, Sent } from '../support/http/client.js';
import {
  type AnsweringSite,
  form,
  html,
  script,
  startAnsweringSite,
} from '../support/security/answering-site.js';
import { foundInternals } from '../support/security/traces.js';

const bug = Object.assign(
  new TypeError(`${script} SELECT password_hash FROM users WHERE secret = 1 at /srv/x.js:1:2`),
  { code: 'SQLITE_ERROR', sql: 'SELECT 1', status: 599 },
);

/** One answer of every kind, by a name that contains its status. */
async function everyAnswer({ site, token, session }: AnsweringSite): Promise<ReadonlyMap<string, Bytes>> {
  const answers = new Map<string, Bytes>();
  const { secrets } = site.ports;
  const add = async (name: string, method: string, path: string, sent: Sent = {}): Promise<void> => {
    assert.ok(!answers.has(name), name);
    answers.set(name, await site.send(method, path, sent));
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
  await add('404 below the API', 'GET', `/api/v2/${script}`);
  await add('404 below the API for a browser', 'GET', `/api/${script}`, { headers: html });
  await add('404 elsewhere', 'GET', `/${script}`);
  await add('405', 'DELETE', `${base}/webhook`, { headers: bearer });
  await add('405 of OPTIONS', 'OPTIONS', `${base}/webhook`, {
    headers: { Origin: 'https://elsewhere.test' },
  });
  await add('405 of TRACE', 'TRACE', `${base}/webhook`, { headers: bearer });
  await add('404 of OPTIONS', 'OPTIONS', '/api/v2/nothing');
  await add('404 of TRACE', 'TRACE', '/nothing');
  await add('405 outside the API', 'POST', '/healthz');
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
  const restoreWebhooks = site.replace('webhooks', { of: () => Promise.reject(bug) });
  await add('500', 'GET', `${base}/webhook`, { headers: bearer });
  restoreWebhooks();

  const cookie = { ...html, Cookie: `3000-session=${session}; __Host-session=${session}` };
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
  await add('asset 404 for programs by OPTIONS', 'OPTIONS', '/assets/favicon.svg', {
    headers: { Accept: 'application/json' },
  });
  const restoreSessions = site.replace('sessions', { find: () => Promise.reject(bug) });
  const other = secrets.newToken('session').token.reveal();
  await add('page 500', 'GET', '/meetings', {
    headers: { ...html, Cookie: `3000-session=${other}; __Host-session=${other}` },
  });
  restoreSessions();
  return answers;
}

for (const publicUrl of ['http://localhost:3000', 'https://rollcall.example.test']) {
  const isHttps = publicUrl.startsWith('https');
  describe(`Every kind of answer at ${publicUrl}`, () => {
    let started: AnsweringSite;
    let answers: ReadonlyMap<string, Bytes>;
    before(async () => {
      started = await startAnsweringSite(publicUrl);
      answers = await everyAnswer(started);
    });
    after(() => started.site.stop());

    test('has the status in its name', () => {
      const wrong = [...answers].filter(([name, { status }]) => {
        const statusInName = /\d{3}/.exec(name)?.[0];
        return statusInName !== undefined && String(status) !== statusInName;
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

    test('forbids scripts, frames and content sniffing, and sends no Referer with a path', () => {
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

    test('has a request id, and does not reveal the software, how it is built, or why it failed', () => {
      for (const [name, { headers, rawHeaders, text }] of answers) {
        assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), [], name);
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
          /^(?:<!doctype html><html lang="en"(?: data-time-zone="UTC")?(?: data-session-ends-in="\d+")?><head><meta charset="utf-8"\/>|<p>|<!DOCTYPE html>|$)/,
        );
      }
      assert.ok(shown >= 3, 'the names of organization and person are shown');
    });
  });
}
