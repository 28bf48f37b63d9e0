import type { Secrets } from '../../access/ports/secrets.js';
import { UnknownKey } from '../../errors.js';
import { Secret } from '../../values/secret.js';
import { testUuid } from '../dataset.js';
import { type ContractTest, expectEqual, expectThrow, expectTrue, promise } from '../expect.js';
import {
  anotherKey,
  changedTexts,
  oneKey,
  otherCases,
  rotatedKeys,
  type SecretKeys,
  variedBits,
} from './secret-keys.js';

const purposes = ['directory', 'login-link', 'setup-link', 'session', 'calendar'] as const;

/** Signatures (HMAC-SHA-256 in lower-case hex) as independent programs compute them. The first is a test vector of RFC 4231. */
export const knownSignatures = [
  {
    secret: 'Jefe',
    body: 'what do ya want for nothing?',
    signature: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    secret: 'whsec_key',
    body: '',
    signature: '1b5f7cb8397ac6546ede5e703b763228beea4927c060e22c4ddaa2944eb8f98c',
  },
  {
    secret: 'whsec_schlüssel',
    body: '{"name":"Zoë 🙂"}',
    signature: '871deb9f013e194561ee6de1a5059cd05a7373646d54a4148443daa723e90ca1',
  },
  {
    secret: 'k'.repeat(100),
    body: 'x'.repeat(100_000),
    signature: 'f17c7ce831fa32782d0f7b18d09321b3a24bc3d1f628078db90bce31e3f91b84',
  },
] as const;

/** Signatures of `signBase64` as independent programs compute them. The first is the example of Standard Webhooks. */
export const knownBase64Signatures = [
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    text: 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}',
    signature: 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    text: '',
    signature: '04tCCW2A9F+Ca0Sp1WB95ySWpBXT9KGoyI47udqNwcs=',
  },
  {
    secret: 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=',
    text: 'id.0.{"name":"Zoë 🙂"}',
    signature: '5mHxPKl/qIuSt42pYc2WRq3JJiWqC/Yyo3PMgYwxyo8=',
  },
  {
    secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    text: 'x'.repeat(100_000),
    signature: 'xzvQGymThAelYIhmusaGDSUKobFKXw3Ew0rFzlHJZtU=',
  },
] as const;

/** The codes of RFC 6238, appendix B, for SHA-1 and six digits, by the second since 1970. */
const knownCodes = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
] as const;

/**
 * The promises of `Secrets`. `start` returns an adapter with these keys; each call with the same keys returns another
 * instance.
 */
export function secretsSuite(start: (keys: SecretKeys) => Promise<Secrets>): readonly ContractTest[] {
  const test = (name: string, work: (secrets: Secrets, other: Secrets) => Promise<void>): ContractTest =>
    promise(`Secrets: ${name}`, async () => work(await start(oneKey), await start(anotherKey)));
  return [
    ...secretShapes(() => start(oneKey)),

    test('access keys are random', async (secrets) => {
      const keys = Array.from({ length: 200 }, () => secrets.newAccessKey().reveal());
      expectTrue(variedBits(keys) > 70, 'access keys have positions that hardly vary');
    }),

    test('the hash of an access key has 256 bits and depends on every digit and on the secret key', async (secrets, other) => {
      const key = '314159265358979323846264';
      const [hash = ''] = secrets.accessKeyHashes(key);
      const hashes = Array.from(
        { length: 200 },
        () => secrets.accessKeyHashes(secrets.newAccessKey().reveal())[0] ?? '',
      );
      expectTrue(variedBits(hashes) > 200, 'the hash of an access key has fewer than 256 bits');
      for (let at = 0; at < key.length; at += 1) {
        const changed = `${key.slice(0, at)}${(Number(key[at]) + 1) % 10}${key.slice(at + 1)}`;
        expectTrue(
          !secrets.accessKeyHashes(changed).includes(hash),
          `digit ${at + 1} does not change the hash`,
        );
      }
      expectTrue(!other.accessKeyHashes(key).includes(hash), 'the hash is the same under another secret key');
      expectTrue(!hash.includes(key), 'the hash holds the access key');
    }),

    test('tokens have 256 random bits, and their hash depends on all of them and on the secret key', async (secrets, other) => {
      for (const purpose of purposes) {
        const made = Array.from({ length: 200 }, () => secrets.newToken(purpose));
        expectTrue(
          variedBits(made.map(({ token }) => token.reveal())) > 200,
          `${purpose} tokens have fewer than 256 bits`,
        );
        expectTrue(
          variedBits(made.map(({ hash }) => hash)) > 200,
          `hashes of ${purpose} tokens have fewer than 256 bits`,
        );
        // Several, because some texts in another case cannot be tokens at all.
        for (const { token, hash } of made.slice(0, 20)) {
          const text = token.reveal();
          expectTrue(!hash.includes(text.split('.').at(-1) ?? text), 'the hash holds the token');
          expectTrue(
            other.tokenHash(purpose, text) !== hash,
            'the hash is the same under another secret key',
          );
          for (const changed of [...changedTexts(text), ...otherCases(text)])
            expectTrue(
              secrets.tokenHash(purpose, changed) !== hash,
              `a changed ${purpose} token has the same hash`,
            );
        }
      }
    }),

    test('the id of a session depends on the hash and on the secret key, and reveals nothing of the hash', async (secrets, other) => {
      const hashes = Array.from({ length: 200 }, () => secrets.newToken('session').hash);
      const ids = hashes.map((hash) => secrets.sessionId(hash));
      expectTrue(variedBits(ids) > 100, 'ids of sessions have fewer than 128 bits');
      const part = (text: string): string => text.split(/[^\w-]/).at(-1) ?? text;
      for (const [index, hash] of hashes.slice(0, 20).entries()) {
        const id = ids[index] ?? '';
        expectTrue(!id.includes(part(hash).slice(0, 8)), 'the id holds a part of the hash');
        expectTrue(other.sessionId(hash) !== id, 'the id is the same under another secret key');
        expectTrue(secrets.tokenHash('session', id) !== hash, 'the id opens the session');
      }
    }),

    test('an invitation’s token that was changed, or made with another secret key, is read as null', async (secrets, other) => {
      const token = secrets.invitationToken({ id: testUuid(42), keyId: secrets.keyId }).reveal();
      for (const changed of [...changedTexts(token), ...otherCases(token)])
        expectEqual(secrets.readInvitationToken(changed), null);
      for (const changed of [`${token}A`, `${token}.`, ` ${token}`, token.slice(0, -1), token.slice(1)])
        expectEqual(secrets.readInvitationToken(changed), null);
      expectEqual(other.readInvitationToken(token), null);
      const again = (await start(oneKey)).readInvitationToken(token);
      expectEqual(again, testUuid(42));
    }),

    test('an unknown key id counts as the current one', async (secrets) => {
      const [known, unknown] = [secrets.keyId, 'no such key'].map((keyId) =>
        secrets.invitationToken({ id: testUuid(42), keyId }).reveal(),
      );
      expectEqual(unknown, known);
    }),

    test('signing secrets are whsec_ and the base64 of 32 random bytes', async (secrets) => {
      const made = Array.from({ length: 200 }, () => secrets.newSigningSecret().reveal());
      for (const text of made)
        expectTrue(/^whsec_[A-Za-z0-9+/]{43}=$/.test(text), 'a signing secret has another form');
      expectTrue(variedBits(made) > 200, 'signing secrets have fewer than 256 bits');
    }),

    test('encrypted text reveals nothing of the secret, differs each time, and is refused if it was changed', async (secrets, other) => {
      const text = 'whsec_a secret that nobody may read';
      const encrypt = (): string => secrets.encrypt({ secret: new Secret(text), organizationId: 1 });
      const [one, two] = [encrypt(), encrypt()];
      expectTrue(one !== two, 'the same secret is encrypted to the same text');
      for (const shown of [text, ...['secret', 'nobody'].flatMap(encodings)])
        expectTrue(!one.toLowerCase().includes(shown.toLowerCase()), 'the encrypted text shows the secret');
      for (const changed of changedTexts(one))
        await expectThrow(Error, () => secrets.decrypt({ encrypted: changed, organizationId: 1 }));
      await expectThrow(Error, () => other.decrypt({ encrypted: one, organizationId: 1 }));
    }),

    test('a code is right in its 30 seconds and the ones before and after, by RFC 6238', async (secrets) => {
      const secret = new Secret('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
      for (const [second, code] of knownCodes) {
        const step = Math.floor(second / 30);
        const stepAt = (seconds: number) =>
          secrets.codeStep({ secret, code, at: new Date((step * 30 + seconds) * 1000) });
        expectEqual([-31, -30, 0, 29, 59.999, 60].map(stepAt), [null, step, step, step, step, null]);
      }
    }),

    test('codes come from 160 random bits, and anything but six digits is none', async (secrets) => {
      const made = Array.from({ length: 200 }, () => secrets.newCodeSecret().reveal());
      for (const text of made) expectTrue(/^[A-Z2-7]{32}$/.test(text), 'a secret is not base32 of 160 bits');
      expectTrue(variedBits(made) > 130, 'secrets of codes have fewer than 160 bits');
      const secret = new Secret('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
      for (const code of ['', '28708', '2870820', ' 287082', '287 082', '２８７０８２', '-87082'])
        expectEqual(secrets.codeStep({ secret, code, at: new Date(59_000) }), null);
    }),

    test('recovery codes are random, and their hash depends on every character and on the secret key', async (secrets, other) => {
      const made = Array.from({ length: 200 }, () => secrets.newRecoveryCode());
      const texts = made.map(({ code }) => code.reveal());
      for (const text of texts)
        expectTrue(/^[a-z2-7]{5}-[a-z2-7]{5}$/.test(text), 'a recovery code has another form');
      expectTrue(variedBits(texts) > 40, 'recovery codes have fewer than 50 bits');
      for (const [index, { hash }] of made.slice(0, 20).entries()) {
        const text = texts[index] ?? '';
        expectTrue(!hash.includes(text) && !hash.includes(text.replace('-', '')), 'the hash holds the code');
        for (const typed of [text, text.toUpperCase(), ` ${text.replace('-', ' ')} `])
          expectEqual(secrets.recoveryCodeHashes(typed), [hash]);
        for (const changed of changedTexts(text.toUpperCase()))
          expectTrue(!secrets.recoveryCodeHashes(changed).includes(hash), 'another code has the same hash');
        expectTrue(!other.recoveryCodeHashes(text).includes(hash), 'another key gives the same hash');
      }
    }),

    test('a signature is the hex of the HMAC-SHA256 of the bytes', async (secrets) => {
      for (const { secret, body, signature } of knownSignatures)
        expectEqual(secrets.sign({ body, secret: new Secret(secret) }), signature);
    }),

    test('signBase64 gives the base64 of the HMAC-SHA256, keyed with the bytes that the secret encodes', async (secrets) => {
      for (const { secret, text, signature } of knownBase64Signatures)
        expectEqual(secrets.signBase64({ text, secret: new Secret(secret) }), signature);
    }),
  ];
}

/** The promises of `Secrets` about key rotation; `start` returns an adapter that rotates keys. */
export function rotatedSecretsSuite(start: (keys: SecretKeys) => Promise<Secrets>): readonly ContractTest[] {
  const test = (name: string, work: (before: Secrets, after: Secrets) => Promise<void>): ContractTest =>
    promise(`Secrets: ${name}`, async () => work(await start(oneKey), await start(rotatedKeys)));
  return [
    test('after a rotation the current key comes first among the hashes of an access key', async (before, after) => {
      const [old, hashes] = [
        before.accessKeyHashes('314159265358979323846264'),
        after.accessKeyHashes('314159265358979323846264'),
      ];
      expectEqual([hashes.length, hashes[1]], [2, old[0]]);
      expectTrue(after.keyId !== before.keyId, 'two keys have the same id');
    }),

    test('after a rotation tokens of the previous key have their hashes', async (before, after) => {
      for (const purpose of purposes) {
        const { token, hash } = before.newToken(purpose);
        expectEqual(after.tokenHash(purpose, token.reveal()), hash);
      }
    }),

    test('after a rotation a recovery code of the previous key has its hash', async (before, after) => {
      const { code, hash } = before.newRecoveryCode();
      expectEqual(after.recoveryCodeHashes(code.reveal()).indexOf(hash), 1);
    }),

    test('after a rotation the sessions of the previous key keep their ids', async (before, after) => {
      const { hash } = before.newToken('session');
      expectEqual(after.sessionId(hash), before.sessionId(hash));
    }),

    test('after a rotation an invitation keeps its token, and new ones have another', async (before, after) => {
      const invitation = { id: testUuid(42), keyId: before.keyId };
      const token = before.invitationToken(invitation).reveal();
      expectEqual(after.invitationToken(invitation).reveal(), token);
      expectEqual(after.readInvitationToken(token), testUuid(42));
      const ofNewKey = after.invitationToken({ ...invitation, keyId: after.keyId }).reveal();
      expectTrue(ofNewKey !== token, 'the new key makes the token of the previous one');
      expectEqual(before.readInvitationToken(ofNewKey), null);
    }),

    test('after a rotation the previous key decrypts; UnknownKey names a removed key', async (before, after) => {
      const secret = before.newSigningSecret();
      const encrypted = before.encrypt({ secret, organizationId: 1 });
      expectEqual(after.decrypt({ encrypted, organizationId: 1 }).reveal(), secret.reveal());
      const withoutIt = await start(anotherKey);
      const error = await expectThrow(UnknownKey, () => withoutIt.decrypt({ encrypted, organizationId: 1 }));
      expectEqual(error.keyId, before.keyId);
    }),
  ];
}

/** The promises that apply even to secrets in plain text. */
export function secretShapes(start: () => Promise<Secrets>): readonly ContractTest[] {
  const test = (name: string, work: (secrets: Secrets) => Promise<void>): ContractTest =>
    promise(`Secrets: ${name}`, async () => work(await start()));
  return [
    test('access keys have 24 digits, are different, and always have the same hashes', async (secrets) => {
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

    test('a token has its hash for its own purpose only', async (secrets) => {
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

    test('a session always has the same id, of letters, digits, hyphens and underscores', async (secrets) => {
      const hashes = Array.from({ length: 50 }, () => secrets.newToken('session').hash);
      const ids = hashes.map((hash) => secrets.sessionId(hash));
      expectEqual(
        hashes.map((hash) => secrets.sessionId(hash)),
        ids,
      );
      expectEqual([new Set(ids).size, ids.filter((id) => !/^[\w-]+$/.test(id))], [50, []]);
    }),

    test('an invitation always has the same token, and the id can be read from it', async (secrets) => {
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

    test('a secret can be decrypted for its own organization only', async (secrets) => {
      const secret = secrets.newSigningSecret();
      const encrypted = secrets.encrypt({ secret, organizationId: 1 });
      expectEqual(secrets.decrypt({ encrypted, organizationId: 1 }).reveal(), secret.reveal());
      await expectThrow(Error, () => secrets.decrypt({ encrypted, organizationId: 2 }));
      await expectThrow(Error, () => secrets.decrypt({ encrypted, userId: 1 }));
      const ofUser = secrets.encrypt({ secret, userId: 1 });
      expectEqual(secrets.decrypt({ encrypted: ofUser, userId: 1 }).reveal(), secret.reveal());
      for (const owner of [{ userId: 2 }, { organizationId: 1 }])
        await expectThrow(Error, () => secrets.decrypt({ encrypted: ofUser, ...owner }));
    }),

    ...(['sign', 'signBase64'] as const).map((method) =>
      test(`a signature of ${method} depends on the text and on the secret`, async (secrets) => {
        const [one, other] = [secrets.newSigningSecret(), secrets.newSigningSecret()];
        const sign = (text: string, secret: Secret) => secrets[method]({ text, body: text, secret });
        const signature = sign('text', one);
        expectEqual(sign('text', one), signature);
        expectTrue(sign('text ', one) !== signature, 'another text has the same signature');
        expectTrue(sign('text', other) !== signature, 'another secret signs alike');
      }),
    ),
  ];
}

/** The text in encodings that are not encryption: hex, and base64 at each of the three offsets. */
function encodings(text: string): readonly string[] {
  const codes = [...text].map((character) => character.charCodeAt(0));
  const hex = codes.map((code) => code.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((offset) => base64Middle(codes, offset));
  return [hex, ...base64];
}

/** The base64 characters that depend only on these bytes, if `offset` unknown bytes precede them. */
function base64Middle(codes: readonly number[], offset: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const bits = codes.map((code) => code.toString(2).padStart(8, '0')).join('');
  const skipped = (6 - ((offset * 8) % 6)) % 6;
  const groups = bits.slice(skipped).match(/.{6}/g) ?? [];
  return groups.map((group) => alphabet[Number.parseInt(group, 2)]).join('');
}
