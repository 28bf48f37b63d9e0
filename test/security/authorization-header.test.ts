import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { securedCalls } from '../support/http/operations.js';
import {
  answer,
  refused,
  startTokenSite,
  type TokenSite,
  unauthorized,
} from '../support/security/token-site.js';

let site: TokenSite['site'];
let own: TokenSite['own'];
before(async () => {
  ({ site, own } = await startTokenSite());
});
after(() => site.stop());

describe('The Authorization header', () => {
  test('is read with its scheme in any case, and with several spaces', async () => {
    for (const value of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
      assert.match(await answer(site, { Authorization: `${value} ${own.token}` }), /^200 /);
    }
    assert.match(await answer(site, { authorization: `Bearer ${own.token}` }), /^200 /);
  });

  test('must be given once: two are 401, even if one of them is valid', async () => {
    const right = `Bearer ${own.token}`;
    for (const values of [
      [right, right],
      [right, 'Bearer x'],
      ['Bearer x', right],
      ['Basic eDp5', right],
      [right, ''],
      ['', right],
    ]) {
      for (const call of securedCalls)
        assert.equal(await answer(site, { Authorization: values }, call), refused);
    }
    for (const joined of [`${right}, ${right}`, `${right},${own.token}`, `x, ${right}`, `${right}; x`]) {
      assert.equal(await answer(site, { Authorization: joined }), refused);
    }
  });

  test('must be given once, also if it is folded, repeated in another case or written by hand', async () => {
    const right = `Bearer ${own.token}`;
    const heads = [
      `Authorization: ${right}\r\nAUTHORIZATION: ${right}`,
      `Authorization: ${right}\r\nauthorization:`,
      `Authorization: Bearer\r\n ${own.token}`,
      `Authorization : ${right}`,
      `Authorization\t: ${right}`,
      `X-Y: 1\r\n\tAuthorization: ${right}`,
      `Authorization: Bearer\u00a0${own.token}`,
      `Authorization:${right.replace(' ', '\t')}`,
    ];
    for (const head of heads) {
      const request = `GET /api/v2/organizations/1/webhook HTTP/1.1\r\nHost: x\r\n${head}\r\nConnection: close\r\n\r\n`;
      const text = await site.client.raw(request);
      assert.match(text, /^HTTP\/1\.1 40[01] /, head);
      assert.match(text, /\{"error":"(?:Unauthorized Access|Bad Request)"\}$/, head);
    }
    const plain = `GET /api/v2/organizations/1/webhook HTTP/1.1\r\nHost: x\r\nAuthorization: ${right}\r\nConnection: close\r\n\r\n`;
    assert.match(await site.client.raw(plain), /^HTTP\/1\.1 200 /);
  });

  test('must have the scheme Bearer', async () => {
    const { token } = own;
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const value of [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Bearer:${token}`,
      `Bearer=${token}`,
      `Bearer "${token}"`,
      `Bearer <${token}>`,
      `Bearer token=${token}`,
      `Bearer ${token} ${token}`,
      `Token ${token}`,
      `JWT ${token}`,
      `DPoP ${token}`,
      `Digest ${token}`,
      `Negotiate ${token}`,
      `XBearer ${token}`,
      `Bearerx ${token}`,
      `Basic ${token}`,
      basic(`1:${token}`),
      basic(`${own.accessKey}:`),
      basic(`x:${own.accessKey}`),
      `Bearer ${own.accessKey}`,
    ]) {
      assert.equal(await answer(site, { Authorization: value }), refused, value);
    }
  });

  test('is the only place: a token in the query, the body, a cookie or another header is ignored', async () => {
    const { token } = own;
    const query = `access_token=${token}&token=${token}&authorization=Bearer%20${token}&Authorization=${token}`;
    assert.equal(await answer(site, {}, { method: 'GET', path: `/webhook?${query}`, sent: {} }), refused);
    assert.equal(
      await answer(
        site,
        {},
        {
          method: 'POST',
          path: '/webhook',
          sent: { json: { webhook: { enabled: false }, token, access_token: token } },
        },
      ),
      refused,
    );
    assert.equal(await answer(site, { Cookie: `token=${token}; Authorization=Bearer ${token}` }), refused);
    for (const name of ['X-Authorization', 'X-Access-Token', 'Proxy-Authorization', 'X-Api-Key', 'Token']) {
      assert.equal(await answer(site, { [name]: `Bearer ${token}` }), refused, name);
    }
    const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await site.client.send('POST', '/api/v2/organizations/1/invite_user', {
      headers: urlencoded,
      body: `access_token=${token}&email=a%40b.test&first_name=A&last_name=B`,
    });
    assert.deepEqual([reply.status, reply.text], [401, unauthorized]);
  });

  test('is checked before the number, the body and its type: no answer shows which organizations exist', async () => {
    for (const id of ['1', '2', '999', 'abc', '%00']) {
      for (const { method, path } of securedCalls) {
        const reply = await site.client.send(method, `/api/v2/organizations/${id}${path}`, {
          headers: method === 'GET' ? {} : { 'Content-Type': 'text/plain' },
          ...(method !== 'GET' && { body: '{' }),
        });
        assert.deepEqual([reply.status, reply.text], [401, unauthorized]);
      }
    }
  });
});
