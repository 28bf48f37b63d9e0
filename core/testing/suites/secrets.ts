import type { Secrets } from '../../access/ports.js';
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
