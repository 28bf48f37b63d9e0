import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '@rollcall/core';
import type { SMTPServerOptions } from 'smtp-server';
import { htmlOf } from '#adapters/node/mail/html-of.js';
import { smtpMailer } from '#adapters/node/mail/mailer.js';
import { selfSigned } from '#test/support/certificates.js';
import { startMailServer } from '#test/support/mail-server.js';
import { listen } from '../../support/listen.js';

async function mailServer(t: TestContext, options: SMTPServerOptions = {}) {
  const server = await startMailServer(options);
  t.after(server.stop);
  return server;
}

const settings = (port: number, user = '') => ({
  smtpUrl: new Secret(`smtp://${user}127.0.0.1:${port}`),
  from: 'rollcall@example.test',
  senderName: 'Acme Circles',
});

const mailerTo = (port: number, user = '', maxSendingMs?: number) =>
  smtpMailer({ ...settings(port, user), ...(maxSendingMs !== undefined && { maxSendingMs }) });

const mail = {
  to: 'dana@example.test',
  subject: 'Reset your password',
  text: new Secret('Hello,\n\nhttps://example.test/reset-password/secret\n'),
};

const refusing = (responseCode: number) =>
  Object.assign(new Error('dana@example.test is not here'), { responseCode });

test('a mail arrives at its one recipient as plain text, and as HTML with its link', async (t) => {
  const { received, port } = await mailServer(t);
  deepEqual(await mailerTo(port).send(mail), { outcome: 'sent' });
  const [first, ...others] = received;
  deepEqual([first?.from, first?.to, others], ['rollcall@example.test', ['dana@example.test'], []]);
  match(first?.raw ?? '', /^From: Acme Circles <rollcall@example\.test>\r?$/m);
  match(first?.raw ?? '', /^Content-Type: multipart\/alternative;/m);
  match(first?.raw ?? '', /^Content-Type: text\/plain; charset=utf-8\r?$/m);
  match(first?.raw ?? '', /^Content-Type: text\/html; charset=utf-8\r?$/m);
  match(first?.raw ?? '', /^Auto-Submitted: auto-generated\r?$/m);
  ok(first?.raw.includes('https://example.test/reset-password/secret'));
});

test('the HTML is that of the text: nothing in it is markup, and only a URL that is a paragraph is a link', () => {
  const html = htmlOf(
    'Hello,\n\nA <b>&"name"</b> https://evil.test/x\nSecond line\n\nhttps://example.test/a?b=1&c=2\n',
  );
  deepEqual(html.match(/<p>.*<\/p>/g), [
    '<p>Hello,</p>',
    '<p>A &lt;b&gt;&amp;&quot;name&quot;&lt;/b&gt; https://evil.test/x<br>Second line</p>',
    '<p><a href="https://example.test/a?b=1&amp;c=2">https://example.test/a?b=1&amp;c=2</a></p>',
  ]);
});

test('a domain beyond ASCII is written so that every mail server accepts it', async (t) => {
  const extensions: unknown[] = [];
  const { received, port } = await mailServer(t, {
    onMailFrom({ args }, _session, done) {
      extensions.push(typeof args === 'object' && 'SMTPUTF8' in args);
      done();
    },
  });
  for (const to of ['dana@bücher.example.test', 'dana@straße.test', 'dana@例え.テスト'])
    deepEqual(await mailerTo(port).send({ ...mail, to }), { outcome: 'sent' });
  deepEqual(
    received.map(({ raw }) => /^To: (.*)$/m.exec(raw)?.[1]?.trim()),
    ['dana@xn--bcher-kva.example.test', 'dana@xn--strae-oqa.test', 'dana@xn--r8jz45g.xn--zckzah'],
  );
  deepEqual(extensions, [false, false, false]);
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
  const server = net.createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  const result = await mailerTo(port).send(mail);
  const reason = 'the mail server cannot be used: connection refused (ECONNREFUSED)';
  deepEqual(result, { outcome: 'failed', reason });
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

test('the service greets with the host of its URL', async (t) => {
  const greetings: string[] = [];
  const { port } = await mailServer(t, {
    onMailFrom(_address, session, done) {
      greetings.push(String(session.hostNameAppearsAs));
      done();
    },
  });
  for (const publicUrl of [
    'https://rollcall.example.test:8443/path',
    'https://192.0.2.7',
    'https://[2001:db8::7]:8443',
  ])
    await smtpMailer({ ...settings(port), publicUrl }).send(mail);
  deepEqual(greetings, ['rollcall.example.test', '[192.0.2.7]', '[ipv6:2001:db8::7]']);
});

test('a mail server whose certificate is not trusted is reported by that cause', async (t) => {
  const { key, cert } = await selfSigned();
  const encrypted = await mailServer(t, { secure: true, key, cert });
  const upgraded = await mailServer(t, { key, cert, disabledCommands: [] });
  for (const smtpUrl of [`smtps://127.0.0.1:${encrypted.port}`, `smtp://127.0.0.1:${upgraded.port}`]) {
    const result = await smtpMailer({ ...settings(0), smtpUrl: new Secret(smtpUrl) }).send(mail);
    deepEqual(result, {
      outcome: 'failed',
      reason: 'the mail server cannot be used: certificate not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
  }
});
