import type { Secrets, TokenClaims, Tokens } from '../../access/ports.js';
import type { Passwords } from '../../users/ports.js';
import { Secret } from '../../values/secret.js';
import { testUuid } from '../dataset.js';
import { type ContractTest, expectEqual, expectThrow, expectTrue } from '../expect.js';

/** The promises of `Secrets` that hold without knowing how they are kept. */
export function secretsSuite(start: () => Promise<Secrets>): readonly ContractTest[] {
  const test = (name: string, work: (secrets: Secrets) => Promise<void>): ContractTest => ({
    name: `Secrets: ${name}`,
    run: async () => work(await start()),
  });
  return [
    test('access keys have 24 digits, differ, and hash alike each time', async (secrets) => {
      const keys = Array.from({ length: 50 }, () => secrets.newAccessKey().reveal());
      expectTrue(
        keys.every((key) => /^[0-9]{24}$/.test(key)),
        'an access key is not 24 digits',
      );
      expectEqual(new Set(keys).size, 50);
      const [key = ''] = keys;
      expectEqual(secrets.accessKeyHashes(key), secrets.accessKeyHashes(key));
      expectTrue(!secrets.accessKeyHashes(key).some((hash) => hash === key), 'the hash is the key');
    }),

    test('a token is found by its hash for its own purpose only', async (secrets) => {
      const purposes = ['login-link', 'session', 'calendar'] as const;
      for (const purpose of purposes) {
        const { token, hash } = secrets.newToken(purpose);
        expectEqual(secrets.tokenHash(purpose, token.reveal()), hash);
        for (const other of purposes.filter((candidate) => candidate !== purpose)) {
          const isSame = secrets.tokenHash(other, token.reveal()) === hash;
          expectTrue(!isSame, `a ${purpose} token works as a ${other} one`);
        }
        expectEqual(secrets.tokenHash(purpose, ''), null);
        expectEqual(secrets.tokenHash(purpose, 'nonsense'), null);
      }
    }),

    test('an invitation’s token is the same each time and is read back', async (secrets) => {
      const invitation = { id: testUuid(42), keyId: secrets.keyId };
      const token = secrets.invitationToken(invitation).reveal();
      expectEqual(secrets.invitationToken(invitation).reveal(), token);
      expectEqual(secrets.readInvitationToken(token), testUuid(42));
      expectTrue(
        secrets.invitationToken({ ...invitation, id: testUuid(43) }).reveal() !== token,
        'two are the same',
      );
      expectEqual(secrets.readInvitationToken(''), null);
      expectEqual(secrets.readInvitationToken('nonsense'), null);
    }),

    test('a secret is decrypted for its organization and for no other', async (secrets) => {
      const secret = secrets.newSigningSecret();
      const encrypted = secrets.encrypt({ secret, organizationId: 1 });
      expectEqual(secrets.decrypt({ encrypted, organizationId: 1 }).reveal(), secret.reveal());
      await expectThrow(
        async () => secrets.decrypt({ encrypted, organizationId: 2 }),
        (error) => error instanceof Error,
      );
    }),

    test('a signature depends on the body and on the secret', async (secrets) => {
      const [one, other] = [secrets.newSigningSecret(), secrets.newSigningSecret()];
      const signature = secrets.sign({ body: 'text', secret: one });
      expectEqual(secrets.sign({ body: 'text', secret: one }), signature);
      expectTrue(
        secrets.sign({ body: 'text ', secret: one }) !== signature,
        'another body has the same signature',
      );
      expectTrue(secrets.sign({ body: 'text', secret: other }) !== signature, 'another secret signs alike');
    }),
  ];
}

/** The promises of `Tokens`. */
export function tokensSuite(start: () => Promise<Tokens>): readonly ContractTest[] {
  const claims: TokenClaims = {
    organizationId: 7,
    generation: 3,
    issuedAt: new Date('2026-11-20T12:00:00.000Z'),
    expiresAt: new Date('2026-11-21T12:00:00.000Z'),
  };
  return [
    {
      name: 'Tokens: read gives the claims that issue was given, whatever the time',
      async run() {
        const tokens = await start();
        const token = await tokens.issue(claims);
        expectEqual(await tokens.read(token.reveal()), claims);
      },
    },
    {
      name: 'Tokens: anything else is null',
      async run() {
        const tokens = await start();
        const token = (await tokens.issue(claims)).reveal();
        for (const text of [
          '',
          '.',
          '..',
          'a.b.c',
          `${token}x`,
          `x${token}`,
          token.slice(0, -1),
          token.toUpperCase(),
        ]) {
          expectEqual([text, await tokens.read(text)], [text, null]);
        }
      },
    },
  ];
}

/** The promises of `Passwords`. */
export function passwordsSuite(start: () => Promise<Passwords>): readonly ContractTest[] {
  return [
    {
      name: 'Passwords: a hash verifies its own password only, and null verifies nothing',
      async run() {
        const passwords = await start();
        const hash = await passwords.hash(new Secret('correct horse'));
        const verify = (password: string, stored: string | null) =>
          passwords.verify({ password: new Secret(password), hash: async () => stored });
        expectEqual(await verify('correct horse', hash), true);
        expectEqual(await verify('correct horse ', hash), false);
        expectEqual(await verify('correct horse', null), false);
        expectTrue(!hash.includes('correct'), 'the hash holds the password');
      },
    },
    {
      name: 'Passwords: the hash is asked for once, and what that throws comes through',
      async run() {
        const passwords = await start();
        const password = new Secret('correct horse');
        const hash = await passwords.hash(password);
        let asked = 0;
        const ask = async () => {
          asked += 1;
          return hash;
        };
        expectEqual(await passwords.verify({ password, hash: ask }), true);
        expectEqual(asked, 1);
        const failure = new Error('not now');
        const refuse = async () => {
          throw failure;
        };
        await expectThrow(
          () => passwords.verify({ password, hash: refuse }),
          (error) => error === failure,
        );
        expectEqual(await passwords.verify({ password, hash: ask }), true);
      },
    },
  ];
}
