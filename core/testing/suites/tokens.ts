import type { TokenClaims, Tokens } from '../../access/ports/tokens.js';
import { type ContractTest, expectEqual, expectTrue, promise } from '../expect.js';
import { anotherKey, changedTexts, oneKey, rotatedKeys, type SecretKeys } from './secret-keys.js';

const claims: TokenClaims = {
  organizationId: 7,
  generation: 3,
  issuedAt: new Date('2026-11-20T12:00:00.000Z'),
  expiresAt: new Date('2026-11-21T12:00:00.000Z'),
};

/** Claims with the smallest and the largest value of every field. */
const extremes: readonly TokenClaims[] = [
  { ...claims, organizationId: 1, generation: 0 },
  { ...claims, organizationId: Number.MAX_SAFE_INTEGER, generation: 2_147_483_647 },
  { ...claims, issuedAt: new Date(0), expiresAt: new Date(1000) },
  {
    ...claims,
    issuedAt: new Date('2999-01-01T00:00:00.000Z'),
    expiresAt: new Date('2999-01-02T00:00:00.000Z'),
  },
];

/**
 * The promises of `Tokens`. `start` returns an adapter with these keys; each call with the same keys returns another
 * instance.
 */
export function tokensSuite(start: (keys: SecretKeys) => Promise<Tokens>): readonly ContractTest[] {
  return [
    ...tokenShapes(() => start(oneKey)),
    promise('Tokens: a token with any character changed is null', async () => {
      const tokens = await start(oneKey);
      const token = (await tokens.issue(claims)).reveal();
      for (const changed of changedTexts(token))
        expectEqual([changed, await tokens.read(changed)], [changed, null]);
    }),
    promise('Tokens: a token without its signature, or with that of another token, is null', async () => {
      const tokens = await start(oneKey);
      const [one, other] = await Promise.all(
        [claims, { ...claims, organizationId: 8 }].map((each) => tokens.issue(each)),
      );
      const [head = '', body = ''] = (one?.reveal() ?? '').split('.');
      const [, , signature = ''] = (other?.reveal() ?? '').split('.');
      for (const text of [`${head}.${body}.`, `${head}.${body}`, `${head}.${body}.${signature}`])
        expectEqual([text, await tokens.read(text)], [text, null]);
    }),
    promise(
      'Tokens: another instance with the same key reads a token; one with another key does not',
      async () => {
        const token = (await (await start(oneKey)).issue(claims)).reveal();
        expectEqual(await (await start(oneKey)).read(token), claims);
        expectEqual(await (await start(anotherKey)).read(token), null);
      },
    ),
  ];
}

/** The promises of `Tokens` about key rotation; `start` returns an adapter that rotates keys. */
export function rotatedTokensSuite(start: (keys: SecretKeys) => Promise<Tokens>): readonly ContractTest[] {
  return [
    promise(
      'Tokens: after a rotation tokens of the previous key are read, and those of a key that is gone are not',
      async () => {
        const token = (await (await start(oneKey)).issue(claims)).reveal();
        const rotated = await start(rotatedKeys);
        expectEqual(await rotated.read(token), claims);
        const next = (await rotated.issue(claims)).reveal();
        expectEqual(await (await start(oneKey)).read(next), null);
        expectEqual(await (await start(anotherKey)).read(next), claims);
      },
    ),
  ];
}

/** The promises that apply even to tokens without a signature. */
export function tokenShapes(start: () => Promise<Tokens>): readonly ContractTest[] {
  return [
    promise('Tokens: read returns the claims that were issued, at any time', async () => {
      const tokens = await start();
      for (const given of [claims, ...extremes]) {
        const token = await tokens.issue(given);
        expectEqual(await tokens.read(token.reveal()), given);
        expectEqual(await tokens.read(token.reveal()), given);
      }
    }),
    promise('Tokens: two tokens of different claims differ', async () => {
      const tokens = await start();
      const made = await Promise.all(
        [claims, ...extremes].map(async (each) => (await tokens.issue(each)).reveal()),
      );
      expectTrue(new Set(made).size === made.length, 'two tokens are the same');
    }),
    promise('Tokens: any other text is null', async () => {
      const tokens = await start();
      const token = (await tokens.issue(claims)).reveal();
      const none = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiI3In0.';
      for (const text of [
        '',
        '.',
        '..',
        'a.b.c',
        none,
        `${token}x`,
        `x${token}`,
        `${token}.x`,
        token.slice(0, -1),
        token.toUpperCase(),
        'x'.repeat(100_000),
      ])
        expectEqual([text.slice(0, 50), await tokens.read(text)], [text.slice(0, 50), null]);
    }),
  ];
}
