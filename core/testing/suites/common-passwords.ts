import type { CommonPasswords } from '../../users/ports/passwords.js';
import { Secret } from '../../values/secret.js';
import { type ContractTest, expectEqual, promise } from '../expect.js';

/** The promises of `CommonPasswords`. `start` is called once for each test. */
export function commonPasswordsSuite(start: () => Promise<CommonPasswords>): readonly ContractTest[] {
  return [
    promise('CommonPasswords: the most common passwords are known, in upper and lower case', async () => {
      const { has } = await start();
      for (const common of ['password', '12345678', 'qwertyuiop', 'iloveyou', 'PASSWORD', 'PassWord'])
        expectEqual([common, await has(new Secret(common))], [common, true]);
    }),
    promise('CommonPasswords: a password counts as a whole, with every character', async () => {
      const { has } = await start();
      const others = ['', ' ', 'password ', ' password', 'password\n12345678', 'my password is long', '\n'];
      for (const other of [...others, 'ä'.repeat(1000), '__proto__', 'vL9#xQ2!mR7$'])
        expectEqual([other, await has(new Secret(other))], [other, false]);
    }),
    promise('CommonPasswords: many callers at once get the same answer', async () => {
      const { has } = await start();
      const callers = Array.from({ length: 20 }, () => has(new Secret('password')));
      expectEqual(new Set(await Promise.all(callers)), new Set([true]));
    }),
  ];
}
