import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createCore, type Ports, Secret, type SecurityEvent, Unavailable } from '@rollcall/core';
import { aUser, memoryPorts } from '@rollcall/core/testing';

const password = new Secret('correct horse');
const wrong = new Secret('a guess');
const SECOND_MS = 1000;
const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
const locked = { code: 'too-many-requests' };
const failed = { code: 'wrong-credentials' };

/** Users 1 and 2, who have the same password. The security log is collected. */
async function start({
  isLogged = true,
  limits,
}: {
  readonly isLogged?: boolean;
  readonly limits?: object;
} = {}) {
  const events: SecurityEvent[] = [];
  const securityLog = { record: (event: SecurityEvent) => void events.push(event) };
  const { ports, clock, load } = memoryPorts(isLogged ? { securityLog } : {});
  Object.assign(ports.limits, limits);
  await load({ users: [aUser(1), aUser(2)] });
  for (const userId of [1, 2])
    await ports.users.setPasswordHash({ userId, hash: await ports.passwords.hash(password) });
  const core = createCore(ports, { links });
  return {
    ...{ ports, clock, events },
    signIn: ({ user = 1, email = aUser(user).email, attempt = password, address = '192.0.2.1' } = {}) =>
      core.signIn({ email, password: attempt, address }),
  };
}

/** Makes every check of a password fail, because too many are under way. */
function keepBusy({ passwords }: Ports): () => void {
  const { verify } = passwords;
  Object.assign(passwords, { verify: () => Promise.reject(new Unavailable('busy')) });
  return () => Object.assign(passwords, { verify });
}

test('an unknown email address and a wrong password are refused alike', async () => {
  const { signIn } = await start();
  const alike = { ...failed, message: 'The email address or password is wrong' };
  for (const email of ['nobody@example.test', 'no address', '\0', ''])
    await rejects(signIn({ email }), alike);
  await rejects(signIn({ attempt: wrong }), alike);
});

test('of 40 parallel guesses, 10 are compared like sequential ones, and 30 are too many', async () => {
  const { ports, signIn } = await start();
  const { verify } = ports.passwords;
  let compared = 0;
  Object.assign(ports.passwords, {
    async verify(attempt: Parameters<typeof verify>[0]) {
      const matches = await verify(attempt);
      compared += 1;
      return matches;
    },
  });
  const guesses = Array.from({ length: 40 }, (_, index) =>
    signIn({ attempt: index === 39 ? password : wrong }).then(
      () => 'signed in',
      ({ code }) => code,
    ),
  );
  const answers = [...Array(10).fill(failed.code), ...Array(30).fill(locked.code)];
  deepEqual((await Promise.all(guesses)).sort().reverse(), answers);
  equal(compared, 10);
});

test('10 wrong passwords lock that account alone for 15 minutes, from every network', async () => {
  const { clock, signIn } = await start();
  for (let count = 1; count <= 10; count += 1)
    await rejects(signIn({ attempt: wrong, address: `192.0.2.${count}` }), failed);
  const message = 'Too many failed attempts; try again in 15 minutes';
  await rejects(signIn({ address: '192.0.2.99' }), { ...locked, message, retryAfter: 900 });
  equal((await signIn({ user: 2 })).user.id, 2);
  clock.advance(900 * SECOND_MS - 1);
  await rejects(signIn(), { ...locked, retryAfter: 1 });
  clock.advance(1);
  equal((await signIn()).user.id, 1);
});

test('100 failures from one network lock it for 15 minutes, and no other one', async () => {
  const { clock, signIn } = await start();
  for (let count = 1; count <= 100; count += 1)
    await rejects(signIn({ email: `person-${count}@example.test`, address: '2001:db8::1' }), failed);
  await rejects(signIn({ address: '2001:db8::2' }), { ...locked, retryAfter: 900 });
  equal((await signIn()).user.id, 1);
  clock.advance(900 * SECOND_MS);
  equal((await signIn({ address: '2001:db8::2' })).user.id, 1);
});

test('an attempt at a locked account or from a locked network waits for no other check', async () => {
  const { ports, clock, signIn } = await start();
  for (let count = 1; count <= 100; count += 1)
    await rejects(signIn({ email: `person-${count}@example.test` }), failed);
  for (let count = 1; count <= 10; count += 1)
    await rejects(signIn({ user: 2, attempt: wrong, address: `198.51.100.${count}` }), failed);
  const release = keepBusy(ports);
  for (const advance of [0, 899 * SECOND_MS]) {
    clock.advance(advance);
    await rejects(signIn(), locked);
    await rejects(signIn({ user: 2, address: '203.0.113.1' }), locked);
  }
  clock.advance(SECOND_MS);
  await rejects(signIn(), Unavailable);
  release();
  equal((await signIn()).user.id, 1);
});

test('a limit that is reached just before the password is checked counts, and says how long to wait', async () => {
  for (const [seconds, wait] of [
    [1, 'a minute'],
    [60, 'a minute'],
    [61, '2 minutes'],
    [900, '15 minutes'],
  ] as const) {
    const { signIn } = await start({ limits: { waitFor: async () => 0, consume: async () => seconds } });
    const message = `Too many failed attempts; try again in ${wait}`;
    await rejects(signIn(), { ...locked, message, retryAfter: seconds });
  }
});

test('an input that is too long for an address names no longer counter', async () => {
  const subjects: string[] = [];
  const { ports, signIn } = await start();
  const { consume } = ports.limits;
  Object.assign(ports.limits, {
    consume(...[limit, subject]: Parameters<typeof consume>) {
      subjects.push(subject);
      return consume(limit, subject);
    },
  });
  await rejects(signIn({ email: 'x'.repeat(100_000) }), failed);
  deepEqual(
    subjects.map(({ length }) => length),
    ['192.0.2.1'.length, 254],
  );
});

test('the security log has each sign-in and each failure, with the account only if it is an address', async () => {
  const { clock, events, signIn } = await start();
  await signIn();
  await rejects(
    signIn({ email: ' User-1@Example.test', attempt: wrong, address: '[2001:db8::1]:443' }),
    failed,
  );
  await rejects(signIn({ email: 'nobody@example.test' }), failed);
  await rejects(signIn({ email: password.reveal(), address: 'unknown' }), failed);
  deepEqual(events.splice(0), [
    { kind: 'signed-in', userId: 1, by: 'password', address: '192.0.2.1' },
    { kind: 'sign-in-failed', address: '2001:db8::1', account: aUser(1).email },
    { kind: 'sign-in-failed', address: '192.0.2.1', account: 'nobody@example.test' },
    { kind: 'sign-in-failed', address: null, account: null },
  ]);
  const unsafe = ['a@b.test\n{"level":60}', 'a@b.test\u001b[2J', 'a@b.test\u009b2J', 'a@b.test\u202e', ''];
  for (const email of [...unsafe, `${'x'.repeat(100_000)}@example.test`]) {
    await rejects(signIn({ email }), failed);
    deepEqual(events.splice(0), [{ kind: 'sign-in-failed', address: '192.0.2.1', account: null }], email);
  }
  for (let count = 0; count < 9; count += 1) await rejects(signIn({ attempt: wrong }), failed);
  events.splice(0);
  await rejects(signIn(), locked);
  deepEqual(events, [{ kind: 'sign-in-refused', address: '192.0.2.1', account: aUser(1).email }]);
  clock.advance(900 * SECOND_MS);

  const without = await start({ isLogged: false });
  await rejects(without.signIn({ attempt: wrong }), failed);
  equal((await without.signIn()).user.id, 1);
});

test('a count that cannot be taken back is an error, unless another error came first', async () => {
  const forgive = () => Promise.reject(new Error('the limits are away'));
  const { ports, signIn } = await start({ limits: { forgive } });
  await rejects(signIn(), /the limits are away/);
  keepBusy(ports);
  Object.assign(ports.passwords, {
    async verify({ hash }: { readonly hash: () => Promise<string | null> }) {
      await hash();
      throw new Unavailable('busy');
    },
  });
  await rejects(signIn(), Unavailable);
});

test('the counts of an attempt are taken back before it is answered', async () => {
  for (const isBusy of [false, true]) {
    let taken = 0;
    const { ports, signIn } = await start({
      limits: {
        async forgive() {
          await setImmediate();
          taken += 1;
        },
      },
    });
    const { verify } = ports.passwords;
    Object.assign(ports.passwords, {
      async verify(attempt: Parameters<typeof verify>[0]) {
        const matches = await verify(attempt);
        if (isBusy) throw new Unavailable('busy');
        return matches;
      },
    });
    const answer = signIn();
    if (isBusy) await rejects(answer, Unavailable);
    else ok((await answer).session);
    equal(taken, 2);
  }
});
