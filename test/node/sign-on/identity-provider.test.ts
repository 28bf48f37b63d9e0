import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ProviderFailure, type ProviderIdentity, type ProviderSettings, Secret } from '@rollcall/core';
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { openidProvider } from '#adapters/node/sign-on/identity-provider.js';
import { suiteAuthority } from '#core/testing/certificates.js';
import { type Bends, client, startBendableProvider } from '../../support/bendable-provider.js';

type Provider = Awaited<ReturnType<typeof startBendableProvider>>;

const redirectUri = 'https://rollcall.example/sign-in/organizations/1/callback';
const reachable = { allowedNetworks: ['127.0.0.0/8'], certificateAuthorities: [suiteAuthority] };

/** A clock that can be moved. */
function movableClock() {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance(ms: number) {
      offset += ms;
    },
  };
}

let provider: Provider;
let clock: ReturnType<typeof movableClock>;
let adapter: ReturnType<typeof openidProvider>;

before(async () => {
  provider = await startBendableProvider();
});
after(() => provider.stop());

function settings(changes: Partial<ProviderSettings> = {}): ProviderSettings {
  const { issuer } = provider;
  const clientSecret = new Secret(client.secret);
  return {
    ...{ organizationId: 1, issuer, clientId: client.id, clientSecret, redirectUri },
    ...{ hostedDomain: null, acr: null, ...changes },
  };
}

interface Bent extends Bends {
  /** Changes what the browser brings back. */
  readonly query?: (right: URLSearchParams) => URLSearchParams | string;
  readonly pending?: object;
  readonly settings?: Partial<ProviderSettings>;
}

/** A whole sign-on, with what is bent. */
async function signOn({ query = (right) => right, pending, settings: changed, ...bends }: Bent = {}) {
  for (const name of Object.keys(provider.bends)) delete provider.bends[name as keyof Bends];
  Object.assign(provider.bends, bends);
  const own = settings(changed);
  const begun = await adapter.begin(own, { loginHint: null });
  if ('failure' in begun) return begun;
  const right = provider.signIn(begun.url);
  return adapter.finish(own, { pending: { ...begun.pending, ...pending }, query: String(query(right)) });
}

function assertIdentity(answer: ProviderIdentity | ProviderFailure): asserts answer is ProviderIdentity {
  assert.ok('subject' in answer, JSON.stringify(answer));
}

/** Each with its own adapter, which knows nothing of the provider yet. */
function providerTest(name: string, work: () => Promise<void>): void {
  test(name, async () => {
    clock = movableClock();
    adapter = openidProvider({ ...reachable, clock });
    for (const bend of Object.keys(provider.bends)) delete provider.bends[bend as keyof Bends];
    await work();
  });
}

/** Sign-ons that are refused, each with a part of the reason. */
function refusals(
  of: string,
  table: Readonly<Record<string, readonly [Bent, RegExp, ProviderFailure['failure']?]>>,
): void {
  describe(`${of}: a sign-on is refused with`, () => {
    for (const [name, [bent, reason, failure = 'invalid']] of Object.entries(table))
      providerTest(name, async () => {
        const answer = await signOn(bent);
        assert.ok('failure' in answer, 'someone was identified');
        assert.equal(answer.failure, failure);
        assert.match(answer.reason, reason);
        assert.ok(!answer.reason.includes(client.secret));
        assertIdentity(await signOn());
      });
  });
}

const edited = (edit: (query: URLSearchParams) => void) => (query: URLSearchParams) => {
  edit(query);
  return query;
};
const changed = (claims: object) => ({ claims: (right: JWTPayload) => ({ ...right, ...claims }) });
const seconds = () => Math.floor(Date.now() / 1000);
const other = await generateKeyPair('RS256');

describe('A sign-on', () => {
  providerTest('identifies the person by the ID token and userinfo', async () => {
    const answer = await signOn();
    assertIdentity(answer);
    const { issuer, subject, sid, claims } = answer;
    assert.deepEqual([issuer, subject, sid], [provider.issuer, 'ana', 'session 1']);
    assert.deepEqual([claims.email, claims.name, claims.aud], ['ana@north.example', 'Ana Lopez', 'rollcall']);
  });

  for (const [alg, header, key] of [
    ['RS256', 'RS256', 'RS256'],
    ['PS256', 'PS256', 'PS256'],
    ['ES256', 'ES256', 'ES256'],
    ['EdDSA', 'EdDSA', 'EdDSA'],
    ['EdDSA', 'EdDSA', 'Ed25519'],
    ['EdDSA', 'Ed25519', 'EdDSA'],
    ['EdDSA', 'Ed25519', 'Ed25519'],
  ] as const)
    test(`works with ${header} and a key that names ${key}`, async (t) => {
      const unbent = provider;
      provider = await startBendableProvider(alg);
      t.after(async () => {
        await provider.stop();
        provider = unbent;
      });
      adapter = openidProvider({ ...reachable, clock: movableClock() });
      const answer = await signOn({
        header: (right) => ({ ...right, alg: header }),
        keys: (keys) => keys.map((one) => ({ ...one, alg: key })),
      });
      assertIdentity(answer);
    });

  providerTest(
    'asks for PKCE with S256, and for a state, nonce and verifier that are new each time',
    async () => {
      const seen = new Set<string>();
      for (let time = 1; time <= 3; time += 1) {
        const begun = await adapter.begin(settings({ acr: 'urn:mfa', hostedDomain: 'north.example' }), {
          loginHint: 'ana',
        });
        assert.ok('url' in begun);
        const { searchParams: asked, origin } = new URL(begun.url);
        assert.equal(origin, provider.issuer);
        const { code_challenge, state, nonce, ...rest } = Object.fromEntries(asked);
        assert.deepEqual(rest, {
          ...{ client_id: 'rollcall', response_type: 'code', redirect_uri: redirectUri },
          ...{ scope: 'openid email profile', code_challenge_method: 'S256', acr_values: 'urn:mfa' },
          ...{ hd: 'north.example', login_hint: 'ana' },
        });
        for (const value of [state, nonce, code_challenge, begun.pending.verifier]) {
          assert.ok(value !== undefined && value.length >= 43 && !seen.has(value));
          seen.add(value);
        }
        assert.deepEqual([begun.pending.state, begun.pending.nonce], [state, nonce]);
      }
    },
  );

  providerTest(
    'works with a client secret in a header, and a clock that differs from the machine’s',
    async () => {
      const basic = ['client_secret_basic'];
      await signOn({ metadata: (right) => ({ ...right, token_endpoint_auth_methods_supported: basic }) });
      const { headers } = provider.requests.findLast(({ path }) => path === '/token') ?? assert.fail();
      assert.equal(headers.authorization, `Basic ${btoa('rollcall:client%2Dsecret')}`);
      adapter = openidProvider({ ...reachable, clock });
      clock.advance(3_600_000);
      const later = { nbf: seconds() + 3600, iat: seconds() + 3600, exp: seconds() + 3900 };
      assertIdentity(await signOn(changed(later)));
      assert.ok('failure' in (await signOn()));
    },
  );

  providerTest(
    'accepts what clocks that differ by less than a minute, or Microsoft’s dates, bring',
    async () => {
      for (const claims of [
        { iat: seconds() + 50 },
        { exp: seconds() - 50 },
        { nbf: seconds() + 50 },
        { iat: seconds() - 300, nbf: seconds() - 300 },
      ])
        assertIdentity(await signOn(changed(claims)));
    },
  );

  providerTest('accepts an audience of several, with this client as the authorized party', async () => {
    assertIdentity(await signOn(changed({ aud: ['rollcall', 'other'], azp: 'rollcall' })));
    assertIdentity(await signOn({ ...changed({ acr: 'urn:mfa' }), settings: { acr: 'urn:mfa' } }));
    const hostedDomain = 'north.example';
    assertIdentity(await signOn({ ...changed({ hd: 'North.example' }), settings: { hostedDomain } }));
  });
});

refusals('ID token', {
  'a signature of another key': [{ key: other.privateKey }, /signature verification failed/],
  'no signature': [{ token: (claims) => new UnsecuredJWT(claims).encode() }, /alg/],
  'the client secret as key': [
    {
      token: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(client.secret.padEnd(32, '.'))),
    },
    /alg/,
  ],
  'an algorithm that is not offered': [
    { header: (right) => ({ ...right, alg: 'PS256' }), key: (await generateKeyPair('PS256')).privateKey },
    /alg/,
  ],
  'an algorithm that is offered and not accepted': [
    {
      metadata: (right) => ({ ...right, id_token_signing_alg_values_supported: ['RS256', 'RS384'] }),
      header: (right) => ({ ...right, alg: 'RS384' }),
      key: (await generateKeyPair('RS384')).privateKey,
    },
    /alg/,
  ],
  'no ID token': [{ tokens: ({ id_token: _, ...right }) => right }, /id_token/],
  'another issuer': [changed({ iss: 'https://other.example' }), /claim value/],
  'another audience': [changed({ aud: 'other' }), /claim value/],
  'several audiences without an authorized party': [changed({ aud: ['rollcall', 'other'] }), /audience/],
  'several audiences and another authorized party': [
    changed({ aud: ['rollcall', 'other'], azp: 'other' }),
    /azp/,
  ],
  'another authorized party': [changed({ azp: 'other' }), /azp/],
  'another nonce': [changed({ nonce: 'other' }), /claim value.*nonce/],
  'no nonce': [changed({ nonce: undefined }), /nonce/],
  'an end in the past': [changed({ exp: seconds() - 70 }), /timestamp/],
  'no end': [changed({ exp: undefined }), /exp/],
  'a beginning in the future': [changed({ nbf: seconds() + 120 }), /timestamp/],
  'a date in the future': [changed({ iat: seconds() + 120 }), /from the future/],
  'an old date': [changed({ iat: seconds() - 700 }), /too old/],
  'no date': [changed({ iat: undefined }), /iat/],
  'an empty subject': [changed({ sub: '' }), /subject/],
  'a subject that is too long': [changed({ sub: 'x'.repeat(256) }), /subject/],
  'a subject that a database would change': [changed({ sub: 'a\ud800' }), /subject/],
  'a subject that a database would refuse': [changed({ sub: 'a\0' }), /subject/],
  'a subject that is not a text': [changed({ sub: 7 as never }), /sub/],
  'no subject': [changed({ sub: undefined }), /sub/],
  'another authentication context': [
    { ...changed({ acr: 'urn:password' }), settings: { acr: 'urn:mfa' } },
    /acr/,
  ],
  'no authentication context': [{ settings: { acr: 'urn:mfa' } }, /acr/],
  'another domain': [
    { ...changed({ hd: 'other.example' }), settings: { hostedDomain: 'north.example' } },
    /hd/,
  ],
  'no domain': [{ settings: { hostedDomain: 'north.example' } }, /hd/],
});

refusals('Round trip', {
  'another state': [
    { query: edited((right) => right.set('state', 'other')) },
    /state is not that/,
    'not-asked',
  ],
  'no state': [{ query: edited((right) => right.delete('state')) }, /state is not that/, 'not-asked'],
  'a parameter twice': [
    { query: edited((right) => right.append('code', 'other')) },
    /comes twice/,
    'not-asked',
  ],
  'another issuer': [
    { query: edited((right) => right.set('iss', 'https://other.example')) },
    /answer is of another issuer/,
  ],
  'no issuer, though one is announced': [
    { query: edited((right) => right.delete('iss')) },
    /does not name its issuer/,
  ],
  'a refusal of another issuer': [
    {
      query: (right) =>
        new URLSearchParams({
          ...{ error: 'access_denied', state: right.get('state') ?? '', iss: 'https://other.example' },
        }),
    },
    /answer is of another issuer/,
  ],
  'another verifier': [{ pending: { verifier: 'x'.repeat(43) } }, /invalid_grant, in its own words/],
  'another redirect address': [
    { settings: { redirectUri: 'https://other.example/callback' }, query: wrongRedirect },
    /invalid_grant/,
  ],
  'no code': [{ query: edited((right) => right.delete('code')) }, /./],
  'a token in place of an answer': [
    {
      query: (right) =>
        new URLSearchParams({ response: 'a.b.c', state: right.get('state') ?? '', iss: provider.issuer }),
    },
    /./,
  ],
});

/** The code belongs to the address that was asked with. */
function wrongRedirect(right: URLSearchParams): URLSearchParams {
  const asked = new URL(`${provider.issuer}/authorize`);
  asked.search = new URLSearchParams({
    state: right.get('state') ?? '',
    redirect_uri: redirectUri,
  }).toString();
  return provider.signIn(asked.href);
}

describe('A refusal of the provider', () => {
  providerTest('is told by its code, if it is one', async () => {
    for (const [error, code] of [
      ['access_denied', 'access_denied'],
      ['<script>', null],
      ['x'.repeat(61), null],
    ] as const) {
      const answer = await signOn({
        query: (right) =>
          new URLSearchParams({ error, state: right.get('state') ?? '', iss: provider.issuer }),
      });
      assert.ok('failure' in answer);
      assert.deepEqual([answer.failure, answer.code], ['refused', code]);
    }
  });

  providerTest('of the client secret is told in the provider’s own words', async () => {
    const wrong = { settings: { clientSecret: new Secret('wrong-secret') } };
    const expected = { failure: 'invalid', code: null };
    const reason = 'the provider said: invalid_client, in its own words';
    assert.deepEqual(await signOn(wrong), { ...expected, reason });
    const challenge = await signOn({
      ...wrong,
      answer(path, response) {
        if (path !== '/token') return false;
        const headers = { 'www-authenticate': 'Basic realm="a"', 'content-type': 'application/json' };
        response.writeHead(401, headers);
        const words = 'The secret wrong-secret\nhas expired';
        response.end(JSON.stringify({ error: 'invalid_client', error_description: words }));
        return true;
      },
    });
    const hidden = 'the provider said: invalid_client, The secret *** has expired';
    assert.deepEqual(challenge, { ...expected, reason: hidden });
  });
});

refusals('Issuer', {
  'metadata of another issuer': [
    { metadata: (right) => ({ ...right, issuer: 'https://other.example' }) },
    /of another issuer: https:\/\/other\.example/,
  ],
  'metadata of an issuer with a slash': [
    { metadata: (right) => ({ ...right, issuer: `${right.issuer}/` }) },
    /of another issuer/,
  ],
  'an address without TLS': [
    { metadata: (right) => ({ ...right, token_endpoint: 'http://127.0.0.1/token' }) },
    /token_endpoint is not an https URL/,
  ],
  'no address for tokens': [
    { metadata: ({ token_endpoint: _, ...right }) => right },
    /names no token_endpoint/,
  ],
  'no algorithm in common': [
    { metadata: (right) => ({ ...right, id_token_signing_alg_values_supported: ['HS256', 'none'] }) },
    /none of RS256/,
  ],
  'no PKCE': [
    { metadata: (right) => ({ ...right, code_challenge_methods_supported: ['plain'] }) },
    /PKCE with S256/,
  ],
  'metadata that is a list': [{ metadata: () => [] }, /not a JSON object/],
});

refusals('Userinfo', {
  'another subject': [{ userinfo: (right) => ({ ...right, sub: 'other' }) }, /./],
  'no subject': [{ userinfo: ({ sub: _, ...right }) => right }, /./],
  'a token in place of claims': [
    {
      answer(path, response) {
        if (path !== '/userinfo') return false;
        response.writeHead(200, { 'content-type': 'application/jwt' });
        const none = Buffer.from('{"alg":"none"}').toString('base64url');
        response.end(`${none}.${Buffer.from('{"sub":"ana"}').toString('base64url')}.`);
        return true;
      },
    },
    /token instead of JSON/,
  ],
});

describe('Userinfo', () => {
  providerTest('is read only for claims that the ID token lacks, which it never replaces', async () => {
    const before = provider.count('/userinfo');
    assertIdentity(await signOn(changed({ email: 'ana@other.example', name: 'Ana' })));
    assert.equal(provider.count('/userinfo'), before);
    const answer = await signOn(changed({ email: 'ana@other.example' }));
    assertIdentity(answer);
    assert.deepEqual([answer.claims.email, answer.claims.name], ['ana@other.example', 'Ana Lopez']);
    assert.equal(provider.count('/userinfo'), before + 1);
  });
});

describe('Keys of the provider', () => {
  providerTest('an unknown key reads them again at once, and the sign-in goes on', async () => {
    assertIdentity(await signOn());
    clock.advance(10_001);
    await provider.rotate();
    const before = provider.count('/keys');
    assertIdentity(await signOn());
    assertIdentity(await signOn());
    assert.equal(provider.count('/keys'), before + 1);
  });

  providerTest('but at most once in ten seconds for each organization', async () => {
    assertIdentity(await signOn());
    await provider.rotate();
    const before = provider.count('/keys');
    for (let time = 1; time <= 5; time += 1) assert.ok('failure' in (await signOn()));
    assert.equal(provider.count('/keys'), before);
    // Another organization has its own keys and its own time.
    assertIdentity(await signOn({ settings: { organizationId: 2 } }));
    assert.equal(provider.count('/keys'), before + 1);
    assert.ok('failure' in (await signOn()));
    clock.advance(10_001);
    assertIdentity(await signOn());
  });

  providerTest('of several sign-ins at once with an unknown key, one reads them', async () => {
    assertIdentity(await signOn());
    clock.advance(10_001);
    await provider.rotate();
    const before = provider.count('/keys');
    const own = settings();
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const begun = await adapter.begin(own, { loginHint: null });
        assert.ok('url' in begun);
        const query = String(provider.signIn(begun.url));
        return adapter.finish(own, { pending: begun.pending, query });
      }),
    );
    for (const answer of answers) assertIdentity(answer);
    assert.equal(provider.count('/keys'), before + 1);
  });

  providerTest('a key that the provider withdraws stops working within five minutes', async () => {
    assertIdentity(await signOn());
    clock.advance(5 * 60_000);
    const later = { iat: seconds() + 300, exp: seconds() + 600 };
    assert.ok('failure' in (await signOn({ ...changed(later), keys: () => [] })));
  });

  providerTest('what 200 organizations asked last is kept, and nothing of others', async () => {
    const begin = (organizationId: number) =>
      adapter.begin(settings({ organizationId }), { loginHint: null });
    const reads = () => provider.requests.filter(({ path }) => path.includes('openid-configuration')).length;
    const before = reads();
    for (let id = 1; id <= 200; id += 1) await begin(id);
    await begin(1);
    assert.equal(reads() - before, 200);
    await begin(201);
    await begin(1);
    assert.equal(reads() - before, 201);
    await begin(2);
    assert.equal(reads() - before, 202);
  });

  providerTest('after a failure, metadata and keys are read again', async () => {
    const away =
      (broken: string) => (path: string, response: { writeHead(code: number): { end(): void } }) => {
        if (path === broken) response.writeHead(503).end();
        return path === broken;
      };
    for (const path of ['/.well-known/openid-configuration', '/keys']) {
      adapter = openidProvider({ ...reachable, clock });
      const answer = await signOn({ answer: away(path) as NonNullable<Bends['answer']> });
      assert.ok('failure' in answer);
      assert.equal(answer.failure, 'unreachable');
      assert.match(answer.reason, /answered 503$/);
      assertIdentity(await signOn());
    }
  });
});

describe('Outgoing calls', () => {
  /** The failure of a check while this path is answered in another way. */
  async function checked(answer: Bends['answer'], own = adapter) {
    if (answer !== undefined) provider.bends.answer = answer;
    const result = await own.check(settings());
    assert.ok('failure' in result, JSON.stringify(result));
    return [result.failure, result.reason];
  }
  const at = (path: string, answer: (response: Parameters<NonNullable<Bends['answer']>>[1]) => void) =>
    ((asked, response) => {
      if (asked === path) answer(response);
      return asked === path;
    }) satisfies Bends['answer'];

  for (const [path, what] of [
    ['/.well-known/openid-configuration', 'its metadata'],
    ['/keys', 'its keys'],
  ] as const) {
    providerTest(`${what}: no redirects, at most 100 KB, JSON`, async () => {
      const to = { location: `${provider.issuer}/elsewhere` };
      const redirected = at(path, (response) => response.writeHead(302, to).end());
      const reason = `${what}: answered 302: redirects are not followed`;
      assert.deepEqual(await checked(redirected), ['invalid', reason]);
      assert.equal(provider.count('/elsewhere'), 0);
      const large = at(path, (response) => response.end(JSON.stringify({ a: 'x'.repeat(100 * 1024) })));
      assert.deepEqual(await checked(large), ['invalid', `${what}: an answer of more than 100 KB`]);
      const text = at(path, (response) => response.end('no JSON'));
      assert.deepEqual(await checked(text), ['invalid', `${what} is not a JSON object`]);
      const missing = at(path, (response) => response.writeHead(404).end());
      assert.deepEqual(await checked(missing), ['invalid', `${what} cannot be read: answered 404`]);
    });
  }

  providerTest('a provider that is slow or endless is left alone after the time', async () => {
    const hasty = openidProvider({ ...reachable, clock, timeoutMs: 400 });
    const path = '/.well-known/openid-configuration';
    const reason = 'its metadata: no whole answer within 0.4 s';
    assert.deepEqual(
      await checked(
        at(path, () => {}),
        hasty,
      ),
      ['unreachable', reason],
    );
    const trickling = at(path, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    assert.deepEqual(await checked(trickling, hasty), ['unreachable', reason]);
  });

  providerTest('only public addresses are reached, and those of the operator’s networks', async () => {
    const strict = openidProvider({ certificateAuthorities: [suiteAuthority], clock });
    const before = provider.requests.length;
    assert.deepEqual(await checked(undefined, strict), ['invalid', 'its metadata: private address']);
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const named = openidProvider({ certificateAuthorities: [suiteAuthority], clock, lookup });
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
    const result = await named.check(settings({ issuer }));
    assert.ok('failure' in result);
    assert.match(result.reason, /resolves to a private address/);
    assert.equal(provider.requests.length, before);
  });

  providerTest('the certificate must be trusted, and the server there', async () => {
    const untrusting = openidProvider({ allowedNetworks: ['127.0.0.0/8'], clock });
    assert.match(String(await checked(undefined, untrusting)), /^unreachable,its metadata: .*certificate/);
    const nobody = await adapter.check(settings({ issuer: 'https://127.0.0.1:1' }));
    assert.ok('failure' in nobody);
    assert.equal(nobody.failure, 'unreachable');
  });
});

describe('check', () => {
  providerTest('says what the provider offers, and what is missing', async () => {
    assert.deepEqual(await adapter.check(settings()), {
      ...{ problems: [], algorithms: ['RS256'], namesIssuer: true, hasUserinfo: true, hasLogout: true },
    });
    provider.bends.metadata = ({ issuer }) => ({
      ...{ issuer, jwks_uri: `${issuer}/keys`, scopes_supported: ['profile'] },
      ...{ response_types_supported: ['token'], code_challenge_methods_supported: ['plain'] },
      ...{ id_token_signing_alg_values_supported: ['HS256'] },
      ...{ token_endpoint_auth_methods_supported: ['private_key_jwt'] },
    });
    provider.bends.keys = () => [];
    assert.deepEqual(await adapter.check(settings()), {
      problems: [
        'It names no authorization_endpoint',
        'It names no token_endpoint',
        'It signs ID tokens with none of RS256, PS256, ES256 and EdDSA',
        'It does not support PKCE with S256',
        'It does not support the response type code',
        'It does not support the scope openid',
        'It accepts no client secret',
        'It has no keys',
      ],
      ...{ algorithms: [], namesIssuer: false, hasUserinfo: false, hasLogout: false },
    });
  });
});

describe('readLogout', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const right = () => ({
    ...{ iss: provider.issuer, aud: client.id, iat: seconds(), exp: seconds() + 120, jti: 'a' },
    ...{ events, sub: 'ana', sid: 'session 1' },
  });
  const read = async (claims: object, header: object = {}) =>
    adapter.readLogout(
      settings(),
      await provider.sign({ ...right(), ...claims }, { typ: 'logout+jwt', ...header }),
    );

  providerTest('returns the subject and the session', async () => {
    assert.deepEqual(await read({}), { subject: 'ana', sid: 'session 1' });
    assert.deepEqual(await read({ sub: undefined }), { subject: null, sid: 'session 1' });
    assert.deepEqual(await read({ sid: undefined }), { subject: 'ana', sid: null });
  });

  for (const [name, claims, header = {}] of [
    ['another type', {}, { typ: 'JWT' }],
    ['no type', {}, { typ: undefined }],
    ['another issuer', { iss: 'https://other.example' }],
    ['another audience', { aud: 'other' }],
    ['no jti', { jti: undefined }],
    ['an empty jti', { jti: '' }],
    ['no date', { iat: undefined }],
    ['an old date', { iat: 1 }],
    ['an end in the past', { exp: 1 }],
    ['no events', { events: undefined }],
    ['another event', { events: { other: {} } }],
    [
      'an event that is no object',
      { events: { 'http://schemas.openid.net/event/backchannel-logout': true } },
    ],
    ['a nonce', { nonce: 'a' }],
    ['neither a subject nor a session', { sub: undefined, sid: undefined }],
    ['a subject that a database would refuse', { sub: 'a\0' }],
    ['a session that a database would change', { sid: 'a\ud800' }],
    ['a subject that is no text', { sub: 7 }],
    ['an empty session', { sid: '' }],
  ] as const)
    providerTest(`refuses ${name}`, async () => {
      const answer = await read(claims, header);
      assert.ok('failure' in answer, JSON.stringify(answer));
      assert.equal(answer.failure, 'invalid');
      assert.notEqual(answer.reason, '');
      assert.deepEqual(await read({}), { subject: 'ana', sid: 'session 1' });
    });

  providerTest('refuses another key, no signature, and what is no token', async () => {
    provider.bends.key = other.privateKey;
    assert.ok('failure' in (await read({})));
    delete provider.bends.key;
    const unsigned = new UnsecuredJWT(right()).encode();
    for (const token of [unsigned, '', 'a.b', 'x'.repeat(20_001)])
      assert.ok('failure' in (await adapter.readLogout(settings(), token)), token);
  });
});
