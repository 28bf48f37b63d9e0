import { type Passwords, Unavailable } from '@rollcall/core';
import pLimit from 'p-limit';

/** The hash of an unknown password at the usual cost: a sign-in without an account must take as long as any other. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KIt5q2sMmne+S1w0wxhxZg$T7YvHJaIEblENSSxKroaLiEsG5Dh25w10egm2iwV7RQ';

/** Loaded with the first password, because most commands of the command line need none. */
const loadArgon2 = () => import('./argon2.js');

const MAX_RUNNING = 2;
const MAX_WAITING = 200;

/** Passwords that are hashed or verified in turn. */
export interface QueuedPasswords extends Passwords {
  /** How many are hashed now, and how many wait. */
  queue(): { readonly running: number; readonly waiting: number };
}

/**
 * Stores passwords as argon2id hashes in PHC strings. Two passwords are hashed at a time, in the order in which they
 * arrive. Up to 200 wait; further ones are refused with `Unavailable`. `verify` throws if the hash is not a PHC string.
 */
export function argon2Passwords(): QueuedPasswords {
  const limit = pLimit(MAX_RUNNING);
  async function runLimited<Result>(work: () => Promise<Result>): Promise<Result> {
    if (limit.pendingCount >= MAX_WAITING) throw new Unavailable('Too many passwords are being checked.');
    return limit(work);
  }
  return {
    queue: () => ({ running: limit.activeCount, waiting: limit.pendingCount }),
    hash: (password) =>
      runLimited(async () => {
        const { hashWithArgon2 } = await loadArgon2();
        return hashWithArgon2(password.reveal());
      }),
    verify: (attempt) =>
      runLimited(async () => {
        const { verifyWithArgon2 } = await loadArgon2();
        const hash = await attempt.hash();
        const matches = await verifyWithArgon2(hash ?? DUMMY_HASH, attempt.password.reveal());
        return matches && hash !== null;
      }),
  };
}
