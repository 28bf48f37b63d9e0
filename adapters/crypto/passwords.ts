import { hash, verify } from '@node-rs/argon2';
import type { Passwords } from '@rollcall/core';
import { createQueue } from './queue.js';

const COST = { algorithm: 2 /* argon2id */, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Of a password that nobody knows, with the cost of all others: who has no account must wait as long as who has. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KIt5q2sMmne+S1w0wxhxZg$T7YvHJaIEblENSSxKroaLiEsG5Dh25w10egm2iwV7RQ';

/**
 * Passwords as argon2id in PHC strings (decision 32). Two are worked on at a time, 200 wait, and for the next
 * one the service is unavailable. `verify` throws when what is stored is not such a string.
 */
export function argon2Passwords(): Passwords {
  const inTurn = createQueue({ atOnce: 2, mostWaiting: 200 });
  return {
    hash: (password) => inTurn(() => hash(password.reveal(), COST)),
    verify: (attempt) =>
      inTurn(async () => {
        const hash = await attempt.hash();
        const matches = await verify(hash ?? NOBODYS_HASH, attempt.password.reveal());
        return matches && hash !== null;
      }),
  };
}
