import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';

// No answer here depends on what is stored.
apiSuite((service) => {
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    service().client.send(method, path, { headers });

  describe('The headers of every answer', () => {
    test('have a new request id, or the client’s if it is plain text', async () => {
      const ids = new Set<unknown>();
      for (let count = 0; count < 5; count += 1)
        ids.add((await send('GET', '/healthz')).headers['x-request-id']);
      assert.equal(ids.size, 5);
      for (const id of ['a', 'trace-1.2_3', 'x'.repeat(128)]) {
        assert.equal((await send('GET', '/nothing', { 'X-Request-Id': id })).headers['x-request-id'], id);
      }
      for (const id of ['', 'a b', 'x'.repeat(129), '<script>', 'ä', 'a,b', '"']) {
        const { headers } = await send('GET', '/healthz', { 'X-Request-Id': id });
        assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, id);
      }
    });

    test('ignore two request ids of a client', async () => {
      const { headers } = await service().client.send('GET', '/healthz', {
        headers: { 'X-Request-Id': ['a', 'b'] },
      });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    });

    test('never come with a 304', async () => {
      const { get } = await service().organization();
      const headers = {
        'If-None-Match': '*',
        'If-Modified-Since': new Date(2_000_000_000_000).toUTCString(),
      };
      assert.equal((await get('/webhook', { headers })).status, 200);
    });
  });
});
