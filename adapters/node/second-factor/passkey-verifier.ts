import { randomBytes } from 'node:crypto';
import type { PasskeyVerifier } from '@rollcall/core';

/** Loaded with the first passkey: who uses none loads nothing of it. */
const loadLibrary = () => import('@simplewebauthn/server');

/**
 * EdDSA, ES256 and RS256. Every version of Node checks these: left alone, the library asks the runtime, and a newer one would
 * make passkeys that an older one beside it refuses.
 */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 5 * 60_000;
const MAX_TRANSPORTS = 10;
/** In base64url: WebAuthn allows 1023 bytes, and an index of PostgreSQL not much more. */
const MAX_ID_CHARACTERS = 1364;

export interface PasskeyVerifierSettings {
  /** The base of the pages. Its host and its origin are those of the passkeys. */
  readonly publicUrl: string;
  /** The name that a browser shows. */
  readonly serviceName: string;
}

/** Checks passkeys with @simplewebauthn/server. The questions to browsers need no library. */
export function webauthnVerifier({ publicUrl, serviceName }: PasskeyVerifierSettings): PasskeyVerifier {
  const { hostname, origin } = new URL(publicUrl);
  // The password was given before, so it is enough that the person has the device.
  const expected = { expectedOrigin: origin, expectedRPID: hostname, requireUserVerification: false };
  return {
    options({ to, user, passkeys }) {
      const challenge = randomBytes(32).toString('base64url');
      const known = passkeys.map(({ credentialId: id, transports }) => ({
        type: 'public-key',
        id,
        transports,
      }));
      const question = { challenge, timeout: TIMEOUT_MS };
      if (to === 'use') {
        const publicKey = { ...question, rpId: hostname, allowCredentials: known };
        return { challenge, publicKey: { ...publicKey, userVerification: 'preferred' } };
      }
      return {
        challenge,
        publicKey: {
          ...question,
          rp: { id: hostname, name: serviceName },
          user: {
            id: Buffer.from(user.uuid).toString('base64url'),
            name: user.email,
            displayName: `${user.firstName} ${user.lastName}`,
          },
          pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
          excludeCredentials: known,
          authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
          attestation: 'none',
        },
      };
    },

    async register({ challenge: expectedChallenge, response: text }) {
      const { verifyRegistrationResponse } = await loadLibrary();
      try {
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          ...{ response: JSON.parse(text), expectedChallenge, supportedAlgorithmIDs: ALGORITHMS },
          ...expected,
        });
        if (!verified) return null;
        const { credential, credentialBackedUp: isBackedUp } = registrationInfo;
        const { id: credentialId, publicKey, counter, transports } = credential;
        if (credentialId.length > MAX_ID_CHARACTERS) return null;
        return {
          ...{ credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter },
          ...{ transports: transportsOf(transports), isBackedUp },
        };
      } catch {
        // The library throws for whatever is wrong with an answer.
        return null;
      }
    },

    async verify({ challenge: expectedChallenge, response: text, passkey }) {
      const { verifyAuthenticationResponse } = await loadLibrary();
      try {
        const { credentialId: id, publicKey, counter } = passkey;
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...{ response: JSON.parse(text), expectedChallenge, ...expected },
          credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
        });
        const { newCounter, credentialBackedUp: isBackedUp } = authenticationInfo;
        return verified ? { counter: newCounter, isBackedUp } : null;
      } catch {
        return null;
      }
    },

    credentialIdOf(response) {
      try {
        const { id } = JSON.parse(response);
        return typeof id === 'string' ? id : null;
      } catch {
        return null;
      }
    },
  };
}

/** The browser says them, so they may be anything. */
function transportsOf(given: unknown): readonly string[] {
  const transports: readonly unknown[] = Array.isArray(given) ? given : [];
  return transports
    .filter((one): one is string => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one))
    .slice(0, MAX_TRANSPORTS);
}
