import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FailedAttempt } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { boundedSecurityLog, MAX_LINES } from '#adapters/node/system/security-log.js';

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
