import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type Mail, Secret, type SentMail } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

const links = {
  invitation: (token: Secret) => `https://example.test/invitations/${token.reveal()}`,
  login: (token: Secret) => `https://example.test/login/${token.reveal()}`,
  passwordReset: (token: Secret) => `https://example.test/reset-password/${token.reveal()}`,
  defaultAvatar: 'https://example.test/avatar.svg',
};

const MINUTE_MS = 60_000;
const dana = aUser(1, { email: 'dana@example.test' });

async function mailService({ mails = true }: { readonly mails?: boolean } = {}) {
  const sent: Mail[] = [];
  let answer: SentMail = { outcome: 'sent' };
  const mailer = {
    async send(mail: Mail) {
      sent.push(mail);
      return answer;
    },
  };
  const { ports, clock, load } = memoryPorts(mails ? { mailer } : {});
  await load({ organizations: [anOrganization(1)], users: [dana] });
  const core = createCore(ports, { links });
  return {
    ...{ core, ports, clock, sent },
    answerWith(next: SentMail) {
      answer = next;
    },
    request: (email: string, address = '192.0.2.1') => core.requestPasswordReset({ email, address }),
    send: () => core.sendMails({ limit: 10 }),
    tokenOf: (mail: Mail | undefined) => /reset-password\/(\S+)/.exec(mail?.text.reveal() ?? '')?.[1] ?? '',
  };
}

const newPassword = new Secret('seven green herons');

test('a forgotten password is reset with the link in the mail, once, and all sessions end', async () => {
  const { core, ports, sent, request, send, tokenOf } = await mailService();
  const at = ports.clock.now();
  await ports.sessions.create({ hash: 's', userId: 1, boundTo: null, createdAt: at, passwordHash: null });
  await request(' Dana@Example.Test');
  deepEqual(await send(), [{ kind: 'password-reset', outcome: 'sent', reason: null }]);
  deepEqual(
    sent.map(({ to }) => to),
    ['dana@example.test'],
  );
  const token = tokenOf(sent[0]);
  deepEqual(await core.readPasswordReset({ token }), { email: 'dana@example.test' });

  await core.resetPassword({ token, newPassword });
  equal(await ports.sessions.find('s'), null);
  const signedIn = await core.signIn({ email: dana.email, password: newPassword, address: '192.0.2.1' });
  equal(signedIn.user.id, 1);
  await rejects(core.resetPassword({ token, newPassword }), { code: 'password-reset-ended' });
  await rejects(core.readPasswordReset({ token }), { code: 'password-reset-ended' });
  await send();
  match(sent[1]?.subject ?? '', /was changed$/);
});

test('an address that nobody has gets the same answer, the same row and no mail', async () => {
  const { ports, sent, request, send } = await mailService();
  const added: unknown[] = [];
  const { add } = ports.mails;
  ports.mails.add = async (mail) => {
    added.push({ ...mail, email: mail.email.length });
    await add(mail);
  };
  const byEmail = ports.users.byEmail;
  ports.users.byEmail = () => Promise.reject(new Error('the request must not look for a user'));
  deepEqual(await request('dana@example.test'), await request('nobo@example.test'));
  ports.users.byEmail = byEmail;
  deepEqual(added[0], added[1]);
  deepEqual((await send()).map(({ outcome }) => outcome).toSorted(), ['dropped', 'sent']);
  deepEqual(
    sent.map(({ to }) => to),
    ['dana@example.test'],
  );
});

test('the link works for 30 minutes from when the mail is sent, however late that is', async () => {
  const { core, clock, sent, answerWith, request, send, tokenOf } = await mailService();
  await request(dana.email);
  answerWith({ outcome: 'failed', reason: 'the mail server is away' });
  const start = clock.now().getTime();
  while (clock.now().getTime() - start < 60 * MINUTE_MS) {
    for (const { outcome } of await send()) equal(outcome, 'postponed');
    clock.advance(MINUTE_MS / 2);
  }
  ok(sent.length >= 5 && sent.length <= 10, `${sent.length} attempts in an hour`);
  answerWith({ outcome: 'sent' });
  clock.advance(15 * MINUTE_MS);
  deepEqual(
    (await send()).map(({ outcome }) => outcome),
    ['sent'],
  );
  const token = tokenOf(sent.at(-1));
  clock.advance(30 * MINUTE_MS - 1);
  await core.readPasswordReset({ token });
  clock.advance(1);
  await rejects(core.readPasswordReset({ token }), { code: 'password-reset-ended' });
  await rejects(core.resetPassword({ token, newPassword }), { code: 'password-reset-ended' });
});

test('a refused mail is given up, and so is one that has waited for three days', async () => {
  const { clock, sent, answerWith, request, send } = await mailService();
  await request(dana.email);
  answerWith({ outcome: 'refused', reason: 'no such mailbox' });
  deepEqual(await send(), [{ kind: 'password-reset', outcome: 'failed', reason: 'no such mailbox' }]);
  deepEqual(await send(), []);
  await request(dana.email);
  clock.advance(3 * 24 * 60 * MINUTE_MS);
  deepEqual(
    (await send()).map(({ outcome }) => outcome),
    ['failed'],
  );
  equal(sent.length, 1);
});

test('an address gets three mails in 15 minutes, and a network can ask 20 times an hour', async () => {
  const { clock, sent, request, send } = await mailService();
  for (let count = 0; count < 5; count += 1) await request(dana.email);
  await send();
  equal(sent.length, 3);
  for (let count = 5; count < 20; count += 1) await request(`person${count}@example.test`);
  await rejects(request('one.more@example.test'), { code: 'too-many-requests' });
  await request(dana.email, '192.0.2.2');
  clock.advance(15 * MINUTE_MS);
  await request(dana.email, '192.0.2.2');
  while ((await send()).length > 0);
  equal(sent.length, 4);
});

test('a new password must keep the rules, and the link still works after a refusal', async () => {
  const { core, sent, request, send, tokenOf } = await mailService();
  await request(dana.email);
  await send();
  const token = tokenOf(sent[0]);
  await rejects(core.resetPassword({ token, newPassword: new Secret('short') }), {
    code: 'invalid-request',
    problems: [{ field: 'newPassword', code: 'too-short', message: 'must have at least 8 characters' }],
  });
  await core.resetPassword({ token, newPassword });
});

test('no text of a mail names a person or an organization', async () => {
  const { core, sent, request, send, tokenOf } = await mailService();
  await request(dana.email);
  await send();
  await core.resetPassword({ token: tokenOf(sent[0]), newPassword });
  await send();
  equal(sent.length, 2);
  for (const { subject, text } of sent)
    for (const name of [dana.firstName, dana.lastName, anOrganization(1).name])
      ok(!`${subject} ${text.reveal()}`.includes(name), `${subject} has ${name}`);
});

test('without a mailer nobody can ask for a mail, and a changed password adds none', async () => {
  const { core, ports, request, send } = await mailService({ mails: false });
  await rejects(request(dana.email), { code: 'mail-not-configured' });
  await core.setPassword({ email: dana.email, password: new Secret('four blue kestrels') });
  const { token } = await core
    .signIn({ email: dana.email, password: new Secret('four blue kestrels'), address: '192.0.2.1' })
    .then(({ session }) => ({ token: session }));
  await core.changePassword({
    session: token.reveal(),
    currentPassword: new Secret('four blue kestrels'),
    newPassword,
    address: '192.0.2.1',
  });
  const at = ports.clock.now();
  deepEqual(await ports.mails.claim({ limit: 9, claim: 'c', at, until: at }), []);
  deepEqual(await send(), []);
});
