import type { Passwords } from '../../users/ports.js';
import { Secret } from '../../values/secret.js';
import { type ContractTest, expectEqual, expectThrow, expectTrue } from '../expect.js';

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
