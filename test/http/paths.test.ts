import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { apiSuite } from '../support/http/api-suite.js';
import { pathOf } from '../support/http/operations.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { apiBase } from '../support/http/service.js';

// No answer here depends on what is stored.
apiSuite((service) => {
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    service().client.send(method, path, { headers });

  describe('Paths and methods (decision 25)', () => {
    for (const [path, allow] of documentedPaths()) {
      test(`${path} answers 405 with Allow: ${allow} to every other method`, async () => {
        for (const method of [
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
          'QUERY',
        ]) {
          if (allow.split(', ').includes(method) || method === 'QUERY') continue;
          const { status, headers } = await send(method, path);
          assert.deepEqual([method, status, headers['x-error-code']], [method, 405, 'method-not-allowed']);
          assert.equal(headers.allow, allow);
        }
      });
    }

    const unknown = [
      '/api',
      '/api/',
      '/api/v1/authenticate',
      '/api/v2',
      '/api/v2/',
      '/api/v2/nothing',
      '/api/v2/authenticate/',
      '/api/v2/Authenticate',
      '/API/v2/authenticate',
      '/api/v2//authenticate',
      '/api/v2/organizations',
      '/api/v2/organizations/1',
      '/api/v2/organizations/1/webhook/',
      '/api/v2/organizations//webhook',
      '/api/v2/organizations/1/2/webhook',
      '/api/v2/organizations/1/export_meetings.json',
      '/authenticate',
      '/nothing',
      '/healthz/',
      '/.env',
      '/?x',
    ];
    for (const path of unknown) {
      test(`${path}: 404 as JSON, with or without a token`, async () => {
        const { token } = await service().organization();
        for (const headers of [{}, { Authorization: `Bearer ${token}`, Accept: 'text/html' }]) {
          for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
            const { status, text } = await send(method, path, headers);
            assert.deepEqual([method, status, text], [method, 404, '{"error":"Not Found"}']);
          }
        }
      });
    }

    test('a path that cannot be decoded: the token is checked first (decision 142)', async () => {
      const { id, token } = await service().organization();
      const bearer = { Authorization: `Bearer ${token}` };
      const outcomeOf = async (path: string, headers = {}, method = 'GET') => {
        const { status, headers: replyHeaders } = await send(method, path, headers);
        return `${status} ${replyHeaders['x-error-code']}`;
      };
      for (const broken of ['%zz', '%', '%ff', '%ed%a0%80']) {
        const member = pathOf(id, `/members/${broken}/upcoming_meetings`);
        assert.equal(await outcomeOf(pathOf(broken, '/webhook')), '401 unauthorized-access');
        assert.equal(await outcomeOf(member), '401 unauthorized-access');
        assert.equal(await outcomeOf(pathOf(broken, '/webhook'), bearer), '401 not-authorized');
        assert.equal(
          await outcomeOf(pathOf(id + 1, '/members/%zz/upcoming_meetings'), bearer),
          '401 not-authorized',
        );
        assert.equal(await outcomeOf(member, bearer), '400 invalid-request');
        const link = pathOf(id, `/users/${broken}/generate_otl_url`);
        assert.equal(await outcomeOf(link, {}, 'POST'), '401 unauthorized-access');
        assert.equal(await outcomeOf(link, bearer, 'POST'), '400 invalid-request');
        assert.equal(await outcomeOf(pathOf(broken, '/webhook'), {}, 'DELETE'), '405 method-not-allowed');
        assert.equal(await outcomeOf(pathOf(broken, '/nothing')), '404 unknown-path');
      }
    });

    test('X-HTTP-Method-Override and _method are ignored', async () => {
      const { get, id } = await service().organization();
      const headers = {
        'X-HTTP-Method-Override': 'DELETE',
        'X-HTTP-Method': 'DELETE',
        'X-Method-Override': 'DELETE',
      };
      assert.equal((await get('/webhook?_method=DELETE', { headers })).status, 200);
      assert.equal(
        (await send('DELETE', pathOf(id, '/webhook'), { 'X-HTTP-Method-Override': 'GET' })).status,
        405,
      );
    });
  });
});

testSeenAnswers('paths');

/** A path of each kind in openapi.yaml, with the methods that it has. */
function documentedPaths(): readonly (readonly [path: string, allow: string])[] {
  return Object.entries(openapi().paths).map(([template, item]) => {
    const path = template.replace(/(?<=^\/organizations\/)\{\w+\}/, '1').replaceAll(/\{\w+\}/g, 'x');
    const methods = ['get', 'post', 'patch', 'delete'].filter((method) => method in item);
    const allow = methods.join(', ').toUpperCase().replace('GET', 'GET, HEAD');
    return [/^\/(?:authenticate|organizations)/.test(path) ? `${apiBase}${path}` : path, allow];
  });
}
