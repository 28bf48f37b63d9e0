import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, Secret } from '@rollcall/core';
import { aUser, memoryPorts } from '@rollcall/core/testing';
import { smtpMailer } from '#adapters/node/mail/mailer.js';
import { createLog } from '#adapters/node/system/log.js';
import { createMailing } from '#app/mailing.js';
import { startMailServer } from '#test/support/mail-server.js';
import { slowness } from '../support/slowness.js';

test('a mail server that is slow does not keep the service from stopping, and the mail is sent after the next start', async (t) => {
  let isSlow = true;
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = await startMailServer({
    onMailFrom(_address, _session, done) {
      asked();
      if (!isSlow) done();
    },
  });
  t.after(server.stop);
  const mailer = smtpMailer({
    smtpUrl: new Secret(`smtp://127.0.0.1:${server.port}`),
    from: 'rollcall@example.test',
    senderName: 'Rollcall',
  });
  const { ports, clock, load } = memoryPorts({ mailer });
  await load({ users: [aUser(1)] });
  const core = createCore(ports, {
    links: {
      invitation: () => '',
      login: () => '',
      passwordReset: (token) => `https://example.test/reset-password/${token.reveal()}`,
      defaultAvatar: '',
    },
  });
  const log = createLog({ level: 'silent' });
  const errorTracker = { report: (error: unknown) => assert.fail(String(error)) };
  const mailing = () => createMailing({ core, mailer, log, errorTracker, intervalMs: 5, lastMailsMs: 200 });

  await core.requestPasswordReset({ email: aUser(1).email, address: '192.0.2.1' });
  const first = mailing();
  await first.start();
  await isAsked;
  const from = performance.now();
  await first.stop();
  const elapsedMs = performance.now() - from;
  assert.ok(elapsedMs >= 190 && elapsedMs < 10_000 * slowness(), `it took ${elapsedMs} ms`);
  assert.deepEqual(server.received, []);

  isSlow = false;
  clock.advance(60_000);
  const second = mailing();
  await second.start();
  while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await second.stop();
  assert.deepEqual(
    server.received.map(({ to }) => to),
    [[aUser(1).email]],
  );
});
