import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, Refusal, Secret } from '@rollcall/core';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';
import { tokenOf } from '../../support/core/refused.js';

const email = 'dana.kimura@example.test';
const name = { firstName: 'Zoë', lastName: 'Kimura-Lind' };
const current = new Secret('before the rules');
const links = {
  invitation: (token: Secret) => `https://rollcall.test/invitations/${token.reveal()}`,
  login: () => '',
  defaultAvatar: '',
};

/** Two organizations; Dana has an account and belongs to the first one. */
async function start() {
  const { ports, load } = memoryPorts();
  const core = createCore(ports, { serviceName: 'Roll Call', links });
  await load({ organizations: [{ ...anOrganization(1), name: 'Nörthwind Health AG' }, anOrganization(2)] });
  const user = await core.addUser({ email, ...name, password: current });
  await load({ memberships: [{ organizationId: 1, userId: user.id, role: 'member', idpId: null }] });
  return { core, user, ports };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Every use-case that sets a password, with the field that its refusal names. */
const ways: Readonly<
  Record<
    string,
    { readonly field: string; readonly set: (started: Started, password: Secret) => Promise<unknown> }
  >
> = {
  setPassword: { field: 'password', set: ({ core }, password) => core.setPassword({ email, password }) },
  changePassword: {
    field: 'newPassword',
    async set({ core, ports, user }, newPassword) {
      await ports.users.setPasswordHash({ userId: user.id, hash: await ports.passwords.hash(current) });
      const { session } = await core.signIn({ email, password: current, address: 'a' });
      return core.changePassword({
        session: session.reveal(),
        ...{ currentPassword: current, newPassword, address: 'a' },
      });
    },
  },
  acceptInvitation: {
    field: 'password',
    async set({ core, ports, user }, password) {
      await ports.users.setEmail({ from: user.email, to: 'someone-else@example.test' });
      const { invitationUrl } = await core.inviteUser({ organization: { id: 1 }, email, ...name });
      const person = { is: 'new', ...name, password } as const;
      return core.acceptInvitation({ token: tokenOf(invitationUrl), person, address: 'a' });
    },
  },
};

const guessable = [
  'kimura2026!',
  'K1MUR@-lind-99',
  'xx dana.kimura xx',
  'N0rthw1nd#2026',
  'north wind 2026',
  'H3@lth-first-99',
  'NörthwindHealthAG',
  'rollcall-2026',
  'R0llC@ll!!!!',
  'lind#2026',
];

for (const [way, { field, set }] of Object.entries(ways)) {
  const problemOf = async (text: string): Promise<readonly (string | null)[]> => {
    const error = await set(await start(), new Secret(text)).catch((reason: unknown) => reason);
    if (!(error instanceof Refusal)) return [];
    return [error.code, ...error.problems.flatMap((problem) => [problem.field, problem.code])];
  };

  test(`${way} refuses common passwords, in upper and lower case`, async () => {
    for (const text of ['password', 'QwertyUiop', '12345678', 'iloveyou', 'Northwind-P4ssword'])
      assert.deepEqual(await problemOf(text), ['invalid-request', field, 'too-common'], text);
  });

  test(`${way} refuses passwords that are little more than names that others know, however they are spelled`, async () => {
    for (const text of guessable)
      assert.deepEqual(await problemOf(text), ['invalid-request', field, 'guessable'], text);
  });

  test(`${way} takes every other password, of any characters`, async () => {
    const long = 'ä'.repeat(1000);
    for (const text of [
      'zoe likes tulips',
      'health for tulips',
      'kimura sees northwind from rollcall',
      'correct horse',
      'aaaaaaa!',
      '        ',
      'b4seb4ll',
      'zoe tulip',
      'example.test-2026',
      'пароль-мой',
      '密码密码密码密码',
      long,
    ])
      assert.deepEqual(await problemOf(text), [], text);
  });
}

test('the organization of another person and words of up to three letters are not refused', async () => {
  const { core } = await start();
  for (const text of [anOrganization(2).name, 'of zoe and the ag'])
    await core.setPassword({ email, password: new Secret(text) });
});

test('names count in any spelling, at any length from four letters, and together', async () => {
  const { core } = await start();
  const problemOf = async ([firstName, lastName, text]: readonly [string, string, string]) => {
    const person = { email: `${text.length}@example.test`, firstName, lastName };
    try {
      await core.addUser({ ...person, password: new Secret(text) });
      return null;
    } catch (error) {
      return error instanceof Refusal && error.problems;
    }
  };
  const message =
    'must have at least 8 letters or digits, not counting the account’s name and email address and the names of organizations and the service';
  for (const person of [
    ['Josefine', 'Li', 'josefine-26'],
    ['Tissot', 'Li', '7!$50t-2026'],
    ['Go Fit Co', 'Li', 'gofit-co-2026'],
    ['Ré Zéphérine', 'Li', 'zepherine-2026'],
    ['Anna', 'Annabelle', 'annabelle-xy1'],
    ['Annabelle', 'Anna', 'annabelle-xyz'],
  ] as const)
    assert.deepEqual(await problemOf(person), [{ field: 'password', code: 'guessable', message }], person[2]);
  assert.deepEqual(await problemOf(['A', 'B', 'Football']), [
    { field: 'password', code: 'too-common', message: 'is too common: choose another' },
  ]);
});

test('setPassword names every problem, also of a password that is too short', async () => {
  const { core, ports, user } = await start();
  const problemsOf = (address: string, text: string) =>
    core
      .setPassword({ email: address, password: new Secret(text) })
      .catch((error: Refusal) => error.problems);
  const short = { field: 'password', code: 'too-short', message: 'must have at least 8 characters' };
  const malformed = {
    ...{ field: 'email', code: 'malformed' },
    message: 'must be an email address such as dana@example.com',
  };
  assert.deepEqual(await problemsOf('dana', 'short'), [malformed, short]);
  assert.deepEqual(await problemsOf('nobody@example.test', 'short'), [short]);
  assert.deepEqual(await problemsOf(email, 'four blue kestrels'), user);
  ports.users.setPasswordHash = () => Promise.reject(new Error('the database is away'));
  await assert.rejects(core.setPassword({ email, password: current }), /the database is away/);
});

test('addUser refuses the same passwords', async () => {
  const { core } = await start();
  for (const text of ['password', 'lindqvist-1', 'rollcall-1']) {
    const person = { email: 'a@example.test', firstName: 'A', lastName: 'Lindqvist' };
    const creating = core.addUser({ ...person, password: new Secret(text) });
    await assert.rejects(creating, (error) => error instanceof Refusal && error.code === 'invalid-request');
  }
});

test('a password from before these rules still signs in', async () => {
  const { core, ports, user } = await start();
  for (const old of ['password', 'kimura2026']) {
    const password = new Secret(old);
    await ports.users.setPasswordHash({ userId: user.id, hash: await ports.passwords.hash(password) });
    assert.equal((await core.signIn({ email, password, address: 'a' })).user.id, user.id);
  }
});
