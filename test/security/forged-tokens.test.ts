import assert from 'node:assert/strict';
import { type createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import {
  answer,
  calls,
  encode,
  hmac,
  issuedBy,
  partsOf,
  previousKey,
  refused,
  refusesAll,
  startTokenSite,
  type TokenSite,
} from '../support/security/token-site.js';
import { testNow, testSecretKey } from '../support/test-service.js';

let site: TokenSite['site'];
let own: TokenSite['own'];
before(async () => {
  ({ site, own } = await startTokenSite());
});
after(() => site.stop());

/** A token signed with our own key, so that only the header or the claims can be the reason for a refusal. */
function signed(header: unknown, claims: unknown): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${hmac(text, site.keyring.current.keys.token)}`;
}

describe('A forged token', () => {
  test('the valid token is accepted in every operation, so that the refusals below are about the forgeries', async () => {
    for (const call of calls) {
      assert.match(await answer(site, { Authorization: `Bearer ${own.token}` }, call), /^200 /);
    }
    const { header, claims } = partsOf(own.token);
    assert.equal(signed(header, claims), own.token);
  });

  test('without a signature, with any spelling of “none”, is 401 in every operation', async () => {
    const { body, mac, header } = partsOf(own.token);
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'null', ' none', 'none\u0000']) {
      for (const signature of ['', mac]) {
        for (const call of signature === '' && alg === 'none' ? calls : calls.slice(4, 5)) {
          const token = `${encode({ ...header, alg })}.${body}.${signature}`;
          assert.equal(await answer(site, { Authorization: `Bearer ${token}` }, call), refused, alg);
        }
      }
    }
    await refusesAll(site, {
      'two parts': own.token.slice(0, own.token.lastIndexOf('.')),
      'an empty signature': own.token.slice(0, own.token.lastIndexOf('.') + 1),
      'alg null': `${encode({ ...header, alg: null })}.${body}.`,
      'no alg': `${encode({ typ: 'JWT', kid: header.kid })}.${body}.${mac}`,
      'an empty header': `.${body}.${mac}`,
    });
  });

  test('with another algorithm is 401, even with our key', async () => {
    const { body, header } = partsOf(own.token);
    const key = site.keyring.current.keys.token;
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const rsa = `${encode({ ...header, alg: 'RS256' })}.${body}`;
    const withAlgorithm = (alg: string, hash: string, secret: Parameters<typeof createHmac>[1]): string => {
      const text = `${encode({ ...header, alg })}.${body}`;
      return `${text}.${hmac(text, secret, hash)}`;
    };
    await refusesAll(site, {
      HS384: withAlgorithm('HS384', 'sha384', key),
      HS512: withAlgorithm('HS512', 'sha512', key),
      hs256: withAlgorithm('hs256', 'sha256', key),
      'HS256 with a space': withAlgorithm('HS256 ', 'sha256', key),
      'RS256 with a new key': `${rsa}.${createSign('sha256').update(rsa).sign(privateKey, 'base64url')}`,
      'HS256 under a public key': withAlgorithm('HS256', 'sha256', pem),
      'RS256 that is an HMAC': withAlgorithm('RS256', 'sha256', key),
      'HS256 that is a plain SHA-256': `${encode(header)}.${body}.${encode('x')}`,
    });
  });

  test('signed with another key is 401', async () => {
    const { head, body } = partsOf(own.token);
    const text = `${head}.${body}`;
    const { keys, id } = site.keyring.current;
    const foreign = createKeyring({
      secretKey: 'an entirely different secret key, 32+',
      previousSecretKeys: [],
    });
    const previous = createKeyring({ secretKey: previousKey, previousSecretKeys: [] });
    const others = Object.entries(keys).filter(([purpose]) => purpose !== 'token');
    await refusesAll(site, {
      'a foreign key, under its own id': await issuedBy(foreign),
      'a foreign key, under our id': `${text}.${hmac(text, foreign.current.keys.token)}`,
      'a key that is no longer accepted': await issuedBy(previous),
      'a key that is no longer accepted, under our id': `${text}.${hmac(text, previous.current.keys.token)}`,
      'the empty key': `${text}.${hmac(text, '')}`,
      'a NUL': `${text}.${hmac(text, '\0')}`,
      'the key’s id': `${text}.${hmac(text, id)}`,
      'the operator’s secret itself': `${text}.${hmac(text, testSecretKey)}`,
      'the access key': `${text}.${hmac(text, own.accessKey)}`,
      'the token itself': `${text}.${hmac(text, own.token)}`,
      ...Object.fromEntries(
        others.map(([purpose, key]) => [`our key for ${purpose}`, `${text}.${hmac(text, key)}`]),
      ),
    });
  });

  test('with another header is 401, even if signed with our key', async () => {
    const { header, claims } = partsOf(own.token);
    const jwk = { kty: 'oct', k: encode('x'), kid: header.kid };
    const headers = {
      'no key id': { alg: 'HS256', typ: 'JWT' },
      'an unknown key id': { ...header, kid: '00000000' },
      'an empty key id': { ...header, kid: '' },
      'a key id that is a path': { ...header, kid: '../../../../dev/null' },
      'a key id that is SQL': { ...header, kid: "' UNION SELECT 'x" },
      'a key id of the prototype': { ...header, kid: '__proto__' },
      'a key id in capitals': { ...header, kid: header.kid.toUpperCase() },
      'a key id twice': `{"alg":"HS256","typ":"JWT","kid":"x","kid":"${header.kid}"}`,
      'an embedded key': { ...header, jwk },
      'a URL of keys': { ...header, jku: 'https://example.test/keys' },
      'a URL of a certificate': { ...header, x5u: 'https://example.test/cert' },
      'an embedded certificate': { ...header, x5c: ['MIIB'] },
      'a critical extension': { ...header, crit: ['exp'] },
      'an unencoded payload': { ...header, crit: ['b64'], b64: false },
      compressed: { ...header, zip: 'DEF' },
      'another type': { ...header, typ: 'at+jwt' },
      'no type': { alg: 'HS256', kid: header.kid },
      'another order': { kid: header.kid, typ: 'JWT', alg: 'HS256' },
      'spaces inside': JSON.stringify(header).replaceAll(',', ', '),
      'a byte order mark': `\ufeff${JSON.stringify(header)}`,
      'text that is not JSON': 'HS256',
      'an array': [header],
    };
    await refusesAll(
      site,
      Object.fromEntries(Object.entries(headers).map(([name, other]) => [name, signed(other, claims)])),
    );
  });

  test('with other claims is 401, even if signed with our key', async () => {
    const { header, claims } = partsOf(own.token);
    const { exp, iat, gen } = claims;
    const bodies = {
      'another issuer': { ...claims, iss: 'else' },
      'an issuer in capitals': { ...claims, iss: 'ROLLCALL' },
      'a list of issuers': { ...claims, iss: ['rollcall'] },
      'no issuer': { ...claims, iss: undefined },
      'another audience': { ...claims, aud: 'rollcall' },
      'a list of audiences': { ...claims, aud: ['rollcall-api'] },
      'no audience': { ...claims, aud: undefined },
      'no subject': { ...claims, sub: undefined },
      'a number as the subject': { ...claims, sub: 1 },
      'a subject of another spelling': { ...claims, sub: '01' },
      'a subject with a space': { ...claims, sub: '1 ' },
      'a list as the subject': { ...claims, sub: ['1'] },
      'a subject past 2^53': { ...claims, sub: '9007199254740993' },
      'an unknown subject': { ...claims, sub: '999' },
      'a text as the expiry': { ...claims, exp: String(exp) },
      'no expiry': { ...claims, exp: undefined },
      'null as the expiry': { ...claims, exp: null },
      'an expiry that is a fraction': { ...claims, exp: exp + 0.5 },
      'an expiry before 1970': { ...claims, exp: -1 },
      'an infinite expiry': JSON.stringify(claims).replace(String(exp), '1e999'),
      'an expiry in the past': { ...claims, exp: testNow.getTime() / 1000 },
      'a text as the time of issue': { ...claims, iat: String(iat) },
      'no time of issue': { ...claims, iat: undefined },
      'no generation': { ...claims, gen: undefined },
      'a text as the generation': { ...claims, gen: String(gen) },
      'an earlier generation': { ...claims, gen: gen - 1 },
      'a later generation': { ...claims, gen: gen + 1 },
      'true as the generation': { ...claims, gen: true },
      'claims in a prototype': `{"__proto__":${JSON.stringify(claims)}}`,
      'a list of claims': [claims],
      'text that is not JSON': 'x',
      nothing: '',
      null: 'null',
    };
    await refusesAll(
      site,
      Object.fromEntries(Object.entries(bodies).map(([name, other]) => [name, signed(header, other)])),
    );
  });

  test('with any of its characters changed, removed or doubled is 401', async () => {
    const { token } = own;
    for (let at = 0; at < token.length; at += 1) {
      const character = token[at] ?? '';
      // Differs in its lowest bit, so that unused bits of base64url are changed as well.
      const other = neighbour(character);
      for (const forged of [
        `${token.slice(0, at)}${other}${token.slice(at + 1)}`,
        `${token.slice(0, at)}${token.slice(at + 1)}`,
        `${token.slice(0, at)}${character}${token.slice(at)}`,
      ]) {
        if (forged === token) continue;
        assert.equal(await answer(site, { Authorization: `Bearer ${forged}` }), refused, `${at}: ${forged}`);
      }
    }
  });

  test('with its parts in another form is 401', async () => {
    const { token } = own;
    const { head, body, mac } = partsOf(token);
    await refusesAll(site, {
      'one part': head,
      'an empty part at the end': `${token}.`,
      'an empty part at the start': `.${token}`,
      'four parts': `${token}.${mac}`,
      'five parts, as if encrypted': `${head}.${body}.${mac}.${mac}.${mac}`,
      'parts in another order': `${body}.${head}.${mac}`,
      padding: `${token}=`,
      'padding in every part': `${head}=.${body}==.${mac}=`,
      'base64 instead of base64url': token.replaceAll('-', '+').replaceAll('_', '/').concat('='),
      'hexadecimal signature': `${head}.${body}.${Buffer.from(mac, 'base64url').toString('hex')}`,
      'a shorter signature': token.slice(0, -4),
      'a longer signature': `${token}AAAA`,
      'all zeros as the signature': `${head}.${body}.${'A'.repeat(43)}`,
      twice: `${token}${token}`,
      'very long': `${token}${'A'.repeat(9000)}`,
      'our own text': 'undefined',
    });
    const serialised = { payload: body, protected: head, signature: mac };
    for (const json of [serialised, { payload: body, signatures: [{ protected: head, signature: mac }] }]) {
      assert.equal(await answer(site, { Authorization: `Bearer ${JSON.stringify(json)}` }), refused);
      assert.equal(await answer(site, { Authorization: `Bearer ${encode(json)}` }), refused);
    }
  });
});

/** The character that differs in its lowest bit of base64url. */
function neighbour(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const at = alphabet.indexOf(character);
  return at < 0 ? '_' : (alphabet[at ^ 1] ?? '_');
}
