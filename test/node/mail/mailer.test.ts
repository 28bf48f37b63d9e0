import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '@rollcall/core';
import type { SMTPServerOptions } from 'smtp-server';
import { smtpMailer } from '#adapters/node/mail/mailer.js';
import { startMailServer } from '#test/support/mail-server.js';

async function mailServer(t: TestContext, options: SMTPServerOptions = {}) {
  const server = await startMailServer(options);
  t.after(server.stop);
  return server;
}

const mailerTo = (port: number, user = '', maxSendingMs?: number) =>
  smtpMailer({
    smtpUrl: new Secret(`smtp://${user}127.0.0.1:${port}`),
    from: 'rollcall@example.test',
    senderName: 'Acme Circles',
    ...(maxSendingMs !== undefined && { maxSendingMs }),
  });

const mail = {
  to: 'dana@example.test',
  subject: 'Reset your password',
  text: new Secret('Hello,\n\nhttps://example.test/reset-password/secret\n'),
};

const refusing = (responseCode: number) =>
  Object.assign(new Error('dana@example.test is not here'), { responseCode });

test('a mail arrives at its one recipient as plain text', async (t) => {
  const { received, port } = await mailServer(t);
  deepEqual(await mailerTo(port).send(mail), { outcome: 'sent' });
  const [first, ...others] = received;
  deepEqual([first?.from, first?.to, others], ['rollcall@example.test', ['dana@example.test'], []]);
  match(first?.raw ?? '', /^From: Acme Circles <rollcall@example\.test>\r?$/m);
  match(first?.raw ?? '', /^Content-Type: text\/plain; charset=utf-8\r?$/m);
  match(first?.raw ?? '', /^Auto-Submitted: auto-generated\r?$/m);
  ok(first?.raw.includes('https://example.test/reset-password/secret'));
});

test('an address that holds several recipients is one recipient or none', async (t) => {
  const { received, port } = await mailServer(t);
  await mailerTo(port).send({ ...mail, to: 'dana@example.test, eve@example.test' });
  await mailerTo(port).send({ ...mail, to: 'dana@example.test>\r\nRCPT TO:<eve@example.test' });
  deepEqual(
    received.flatMap(({ to }) => to).filter((address) => address === 'eve@example.test'),
    [],
  );
});

test('a recipient who is refused for good is given up, and named nowhere', async (t) => {
  const { port } = await mailServer(t, { onRcptTo: (_address, _session, done) => done(refusing(550)) });
  const result = await mailerTo(port).send(mail);
  equal(result.outcome, 'refused');
  ok(!JSON.stringify(result).includes('dana'));
});

test('a server that says to try again later is not a refusal', async (t) => {
  const { port } = await mailServer(t, { onRcptTo: (_address, _session, done) => done(refusing(451)) });
  equal((await mailerTo(port).send(mail)).outcome, 'failed');
});

test('a refused sender is a mistake of the operator and is tried again', async (t) => {
  const { port } = await mailServer(t, { onMailFrom: (_address, _session, done) => done(refusing(550)) });
  equal((await mailerTo(port).send(mail)).outcome, 'failed');
});

test('a server that cannot be reached is not a refusal', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const result = await mailerTo(port).send(mail);
  deepEqual(result, { outcome: 'failed', reason: 'the mail server cannot be used: ESOCKET' });
});

test('a password is not sent over a connection without encryption', async (t) => {
  const attempts: unknown[] = [];
  const { received, port } = await mailServer(t, {
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      attempts.push(auth);
      done(null, { user: 'rollcall' });
    },
  });
  const result = await mailerTo(port, 'rollcall:hunter2hunter2@').send(mail);
  equal(result.outcome, 'failed');
  ok(!JSON.stringify(result).includes('hunter2'));
  deepEqual([attempts, received], [[], []]);
});

/** A server that answers each sender after some time, and then takes the mail. */
async function slowServer(t: TestContext, milliseconds: number) {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = await mailServer(t, {
    onMailFrom(_address, _session, done) {
      asked();
      setTimeout(done, milliseconds);
    },
  });
  return { ...server, isAsked };
}

test('a mail that took too long is not sent afterwards', async (t) => {
  const { received, port } = await slowServer(t, 300);
  const result = await mailerTo(port, '', 100).send(mail);
  deepEqual(result, { outcome: 'failed', reason: 'it took too long' });
  await pause(600);
  deepEqual(received, []);
  deepEqual(await mailerTo(port, '', 20_000).send(mail), { outcome: 'sent' });
  equal(received.length, 1);
});

test('stop ends the mails that are being sent, and only those', async (t) => {
  const { received, port, isAsked } = await slowServer(t, 300);
  const mailer = mailerTo(port);
  const sending = mailer.send(mail);
  await isAsked;
  mailer.stop();
  deepEqual(await sending, { outcome: 'failed', reason: 'the service was stopped' });
  await pause(600);
  deepEqual(received, []);
  deepEqual(await mailer.send(mail), { outcome: 'sent' });
});
