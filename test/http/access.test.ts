import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import type { Sent } from '../support/http/client.js';
import { pathOf, securedCalls } from '../support/http/operations.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { HttpService } from '../support/http/service.js';

const unauthorized = '{"error":"Unauthorized Access"}';
const notAuthorized = '{"error":"Not Authorized"}';

apiSuite((service) => {
  for (const { id, method, path, sent } of securedCalls) {
    const call = (organizationId: number | string, headers: Sent['headers'] = {}) =>
      service().client.send(method, pathOf(organizationId, path), { ...sent, headers });

    describe(`${id}: who may call it (5)`, () => {
      test('no token: 401 Unauthorized Access', async () => {
        const organization = await service().organization();
        const { status, text, headers } = await call(organization.id);
        assert.deepEqual([status, text], [401, unauthorized]);
        assert.equal(headers['x-error-code'], 'unauthorized-access');
      });

      test('a token of another organization: 401 Not Authorized, as for one that does not exist', async () => {
        const [own, other] = [await service().organization(), await service().organization()];
        const headers = { Authorization: `Bearer ${own.token}` };
        const replies = await Promise.all([other.id, 999_999_999].map((other) => call(other, headers)));
        for (const { status, text, headers } of replies) {
          assert.deepEqual([status, text], [401, notAuthorized]);
          assert.equal(headers['x-error-code'], 'not-authorized');
        }
      });

      test('a number that is not spelled exactly like the organization’s: 401 Not Authorized (decision 142)', async () => {
        const { id, token } = await service().organization();
        const headers = { Authorization: `Bearer ${token}` };
        const spellings = [`0${id}`, `${id}.0`, `+${id}`, `%20${id}`, `${id}%00`, `-${id}`, 'abc', `${id}e0`];
        spellings.push(`${2n ** 63n}`, '%F0%9F%98%80', `${id}%2F..%2F${id}`, '0x1', '%D9%A1');
        for (const spelling of spellings) {
          const { status, text } = await call(spelling, headers);
          assert.deepEqual([spelling, status, text], [spelling, 401, notAuthorized]);
        }
      });
    });
  }

  describe('The bearer token (5)', () => {
    const get = async (headers: Sent['headers'], id: number) => {
      const { status, text } = await service().client.send('GET', pathOf(id, '/webhook'), {
        headers: headers ?? {},
      });
      return `${status} ${text}`;
    };

    test('a 401 names the scheme, and an error if a token was sent (RFC 6750)', async () => {
      const { id, token } = await service().organization();
      const challengeOf = async (given: Sent['headers'], own: number | string = id) => {
        const { status, headers } = await service().client.send('GET', pathOf(own, '/webhook'), {
          headers: given ?? {},
        });
        assert.equal(status, 401);
        return headers['www-authenticate'];
      };
      const none = 'Bearer realm="api"';
      const wrong = 'Bearer realm="api", error="invalid_token"';
      assert.equal(await challengeOf({}), none);
      for (const Authorization of ['', 'Bearer', 'Bearer ', 'Basic eDp5', token, `Bearer${token}`])
        assert.equal(await challengeOf({ Authorization }), none, Authorization);
      for (const Authorization of [
        'Bearer x',
        'bearer  x',
        `Bearer ${token} x`,
        ['Basic eDp5', `Bearer ${token}`],
      ])
        assert.equal(await challengeOf({ Authorization }), wrong, String(Authorization));
      assert.equal(await challengeOf({ Authorization: `Bearer ${token}` }, 999_999_999), wrong);
    });

    test('a token of an organization that does not exist: 401 Unauthorized Access, whatever the URL names', async () => {
      const { id } = await service().organization();
      const token = await tokenFor(service(), { organizationId: 999_999_999, generation: 1 });
      assert.equal(await get({ Authorization: `Bearer ${token}` }, 999_999_999), `401 ${unauthorized}`);
      assert.equal(await get({ Authorization: `Bearer ${token}` }, id), `401 ${unauthorized}`);
    });
  });
});

async function tokenFor(
  { ports, clock }: HttpService,
  claims: { readonly organizationId: number; readonly generation: number },
): Promise<string> {
  const issuedAt = clock.now();
  const token = await ports.tokens.issue({
    ...claims,
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + 60_000),
  });
  return token.reveal();
}

testSeenAnswers('access');
