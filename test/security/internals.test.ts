import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { testUuid } from '@rollcall/core/testing';
import { startSite } from '../support/security/site.js';
import { foundInternals } from '../support/security/traces.js';

describe('Public answers', () => {
  test('/openapi.json, /readyz, /healthz and the pages do not reveal how the service is built', async (t) => {
    const site = await startSite({ database: 'sqlite' });
    t.after(() => site.stop());
    for (const path of [
      '/openapi.json',
      '/readyz',
      '/healthz',
      '/sign-in',
      '/no/page',
      '/assets/rollcall.css',
    ]) {
      const { text, rawHeaders } = await site.send('GET', path, { headers: { Accept: 'text/html,*/*' } });
      assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), [], path);
      assert.doesNotMatch(rawHeaders.join('\n'), /^(?:server|x-powered-by|via)$/im);
    }
    const { version } = openapi().info;
    const { text } = await site.send('GET', '/openapi.json');
    assert.equal(JSON.parse(text).info.version, version, 'the version of the interface, not of the program');
  });

  test('an internal failure reveals nothing', async (t) => {
    const site = await startSite({
      app: { ready: () => Promise.reject(new Error('connect ECONNREFUSED /var/lib/postgres:5432')) },
    });
    t.after(() => site.stop());
    const bug = () => {
      const error = new TypeError('SELECT password_hash FROM users WHERE secret = 1 at /srv/x.js:1:2');
      return Promise.reject(Object.assign(error, { code: 'SQLITE_ERROR', sql: 'SELECT 1', status: 599 }));
    };
    site.replace('organizations', { byAccessKeyHash: bug, byId: bug });
    site.replace('sessions', { find: bug });
    site.replace('invitations', { byId: bug });
    const { keyring, ports, clock } = site;
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const claims = { organizationId: 1, generation: 1, issuedAt: clock.now(), expiresAt };
    const token = (await ports.tokens.issue(claims)).reveal();
    const session = ports.secrets.newToken('session').token.reveal();
    const id = testUuid(1);
    const invitation = ports.secrets.invitationToken({ id, keyId: keyring.current.id }).reveal();
    const json = { 'Content-Type': 'application/json' };
    const html = { Accept: 'text/html', Cookie: `3000-session=${session}` };
    const key = JSON.stringify({ access_key: '1'.repeat(24) });
    const answers = [
      await site.send('POST', '/api/v2/authenticate', { headers: json, body: key }),
      await site.send('GET', '/api/v2/organizations/1/webhook', {
        headers: { Authorization: `Bearer ${token}` },
      }),
      await site.send('GET', '/api/v2/organizations/1/export_meetings', {
        headers: { Authorization: `Bearer ${token}` },
      }),
      await site.send('GET', '/readyz'),
      await site.send('GET', '/meetings', { headers: html }),
      await site.send('GET', `/invitations/${invitation}`, { headers: html }),
      await site.send('GET', `/invitations/${invitation}`, { headers: { Accept: 'text/html;q=0.5' } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 500, 400, 503, 500, 500, 500],
    );
    for (const { text, rawHeaders } of answers) {
      assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), []);
    }
    assert.ok(site.reports.length >= 5);
  });
});
