import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type Mailer, type MailReport, Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';
import { smtpMailer } from '#adapters/node/mail/mailer.js';
import { startMailServer, textOf } from '#test/support/mail-server.js';

const MINUTE_MS = 60_000;
const PEOPLE = 20;

test('while the mail server is away for an hour, no request waits, and every mail arrives once afterwards', async (t) => {
  const { port, stop } = await startMailServer();
  await stop();
  const smtp = smtpMailer({
    smtpUrl: new Secret(`smtp://127.0.0.1:${port}`),
    from: 'rollcall@example.test',
    senderName: 'Rollcall',
  });
  let attempts = 0;
  const mailer: Mailer = {
    send(mail) {
      attempts += 1;
      return smtp.send(mail);
    },
  };
  const { ports, clock, load } = memoryPorts({ mailer });
  const users = Array.from({ length: PEOPLE }, (_, index) => aUser(index + 1));
  await load({ organizations: [anOrganization(1)], users });
  const core = createCore(ports, {
    links: {
      invitation: (token) => `https://example.test/invitations/${token.reveal()}`,
      login: () => '',
      passwordReset: (token) => `https://example.test/reset-password/${token.reveal()}`,
      defaultAvatar: '',
    },
  });
  const sendAll = async (): Promise<readonly MailReport[]> => {
    const reports: MailReport[] = [];
    for (let batch = await core.sendMails({ limit: 8 }); batch.length > 0; ) {
      reports.push(...batch);
      batch = await core.sendMails({ limit: 8 });
    }
    return reports;
  };

  for (const [index, { email }] of users.entries()) {
    await core.requestPasswordReset({ email, address: `192.0.2.${index}` });
    const guest = { email: `guest-${index}@example.test`, firstName: 'Gil', lastName: 'Guest' };
    await core.inviteUser({ organization: { id: 1 }, ...guest, sendMail: true });
  }
  equal(attempts, 0, 'no request sends a mail itself');

  const end = clock.now().getTime() + 60 * MINUTE_MS;
  while (clock.now().getTime() < end) {
    for (const { outcome, reason } of await sendAll()) {
      equal(outcome, 'postponed');
      equal(reason, 'the mail server cannot be used: connection refused (ECONNREFUSED)');
    }
    clock.advance(MINUTE_MS);
  }
  const server = await startMailServer({ port });
  t.after(server.stop);
  clock.advance(15 * MINUTE_MS);
  await sendAll();
  deepEqual(
    server.received.flatMap(({ to }) => to).toSorted(),
    [
      ...users.map(({ email }) => email),
      ...users.map((_, index) => `guest-${index}@example.test`),
    ].toSorted(),
  );
  deepEqual(await sendAll(), []);

  const reset = server.received.find(({ to }) => to.includes(aUser(1).email));
  const token = /reset-password\/(\S+)/.exec(reset === undefined ? '' : textOf(reset))?.[1] ?? '';
  await core.resetPassword({ token, newPassword: new Secret('seven green herons') });
});
