import type { StoragePorts } from '../ports.js';
import type { AddedFactor, Passkey } from '../users/ports/second-factors.js';
import { noon } from './noon.js';

/** A passkey, by a number. */
export function aPasskey(number: number): Omit<Passkey, 'createdAt' | 'usedAt'> {
  return {
    ...{ credentialId: `credential-${number}`, publicKey: `key-${number}`, counter: 1 },
    ...{ transports: ['internal', 'hybrid'], isBackedUp: false, name: `Key ${number}` },
  };
}

/** Added at noon, with two recovery codes. */
export function addedBy(userId: number, session = 'no session'): AddedFactor {
  const recoveryHashes = ['a', 'b'].map((code) => `recovery ${userId} ${code}`);
  return { userId, session, recoveryHashes, at: noon };
}

/** A secret that is confirmed with the code of step 100. */
export const anAuthenticator = { encryptedSecret: 'sealed', step: 100 };

/** Gives the user a confirmed app. */
export async function withCodes(
  { secondFactors }: Pick<StoragePorts, 'secondFactors'>,
  userId: number,
  session?: string,
): Promise<void> {
  const encryptedSecret = `sealed ${userId}`;
  await secondFactors.setCode({ userId, encryptedSecret });
  await secondFactors.confirmCode({ ...anAuthenticator, ...addedBy(userId, session), encryptedSecret });
}
