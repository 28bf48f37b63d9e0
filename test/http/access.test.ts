import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
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

    test('the scheme may be in any case', async () => {
      const { id, token } = await service().organization();
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        assert.match(await get({ Authorization: `${scheme} ${token}` }, id), /^200/);
      }
    });

    test('two Authorization headers: 401, even when both are right', async () => {
      const { id, token } = await service().organization();
      const right = `Bearer ${token}`;
      for (const Authorization of [
        [right, right],
        ['Basic eDp5', right],
        [right, 'Bearer x'],
      ]) {
        assert.equal(await get({ Authorization }, id), `401 ${unauthorized}`);
      }
      assert.equal(await get({ Authorization: `${right}, ${right}` }, id), `401 ${unauthorized}`);
    });

    test('another scheme, an empty header, no token, two tokens: 401', async () => {
      const { id, token } = await service().organization();
      const headers = [
        '',
        'Bearer',
        'Bearer ',
        `Basic ${token}`,
        token,
        `Bearer ${token} ${token}`,
        `Bearer "${token}"`,
      ];
      for (const Authorization of headers) {
        assert.equal(await get({ Authorization }, id), `401 ${unauthorized}`, Authorization);
      }
    });

    test('a token in the URL or in a cookie is not read', async () => {
      const { id, token } = await service().organization();
      const path = pathOf(id, `/webhook?access_token=${token}&token=${token}`);
      const { status } = await service().client.send('GET', path, { headers: { Cookie: `token=${token}` } });
      assert.equal(status, 401);
    });

    test('a forged token: 401', async () => {
      const { id, token } = await service().organization();
      for (const [name, forged] of Object.entries(await forgeries(service(), { id, token }))) {
        assert.equal(await get({ Authorization: `Bearer ${forged}` }, id), `401 ${unauthorized}`, name);
      }
    });

    test('a token of an organization that does not exist: 401 Unauthorized Access, whatever the URL names', async () => {
      const { id } = await service().organization();
      const token = await tokenFor(service(), { organizationId: 999_999_999, generation: 1 });
      assert.equal(await get({ Authorization: `Bearer ${token}` }, 999_999_999), `401 ${unauthorized}`);
      assert.equal(await get({ Authorization: `Bearer ${token}` }, id), `401 ${unauthorized}`);
    });

    test('the token is checked before the body', async () => {
      const { id } = await service().organization();
      for (const sent of [
        { body: 'x'.repeat(200_000), headers: { 'Content-Type': 'application/json' } },
        { body: '{', headers: { 'Content-Type': 'application/json' } },
        { body: 'x', headers: { 'Content-Type': 'text/plain' } },
      ]) {
        const { text } = await service().client.send('POST', pathOf(id, '/webhook'), sent);
        assert.equal(text, unauthorized);
      }
    });
  });
});

async function forgeries(
  { keyring, clock }: HttpService,
  own: { readonly id: number; readonly token: string },
) {
  const [head = '', body = '', mac = ''] = own.token.split('.');
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const otherKeyring = createKeyring({
    secretKey: 'an entirely different secret key, 32+',
    previousSecretKeys: [],
  });
  const foreignToken = await jwtTokens(otherKeyring).issue({
    organizationId: own.id,
    generation: 1,
    issuedAt: clock.now(),
    expiresAt: new Date(clock.now().getTime() + 1000),
  });
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT', kid: keyring.current.id })}.${body}`;
  return {
    'made with another key': foreignToken.reveal(),
    'algorithm none': `${encoded({ alg: 'none', typ: 'JWT' })}.${body}.`,
    'algorithm none, signed': `${encoded({ alg: 'none', typ: 'JWT' })}.${body}.${mac}`,
    'another body': `${head}.${encoded({ ...claims, sub: '999999999' })}.${mac}`,
    'a shortened signature': own.token.slice(0, -2),
    'no signature': `${head}.${body}.`,
    'signed with the empty key': `${signed}.${createHmac('sha256', '').update(signed).digest('base64url')}`,
    'four parts': `${own.token}.x`,
    'one part': head,
    'a NUL-like text': 'undefined',
    'very long': 'a'.repeat(9000),
  };
}

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
