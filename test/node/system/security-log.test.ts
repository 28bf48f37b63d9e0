import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FailedAttempt, Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { createLog } from '#adapters/node/system/log.js';
import { boundedSecurityLog, MAX_LINES } from '#adapters/node/system/security-log.js';
import { startTestService } from '../../support/test-service.js';
import { wrongKeyLimit } from '../../support/wrong-key-limit.js';

type Line = Readonly<Record<string, unknown>>;

/** Creates a security log over a service log whose lines are collected. */
function startSecurityLog() {
  const written: string[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => written.push(line) },
  });
  const lines = (): readonly Line[] => written.map((line) => JSON.parse(line));
  return { securityLog: boundedSecurityLog(log), written, lines };
}

const failed: FailedAttempt = { kind: 'sign-in-failed', address: '192.0.2.1', account: 'dana@example.test' };

describe('The security log', () => {
  test('writes one line for each failure, with its address and account', () => {
    const { securityLog, lines } = startSecurityLog();
    securityLog.record(failed);
    securityLog.record({ kind: 'authenticate-refused', address: null, account: null });
    assert.deepEqual(
      lines().map(({ time, ...line }) => line),
      [
        {
          level: 40,
          security: 'sign-in-failed',
          address: '192.0.2.1',
          account: 'dana@example.test',
          msg: 'Sign-in failed',
        },
        {
          level: 40,
          security: 'authenticate-refused',
          address: null,
          msg: 'Access key refused after too many failures',
        },
      ],
    );
  });

  test('writes each sign-in with the id of the user, without an email address', () => {
    const { securityLog, lines } = startSecurityLog();
    for (let count = 0; count < MAX_LINES + 10; count += 1)
      securityLog.record({ kind: 'signed-in', userId: count, by: 'password', address: '192.0.2.1' });
    assert.deepEqual(
      lines().map(({ time, ...line }) => line),
      Array.from({ length: MAX_LINES + 10 }, (_, user) => ({
        ...{ level: 30, security: 'signed-in', user, by: 'password', address: '192.0.2.1', msg: 'Signed in' },
      })),
    );
  });

  test('writes up to 60 lines of each kind of failure per minute, and then the number of further ones', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { securityLog, lines } = startSecurityLog();
    for (let count = 0; count < 1000; count += 1) securityLog.record(failed);
    for (let count = 0; count < 10; count += 1) securityLog.record({ ...failed, kind: 'sign-in-refused' });
    assert.equal(lines().length, MAX_LINES + 10);
    t.mock.timers.tick(59_999);
    assert.equal(lines().length, MAX_LINES + 10);
    t.mock.timers.tick(1);
    const { time, ...last } = lines().at(-1) ?? {};
    assert.deepEqual(last, {
      level: 40,
      security: 'sign-in-failed',
      more: 940,
      msg: 'Sign-in failed: further ones in this minute',
    });
    assert.equal(lines().length, MAX_LINES + 11);

    securityLog.record(failed);
    assert.equal(lines().length, MAX_LINES + 12);
    t.mock.timers.tick(60_000);
    assert.equal(lines().length, MAX_LINES + 12);
  });

  test('flush writes the number of further ones at once', () => {
    const { securityLog, lines } = startSecurityLog();
    for (let count = 0; count < 70; count += 1) securityLog.record(failed);
    securityLog.flush();
    assert.equal(lines().at(-1)?.more, 10);
    securityLog.flush();
    assert.equal(lines().length, MAX_LINES + 1);
  });
});

describe('The core reports to the security log', () => {
  const right = new Secret('the right password');
  const wrong = new Secret('the wrong password');
  const start = async () => {
    const log = startSecurityLog();
    const service = await startTestService({
      database: 'memory',
      ports: { securityLog: log.securityLog },
      settings: wrongKeyLimit(2),
    });
    await service.load({ organizations: [anOrganization(1)], users: [aUser(1)] });
    await service.core.setPassword({ email: aUser(1).email, password: right });
    const reported = () =>
      log
        .lines()
        .filter(({ security }) => security !== 'signed-in')
        .map(({ security, address, account }) => [security, address, account ?? null]);
    return { ...log, service, reported };
  };
  const email = aUser(1).email;

  test('each failed sign-in, with the address without its port, and the account', async () => {
    const { service, reported } = await start();
    const attempts = [
      { email, address: '[2001:db8::1]:443' },
      { email: ' NOBODY@example.test ', address: '::ffff:192.0.2.1' },
      { email, address: 'no address' },
    ];
    for (const attempt of attempts)
      await assert.rejects(service.core.signIn({ ...attempt, password: wrong }));
    await service.core.signIn({ email, password: right, address: '192.0.2.7' });
    assert.deepEqual(reported(), [
      ['sign-in-failed', '2001:db8::1', email],
      ['sign-in-failed', '192.0.2.1', 'nobody@example.test'],
      ['sign-in-failed', null, email],
    ]);
  });

  test('no account that is not an email address, because it could be a password or break the line', async () => {
    const { service, reported, written } = await start();
    const given = [
      'the right password',
      'a@b.test\n{"level":60}',
      'a@b.test\u001b[2J',
      'a@b.test\u009b2J',
      'a@b.test\u202e',
      `${'x'.repeat(100_000)}@example.test`,
      '',
    ];
    for (const text of given) {
      await assert.rejects(service.core.signIn({ email: text, password: wrong, address: '192.0.2.1' }));
    }
    assert.deepEqual(
      reported(),
      given.map(() => ['sign-in-failed', '192.0.2.1', null]),
    );
    assert.ok(written.every((line) => /^[\x20-\x7e]{1,400}\n$/.test(line)));
  });

  test('each wrong password when an invitation is accepted or a password is changed', async () => {
    const { service, reported } = await start();
    const { core } = service;
    const invited = await core.inviteUser({ organization: { id: 1 }, email, firstName: 'A', lastName: 'B' });
    const token = invited.invitationUrl.split('/').at(-1) ?? '';
    const person = { is: 'known', password: wrong } as const;
    await assert.rejects(core.acceptInvitation({ token, person, address: '192.0.2.1' }));
    const { session } = await core.signIn({ email, password: right, address: '192.0.2.1' });
    const change = { session: session.reveal(), currentPassword: wrong, newPassword: right };
    await assert.rejects(core.changePassword({ ...change, address: '192.0.2.2' }));
    assert.deepEqual(reported(), [
      ['sign-in-failed', '192.0.2.1', email],
      ['sign-in-failed', '192.0.2.2', email],
    ]);
  });

  test('refusals after too many failures separately from the failures', async () => {
    const { service, reported } = await start();
    const attempt = (password: Secret) => service.core.signIn({ email, password, address: '192.0.2.1' });
    for (let count = 0; count < 10; count += 1) await assert.rejects(attempt(wrong));
    await assert.rejects(attempt(right));
    const authenticate = () => service.core.authenticate({ accessKey: '1', address: '192.0.2.1:80' });
    for (let count = 0; count < 3; count += 1) await assert.rejects(authenticate());
    assert.deepEqual(reported().slice(9), [
      ['sign-in-failed', '192.0.2.1', email],
      ['sign-in-refused', '192.0.2.1', email],
      ['authenticate-failed', '192.0.2.1', null],
      ['authenticate-failed', '192.0.2.1', null],
      ['authenticate-refused', '192.0.2.1', null],
    ]);
  });
});
