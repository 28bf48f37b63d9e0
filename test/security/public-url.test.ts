import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { formFields } from '../support/page/client.js';
import {
  type AnsweringSite,
  form,
  html,
  password,
  startAnsweringSite,
} from '../support/security/answering-site.js';

describe('No header of a request changes a URL', () => {
  const publicUrl = 'https://rollcall.example.test';
  const evil = 'evil.test';
  let started: AnsweringSite;
  before(async () => {
    started = await startAnsweringSite(publicUrl);
  });
  after(() => started.site.stop());

  const forgeries: readonly Readonly<Record<string, string>>[] = [
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
        const { status, text, rawHeaders } = await site.send('GET', path, { headers: { ...html, Host } });
        assert.equal(status, 400, `${Host} ${path}`);
        assert.doesNotMatch(`${rawHeaders.join('\n')}\n${text}`, /evil\.|script>/i);
      }
    }
  });

  test('links, the document, pages and redirects have PUBLIC_URL or no host at all', async () => {
    const { site, token, session } = started;
    let invited = 0;
    for (const forged of forgeries) {
      const json = { ...forged, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const base = '/api/v2/organizations/1';
      invited += 1;
      const person = { email: `p${invited}@example.test`, first_name: 'A', last_name: 'B' };
      const invite = await site.send('POST', `${base}/invite_user`, {
        headers: json,
        body: JSON.stringify(person),
      });
      const link = await site.send('POST', `${base}/users/${testUuid(1)}/generate_otl_url`, {
        headers: json,
      });
      const document = await site.send('GET', '/openapi.json', { headers: forged });
      const { invitation_url } = JSON.parse(invite.text).user;
      const { otl_url } = JSON.parse(link.text);
      assert.match(invitation_url, /^https:\/\/rollcall\.example\.test\/invitations\/[\w.-]+$/);
      assert.match(otl_url, /^https:\/\/rollcall\.example\.test\/login\/[\w.-]+$/);
      assert.deepEqual(JSON.parse(document.text).servers, [{ url: `${publicUrl}/api/v2` }]);

      const browser = { ...html, ...forged, Cookie: `__Host-session=${session}` };
      for (const path of ['/', '/sign-in', '/meetings', '/organizations/1/meetings', '/no/page']) {
        const { text, headers, rawHeaders } = await site.send('GET', path, { headers: browser });
        assert.doesNotMatch(`${rawHeaders.join('\n')}\n${text}`, /evil\./i);
        assert.match(headers.location ?? '/', /^\/[a-z]*(?:\/1\/meetings)?$/);
      }
    }
  });

  test('no URL redirects to another site: not before or after signing in, and not with a path that looks like a host', async () => {
    const { site } = started;
    const otherSites = [
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
      `/organizations/1/meetings?page=1&next=//${evil}`,
      '/organizations/01/meetings',
      '/meetings\n',
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
    for (const next of otherSites) {
      const page = await site.send('GET', `/sign-in?next=${encodeURIComponent(next)}`, { headers: html });
      assert.equal(formFields(page.text).next, undefined, next);
      const Cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]).join('; ');
      const { form_token = '' } = formFields(page.text);
      const body = new URLSearchParams({ form_token, email: 'dana@example.test', password, next }).toString();
      const sent = await site.send('POST', '/sign-in', { headers: { ...html, ...form, Cookie }, body });
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
        const text = await site.client.raw(bytes);
        assert.match(text, /^HTTP\/1\.1 (?:404|400) /, target);
        assert.doesNotMatch(text, /^location:.*$/im);
        assert.doesNotMatch(text, /evil\./);
      }
    }
    const absolute = `GET http://${evil}/meetings HTTP/1.1\r\nHost: ${evil}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
    assert.match(await site.client.raw(absolute), /^HTTP\/1\.1 303 [\s\S]*\r\nLocation: \/sign-in\r\n/);
  });
});
