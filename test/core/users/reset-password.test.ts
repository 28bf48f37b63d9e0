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
const GUESSABLE =
  'must have at least 8 letters or digits, not counting the account’s name and email address and the names of organizations and the service';
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
  await load({
    organizations: [anOrganization(1, { name: 'Northwind' })],
    users: [dana],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
  });
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
const ended = { code: 'password-reset-ended', message: 'This link no longer works' };

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

  equal((await core.resetPassword({ token, newPassword })).id, dana.id);
  equal(await ports.sessions.find('s'), null);
  const signedIn = await core.signIn({ email: dana.email, password: newPassword, address: '192.0.2.1' });
  equal(signedIn.user.id, 1);
  await rejects(core.resetPassword({ token, newPassword }), ended);
  await rejects(core.readPasswordReset({ token }), ended);
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
  const refusal = { code: 'too-many-requests', message: 'Too many requests; try again later' };
  await rejects(request('one.more@example.test'), { ...refusal, retryAfter: 3600 });
  clock.advance(15 * MINUTE_MS - 1000);
  await request(dana.email, '192.0.2.2');
  clock.advance(1000);
  await request(dana.email, '192.0.2.2');
  while ((await send()).length > 0);
  equal(sent.length, 4);
  clock.advance(45 * MINUTE_MS - 1000);
  await rejects(request('one.more@example.test'), { ...refusal, retryAfter: 1 });
  clock.advance(1000);
  await request('one.more@example.test');
});

test('a request with no address, or while the storage is away, is not answered as if a mail came', async () => {
  const { ports, request } = await mailService();
  const message = 'must be an email address such as dana@example.com';
  await rejects(request('dana'), {
    code: 'invalid-request',
    problems: [{ field: 'email', code: 'malformed', message }],
  });
  ports.mails.add = () => Promise.reject(new Error('the database is away'));
  await rejects(request(dana.email), /the database is away/);
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
  await rejects(core.resetPassword({ token, newPassword: new Secret('northwind-26') }), {
    problems: [{ field: 'newPassword', code: 'guessable', message: GUESSABLE }],
  });
  await core.resetPassword({ token, newPassword });
});

test('of five uses of a link at once, one sets the password, and none after the link has expired', async () => {
  const { core, ports, clock, sent, request, send, tokenOf } = await mailService();
  await request(dana.email);
  await request(dana.email);
  await send();
  const uses = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) =>
      core.resetPassword({ token: tokenOf(sent[0]), newPassword: new Secret(`green heron ${index}`) }),
    ),
  );
  const [used, ...refused] = uses.toSorted((one, other) => one.status.localeCompare(other.status));
  equal(used?.status, 'fulfilled');
  for (const use of refused) deepEqual(use.status === 'rejected' && use.reason.code, ended.code);

  const { hash } = ports.passwords;
  ports.passwords.hash = (password) => {
    clock.advance(30 * MINUTE_MS);
    return hash(password);
  };
  await request(dana.email);
  await send();
  await rejects(core.resetPassword({ token: tokenOf(sent.at(-1)), newPassword }), ended);
});

test('a password that is set by a link or by the operator works at once after too many wrong ones', async () => {
  const { core, ports, sent, request, send, tokenOf } = await mailService();
  const signIn = (password: Secret, email = dana.email) =>
    core.signIn({ email, password, address: '192.0.2.1' });
  const guessTooOften = async (email = dana.email) => {
    for (let count = 0; count < 10; count += 1)
      await rejects(signIn(new Secret('a guess'), email), { code: 'wrong-credentials' });
    await rejects(signIn(new Secret('a guess'), email), { code: 'too-many-requests' });
  };
  await guessTooOften();
  await guessTooOften('other@example.test');
  await request(dana.email);
  await send();
  await core.resetPassword({ token: tokenOf(sent[0]), newPassword });
  equal((await signIn(newPassword)).user.id, 1);

  await guessTooOften();
  const operators = new Secret('four blue kestrels');
  await core.setPassword({ email: ' Dana@Example.test', password: operators });
  equal((await signIn(operators)).user.id, 1);
  await rejects(signIn(new Secret('a guess'), 'other@example.test'), { code: 'too-many-requests' });

  // A refused password changes nothing.
  await guessTooOften();
  await rejects(core.setPassword({ email: dana.email, password: new Secret('short') }), {
    code: 'invalid-request',
  });
  await rejects(core.resetPassword({ token: tokenOf(sent[0]), newPassword }), ended);
  await rejects(signIn(operators), { code: 'too-many-requests' });
  equal(await ports.limits.waitFor({ name: 'sign-in-account', points: 10, seconds: 900 }, dana.email), 900);
});

test('a password is not set while the failures cannot be forgotten, and the link still works then', async () => {
  const { core, ports, sent, request, send, tokenOf } = await mailService();
  await request(dana.email);
  await send();
  const token = tokenOf(sent[0]);
  const { clear } = ports.limits;
  ports.limits.clear = () => Promise.reject(new Error('the limits are away'));
  await rejects(core.resetPassword({ token, newPassword }), /the limits are away/);
  await rejects(core.setPassword({ email: dana.email, password: newPassword }), /the limits are away/);
  await rejects(core.signIn({ email: dana.email, password: newPassword, address: '192.0.2.1' }), {
    code: 'wrong-credentials',
  });
  ports.limits.clear = clear;
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
  await rejects(request(dana.email), {
    code: 'mail-not-configured',
    message: 'This service sends no mail',
  });
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

test('the storage learns when a link was made, and deletes old ones', async () => {
  const { ports, clock, request, send } = await mailService();
  const { store } = ports.passwordResets;
  const stored: unknown[] = [];
  ports.passwordResets.store = async ({ hash, ...reset }) => {
    stored.push(reset);
    return store({ hash, ...reset });
  };
  await request(dana.email);
  await send();
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + 30 * MINUTE_MS);
  deepEqual(stored, [{ email: dana.email, createdAt, expiresAt }]);
});
