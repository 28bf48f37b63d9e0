import type { Passwords } from '../../users/ports/passwords.js';
import { Secret } from '../../values/secret.js';
import { type ContractTest, expectEqual, expectPassedOn, expectTrue, promise } from '../expect.js';

/** The promises of `Passwords`. `start` is called once for each test. */
export function passwordsSuite(start: () => Promise<Passwords>): readonly ContractTest[] {
  return [
    promise('Passwords: two hashes of one password differ, and both verify it', async () => {
      const passwords = await start();
      const password = new Secret('correct horse');
      const [one, other] = [await passwords.hash(password), await passwords.hash(password)];
      expectTrue(one !== other, 'the hash has no salt');
      for (const hash of [one, other])
        expectEqual(await passwords.verify({ password, hash: async () => hash }), true);
    }),
    promise('Passwords: every character counts, also beyond the 72 bytes at which bcrypt stops', async () => {
      const passwords = await start();
      const long = 'ä'.repeat(100);
      const stored = await passwords.hash(new Secret(`${long}1`));
      const hash = async () => stored;
      expectEqual(await passwords.verify({ password: new Secret(`${long}1`), hash }), true);
      for (const wrong of [`${long}2`, long, `${long}1\u0000`, `${long}1 `, ''])
        expectEqual(await passwords.verify({ password: new Secret(wrong), hash }), false);
    }),
    promise('Passwords: a hash matches its own password only, and null matches none', async () => {
      const passwords = await start();
      const hash = await passwords.hash(new Secret('correct horse'));
      const verify = (password: string, stored: string | null) =>
        passwords.verify({ password: new Secret(password), hash: async () => stored });
      expectEqual(await verify('correct horse', hash), true);
      expectEqual(await verify('correct horse ', hash), false);
      expectEqual(await verify('correct horse', null), false);
      expectTrue(!hash.includes('correct'), 'the hash holds the password');
    }),
    promise('Passwords: verify reads the hash once, and passes its errors on', async () => {
      const passwords = await start();
      const password = new Secret('correct horse');
      const hash = await passwords.hash(password);
      let calls = 0;
      const readHash = async () => {
        calls += 1;
        return hash;
      };
      expectEqual(await passwords.verify({ password, hash: readHash }), true);
      expectEqual(calls, 1);
      await expectPassedOn((fail) => passwords.verify({ password, hash: async () => fail() }));
      expectEqual(await passwords.verify({ password, hash: readHash }), true);
    }),
  ];
}
