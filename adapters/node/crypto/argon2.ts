import { hash, verify } from '@node-rs/argon2';

const COST = { algorithm: 2 /* argon2id */, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Returns the hash as a PHC string. */
export function hashWithArgon2(password: string): Promise<string> {
  return hash(password, COST);
}

/** Whether the password matches. Throws if `stored` is not a PHC string. */
export function verifyWithArgon2(stored: string, password: string): Promise<boolean> {
  return verify(stored, password);
}
