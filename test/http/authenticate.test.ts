import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import type { Sent } from '../support/http/client.js';
import { startFor } from '../support/http/raw.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { apiBase } from '../support/http/service.js';
import { wrongKeyLimit } from '../support/wrong-key-limit.js';

const path = `${apiBase}/authenticate`;
const wrongKey = '000000000000000000000000';

apiSuite((service) => {
  const authenticate = (sent: Sent) => service().client.send('POST', path, sent);

  describe('POST /authenticate (4.1, 5)', () => {
    test('answers a JWT for the access key of the organization', async () => {
      const { accessKey, get } = await service().organization();
      const { status, json } = await authenticate({ json: { access_key: accessKey } });
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ['token']);
      const reply = await get('/webhook', { headers: { Authorization: `Bearer ${json.token}` } });
      assert.equal(reply.status, 200);
    });

    test('a new access key revokes the old one and every token issued with it (decision 23)', async () => {
      const { id, accessKey, get } = await service().organization();
      const fresh = await service().core.generateAccessKey({ organizationId: id });
      assert.equal((await authenticate({ json: { access_key: accessKey } })).status, 401);
      assert.equal((await get('/webhook')).text, '{"error":"Unauthorized Access"}');
      const { json } = await authenticate({ json: { access_key: fresh.accessKey.reveal() } });
      const reply = await get('/webhook', { headers: { Authorization: `Bearer ${json.token}` } });
      assert.equal(reply.status, 200);
    });

    const bad: Readonly<Record<string, unknown>> = {
      'a wrong key': { access_key: wrongKey },
      'no key': {},
      'a number as the key': { access_key: 111111111111111 },
      'a list as the key': { access_key: [wrongKey] },
      'a key of 23 digits': { access_key: '1'.repeat(23) },
      'a key with a line break': { access_key: `${'1'.repeat(24)}\n` },
      'a key of the prototype': JSON.parse('{"__proto__":{"access_key":"111111111111111111111111"}}'),
      'a list as the body': [],
      'a string as the body': wrongKey,
      'null as the body': null,
    };
    for (const [name, json] of Object.entries(bad)) {
      test(`${name}: 401 Invalid Access Key (decision 31)`, async () => {
        const reply = await authenticate({ json });
        assert.equal(reply.status, 401);
        assert.equal(reply.text, '{"error":"Invalid Access Key"}');
        assert.equal(reply.headers['x-error-code'], 'invalid-access-key');
      });
    }

    test('no body at all: 401 Invalid Access Key (decision 31)', async () => {
      assert.equal((await authenticate({})).text, '{"error":"Invalid Access Key"}');
    });

    test('needs no token, and ignores one', async () => {
      const { accessKey } = await service().organization();
      const headers = { Authorization: 'Bearer nonsense' };
      assert.equal((await authenticate({ json: { access_key: accessKey }, headers })).status, 200);
      const refused = await authenticate({ json: { access_key: wrongKey }, headers });
      assert.equal(refused.headers['www-authenticate'], 'Bearer realm="api"');
    });

    test('reads JSON only: a form is 415', async () => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const { status, json } = await authenticate({ headers, body: `access_key=${wrongKey}` });
      assert.equal(status, 415);
      assert.equal(json.error, 'Content-Type must be application/json');
    });
  });
});

describe('The limit of wrong access keys (decision 31)', () => {
  const from = (address: string): Sent => ({ headers: { 'X-Forwarded-For': address } });

  test('the 101st wrong key in a minute is 429 with Retry-After, from that address only', async (t) => {
    const service = await startFor(t, { app: { trustProxy: true } });
    const { accessKey } = await service.organization();
    const send = (address: string, key: string) =>
      service.client.send('POST', path, { ...from(address), json: { access_key: key } });

    for (let count = 0; count < 100; count += 1)
      assert.equal((await send('192.0.2.1', wrongKey)).status, 401);
    const limited = await send('192.0.2.1', wrongKey);
    assert.equal(limited.status, 429);
    assert.equal(limited.headers['x-error-code'], 'too-many-requests');
    assert.equal(limited.headers['retry-after'], '60');
    assert.equal((await send('192.0.2.1', accessKey)).status, 429);
    assert.equal((await send('192.0.2.2', wrongKey)).status, 401);
    assert.equal((await send('192.0.2.2', accessKey)).status, 200);

    service.clock.advance(60_000);
    assert.equal((await send('192.0.2.1', accessKey)).status, 200);
  });

  test('a trusted proxy is recognized even if it writes ports', async (t) => {
    const service = await startFor(t, {
      app: { trustProxy: ['loopback', '10.0.0.0/8'] },
      settings: wrongKeyLimit(1),
    });
    const statuses: number[] = [];
    for (const client of ['192.0.2.1:1', '192.0.2.2:2', '192.0.2.2:3', '192.0.2.2:4']) {
      const sent = { ...from(`${client}, 10.0.0.5:1234`), json: { access_key: wrongKey } };
      statuses.push((await service.client.send('POST', path, sent)).status);
    }
    assert.deepEqual(statuses, [401, 401, 429, 429]);
  });

  test('X-Forwarded-For is ignored unless a proxy is trusted', async (t) => {
    const service = await startFor(t, { settings: wrongKeyLimit(1) });
    const statuses: number[] = [];
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const sent = { ...from(address), json: { access_key: wrongKey } };
      statuses.push((await service.client.send('POST', path, sent)).status);
    }
    assert.deepEqual(statuses, [401, 429, 429]);
  });
});

testSeenAnswers('authenticate');
