import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { randomIds } from '#adapters/node/system/ids.js';
import { captureLog, entries } from './captured-log.js';

const SECRET_FIELDS = [
  ...[
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'Set-Cookie',
    'access_key',
    'accessKey',
    'token',
  ],
  ...[
    'password',
    'new_password',
    'passwordHash',
    'secret',
    'encryptedSecret',
    'signing_secret',
    'SECRET_KEY',
  ],
  ...[
    'SECRET_KEY_PREVIOUS',
    'secretKey',
    'otl_url',
    'otlUrl',
    'invitation_url',
    'invitationUrl',
    'DATABASE_URL',
  ],
];

test('fields that contain secrets are masked at every depth, whatever their value', () => {
  for (const name of SECRET_FIELDS) {
    for (const value of ['hidden', ['hidden', 'hidden'], { inner: 'hidden' }, 12345]) {
      const { log, lines } = captureLog();
      const field = { [name]: value };
      log.info({ ...field, a: { b: [{ c: { d: { e: field } } }] }, kept: 'visible' }, 'message');
      log.child(field).info({ headers: field }, 'message');
      log.info({ err: Object.assign(new Error('failed'), field) }, 'message');
      const [first, second, third] = entries(lines) as { readonly err?: Readonly<Record<string, unknown>> }[];
      const masked = { [name]: '***' };
      const context = { level: 30, msg: 'message' };
      assert.deepEqual(first, {
        ...context,
        ...masked,
        a: { b: [{ c: { d: { e: masked } } }] },
        kept: 'visible',
      });
      assert.deepEqual(second, { ...context, ...masked, headers: masked });
      const { stack, ...err } = third?.err ?? {};
      assert.deepEqual(err, { type: 'Error', message: 'failed', ...masked });
      assert.equal(lines.join('').includes('hidden'), false);
    }
  }
});

test('fields whose names only resemble those of secrets are not masked', () => {
  const { log, lines } = captureLog();
  const fields = { secrets: 1, tokenCount: 2, passwordless: 'x', cookies: ['a'], secret: null };
  log.info(fields, 'message');
  assert.deepEqual(entries(lines), [{ level: 30, ...fields, msg: 'message' }]);
});

test('our secrets are recognized by their form in messages, URLs, errors and readable lines', async () => {
  const keyring = createKeyring({
    secretKey: 'a secret key of 32 characters or more',
    previousSecretKeys: [],
  });
  const secrets = keyedSecrets(keyring);
  const time = new Date('2026-11-20T12:00:00Z');
  const claims = { organizationId: 1, generation: 1, issuedAt: time, expiresAt: time };
  for (const secret of [
    secrets.newAccessKey(),
    secrets.newToken('session').token,
    secrets.newToken('login-link').token,
    secrets.invitationToken({ id: randomIds.uuid(), keyId: secrets.keyId }),
    secrets.newSigningSecret(),
    await jwtTokens(keyring).issue(claims),
  ].map((generated) => generated.reveal())) {
    for (const pretty of [false, true]) {
      const { log, lines } = captureLog('trace', pretty);
      log.info({ url: `/login/${secret}?again=${secret}` }, `before ${secret} after`);
      log.error(new Error(`"${secret}" is wrong`));
      const text = lines.join('');
      assert.equal(text.includes(secret), false, secret);
      assert.ok(text.includes('/login/***?again=***') && text.includes('before *** after'), text);
    }
  }
});

test('the password in a database URL is masked', () => {
  const { log, lines } = captureLog();
  log.error('no answer from postgres://rollcall:pa55:word@db.test:5432/rollcall?sslmode=require');
  log.info('listening on http://127.0.0.1:3000 for dana@example.test');
  assert.deepEqual(entries(lines), [
    { level: 50, msg: 'no answer from postgres://rollcall:***@db.test:5432/rollcall?sslmode=require' },
    { level: 30, msg: 'listening on http://127.0.0.1:3000 for dana@example.test' },
  ]);
});

test('IDs, times and numbers are not mistaken for secrets', () => {
  const { log, lines } = captureLog();
  const fields = { eventId: randomIds.uuid(), at: '2026-11-20T12:00:00.000Z', id: 2 ** 53 - 1, sum: 1e23 };
  log.info(fields, 'delivered 0123456789abcdef to https://receiver.test/hooks/in?x=1');
  assert.deepEqual(entries(lines), [
    { level: 30, ...fields, msg: 'delivered 0123456789abcdef to https://receiver.test/hooks/in?x=1' },
  ]);
});
