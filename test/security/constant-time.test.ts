import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

// Timing cannot be tested on a busy machine, so these tests read the sources. Database lookups use keyed hashes: their
// timing reveals nothing about the secret.

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources: readonly Source[] = ['core', 'adapters', 'app'].flatMap((part) =>
  readdirSync(join(root, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name) && !/\.d\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](?:dist|node_modules)[\\/]/.test(path))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') })),
);

/** Names of variables that contain a secret, or a value that is compared with one. */
const secretName =
  /(?:token|secret|password|mac|hmac|signature|hash|accesskey|digest|credential|session|cookie)s?$/i;

/** Every comparison with a value that is named like a secret; comparisons with literals reveal nothing. */
function comparisons({ path, text }: Source): readonly string[] {
  const operand = String.raw`[\w$.?!]+(?:\([^()]*\))?`;
  const equality = new RegExp(`(${operand})\\s*[!=]==?\\s*(${operand}|['"\`\\d])`, 'g');
  const method = new RegExp(`(${operand})\\.(?:equals|compare|localeCompare)\\((${operand})`, 'g');
  return [...text.matchAll(equality), ...text.matchAll(method)]
    .filter(([, one = '', other = '']) => !isLiteral(one) && !isLiteral(other))
    .filter(([, one = '', other = '']) => isSecret(one) || isSecret(other))
    .map(([found]) => `${path}: ${found.replace(/\s+/g, ' ')}`);
}

function isLiteral(operand: string): boolean {
  return /^(?:null|undefined|true|false|['"`\d].*)$/.test(operand);
}

function isSecret(operand: string): boolean {
  return secretName.test(operand.replace(/\([^()]*\)$/, '').replace(/\.(?:reveal|toString|value)$/, ''));
}

/** Comparisons that need not take constant time, with the reason. */
const harmless: Readonly<Record<string, string>> = {
  'app/cli/read-password.ts: password !== repeated': 'one person at one terminal has typed both',
  'core/users/sign-on/save-sign-on.ts: connection.encryptedSecret === current.encryptedSecret':
    'nobody sends an encrypted text',
  'core/users/sign-on/save-sign-on.ts: before.encryptedSecret === after.encryptedSecret':
    'nobody sends an encrypted text',
};

describe('Secrets are compared in constant time', () => {
  test('no source compares a secret except with adapters/node/crypto/compare.ts', () => {
    const found = sources
      .filter(({ path }) => !path.startsWith('core/testing/'))
      .flatMap(comparisons)
      .filter((comparison) => harmless[comparison] === undefined);
    assert.deepEqual(found, []);
  });

  test('each exception is still needed', () => {
    const found = sources.flatMap(comparisons);
    assert.deepEqual(
      Object.keys(harmless).filter((comparison) => !found.includes(comparison)),
      [],
    );
  });

  test('only compare.ts uses timingSafeEqual, except for the receiver of the docs', () => {
    const users = sources.filter(({ text }) => text.includes('timingSafeEqual')).map(({ path }) => path);
    assert.deepEqual(users.sort(), [
      'adapters/express/pages/docs/receivers/receiver.mjs',
      'adapters/node/crypto/compare.ts',
    ]);
  });

  test('tokens, invitations and forms are compared with sameText', () => {
    const uses = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/sameText\(([\w$]+), /g)].map(([, value]) => `${path} ${value}`),
    );
    assert.deepEqual(uses.filter((use) => use.startsWith('adapters/')).sort(), [
      'adapters/node/crypto/codes.ts right',
      'adapters/node/crypto/form-tokens.ts token',
      'adapters/node/crypto/secrets.ts token',
      'adapters/node/crypto/tokens.ts mac',
    ]);
  });

  test('the database looks secrets up by their keyed hashes', () => {
    const keys = sources
      .filter(({ path }) => path.startsWith('adapters/sql/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/WHERE (?:\w+\.)?(\w*(?:hash|token|secret|password|key)\w*) (?:=|IN)/gi)].map(
          ([, column]) => `${path} ${column}`,
        ),
      );
    assert.deepEqual([...new Set(keys)].sort(), [
      // An Idempotency-Key, which opens nothing without the operator's token.
      'adapters/sql/maintenance/import-log.ts key',
      // The name of a secret key, which its URLs and `keys` show.
      'adapters/sql/maintenance/key-needs.ts key_id',
      'adapters/sql/stores/calendar-feeds.ts hash',
      'adapters/sql/stores/directory-tokens.ts hash',
      'adapters/sql/stores/locks.ts hash',
      'adapters/sql/stores/login-links.ts hash',
      'adapters/sql/stores/organizations.ts access_key_hash',
      'adapters/sql/stores/password-resets.ts hash',
      'adapters/sql/stores/sessions.ts hash',
      'adapters/sql/stores/setup-links.ts hash',
    ]);
  });

  test('planted comparisons are caught', () => {
    const planted = [
      'if (given === signature) return;',
      'return mac != expected(body);',
      'const right = token.reveal() === other;',
      'stored.passwordHash !== hash(password)',
      'Buffer.from(one).equals(secret)',
      'accessKey.localeCompare(stored) === 0',
      'if (request.headers.cookie == sessionToken) go();',
    ];
    for (const text of planted) {
      assert.equal(comparisons({ path: 'x.ts', text }).length > 0, true, text);
    }
    for (const text of [
      "token === ''",
      'hash !== null',
      "role === 'owner'",
      'password.length === other.length',
    ]) {
      assert.deepEqual(comparisons({ path: 'x.ts', text }), [], text);
    }
  });
});
