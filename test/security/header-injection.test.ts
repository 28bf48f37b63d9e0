import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseReplies } from '../support/http/client.js';
import { checkAnswer } from '../support/http/contract.js';
import { formFields } from '../support/page/client.js';
import {
  type AnsweringSite,
  form,
  html,
  password,
  script,
  startAnsweringSite,
} from '../support/security/answering-site.js';

describe('No part of a request reaches the head of its answer', () => {
  let started: AnsweringSite;
  before(async () => {
    started = await startAnsweringSite('https://rollcall.example.test');
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
          const { rawHeaders, status } = await site.send(method, path, { headers });
          // The sign-in page leads back to the address, which is one encoded value.
          const head = rawHeaders.join('\n').replace(/^\/sign-in\?next=[\w%.~-]*$/m, '');
          assert.doesNotMatch(head, /injected/i, path);
          assert.ok(status < 500);
        }
      }
    }
  });

  test('line breaks in forms and JSON do not split headers', async () => {
    const { site, token } = started;
    const page = await site.send('GET', '/sign-in', { headers: html });
    const Cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]).join('; ');
    const { form_token = '' } = formFields(page.text);
    for (const spelling of spellings) {
      const credentials = `email=dana%40example.test&password=${encodeURIComponent(password)}`;
      const body = `form_token=${form_token}&${credentials}&next=%2Fmeetings${spelling}`;
      const { status, rawHeaders, headers } = await site.send('POST', '/sign-in', {
        headers: { ...html, ...form, Cookie },
        body,
      });
      assert.doesNotMatch(rawHeaders.join('\n'), /injected/i);
      if (status !== 400) assert.deepEqual([status, headers.location], [303, '/meetings']);
      const invited = await site.send('POST', '/api/v2/organizations/1/invite_user', {
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: `a@b.test${injected}`, first_name: injected, last_name: injected }),
      });
      assert.equal(invited.status, 400);
      assert.doesNotMatch(invited.rawHeaders.join('\n'), /injected/i);
    }
  });

  test('invalid HTTP gets an error answer that does not repeat it', async () => {
    for (const bytes of [
      `GET /${script} HTTP/9.9\r\n\r\n`,
      `${script}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\n${script}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: a\rX-Injected: 1\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `CONNECT ${script}:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]) {
      const text = await started.site.client.raw(bytes);
      assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/rollcall\.js)|injected/i);
      const [reply] = parseReplies(text);
      assert.ok(reply !== undefined, bytes.slice(0, 60));
      checkAnswer({ method: 'RAW', path: '/', reply });
      const { 'content-security-policy': policy, 'x-frame-options': frame } = reply.headers;
      assert.match(
        `${policy} ${frame}`,
        /^default-src 'none'; ?base-uri 'none'; ?frame-ancestors 'none' DENY$/,
      );
      assert.equal(reply.headers['referrer-policy'], 'no-referrer');
    }
  });
});
