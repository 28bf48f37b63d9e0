import type { Passwords } from '@rollcall/core';
import { createQueue } from './queue.js';

/** Of a password that nobody knows, with the cost of all others: who has no account must wait as long as who has. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KIt5q2sMmne+S1w0wxhxZg$T7YvHJaIEblENSSxKroaLiEsG5Dh25w10egm2iwV7RQ';

/** Loaded with the first password: most commands of the command line need none. */
const loadArgon2 = () => import('./argon2.js');

/**
 * Passwords as argon2id in PHC strings (decision 32). Two are worked on at a time, 200 wait, and for the next
 * one the service is unavailable. `verify` throws when what is stored is not such a string.
 */
export function argon2Passwords(): Passwords {
  const inTurn = createQueue({ atOnce: 2, mostWaiting: 200 });
  return {
    hash: (password) =>
      inTurn(async () => {
        const { hashWithArgon2 } = await loadArgon2();
        return hashWithArgon2(password.reveal());
      }),
    verify: (attempt) =>
      inTurn(async () => {
        const { verifyWithArgon2 } = await loadArgon2();
        const hash = await attempt.hash();
        const matches = await verifyWithArgon2(hash ?? NOBODYS_HASH, attempt.password.reveal());
        return matches && hash !== null;
      }),
  };
}
