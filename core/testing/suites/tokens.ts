import type { TokenClaims, Tokens } from '../../access/ports.js';
import { type ContractTest, expectEqual } from '../expect.js';

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
