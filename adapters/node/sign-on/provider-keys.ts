import type { CompactJWSHeaderParameters, createLocalJWKSet, JSONWebKeySet, JWK } from 'jose';
import type { GuardedFetch } from '../webhook/guarded-fetch.js';
import { Untrusted } from './failure.js';
import { readJson } from './metadata.js';

/** An unknown key fetches the keys again at most once in this time. */
const MIN_INTERVAL_MS = 10_000;
/** Keys that the provider has withdrawn stop working after this time. */
const MAX_AGE_MS = 5 * 60_000;

type Find = ReturnType<typeof createLocalJWKSet>;

interface Kept {
  readonly find: Find;
  readonly count: number;
  readonly readAt: number;
}

/** The keys of one provider, for one organization. */
export interface ProviderKeys {
  /** For `compactVerify` and `jwtVerify`. A key that is not known yet is read first. */
  find(header: CompactJWSHeaderParameters): ReturnType<Find>;
  /** Reads the keys anew, and returns how many can verify signatures. */
  read(uri: string): Promise<number>;
}

export function createProviderKeys(
  {
    fetch,
    jose,
    now,
  }: {
    readonly fetch: GuardedFetch;
    readonly jose: { readonly createLocalJWKSet: typeof createLocalJWKSet };
    readonly now: () => number;
  },
  uriOf: () => Promise<string>,
): ProviderKeys {
  let kept: Promise<Kept> | null = null;
  const read = (uri: string): Promise<Kept> => {
    const reading = readKeys(fetch, uri).then((keys) => ({
      find: jose.createLocalJWKSet({ keys }),
      count: keys.length,
      readAt: now(),
    }));
    kept = reading;
    // What cannot be read is not kept.
    reading.catch(() => {
      if (kept === reading) kept = null;
    });
    return reading;
  };
  return {
    async find(header) {
      const before = kept;
      let keys = before === null ? null : await before;
      if (keys === null || now() - keys.readAt >= MAX_AGE_MS) keys = await read(await uriOf());
      try {
        return await keys.find(header);
      } catch (error) {
        if (!isUnknownKey(error) || now() - keys.readAt < MIN_INTERVAL_MS) throw error;
      }
      // Another sign-in may be reading them already.
      keys = await (kept === before || kept === null ? read(await uriOf()) : kept);
      return keys.find(header);
    },
    read: async (uri) => (await read(uri)).count,
  };
}

async function readKeys(fetch: GuardedFetch, uri: string): Promise<JWK[]> {
  const { keys } = (await readJson(fetch, uri, 'its keys')) as Partial<JSONWebKeySet>;
  if (!Array.isArray(keys)) throw new Untrusted('its keys are not a list');
  return keys
    .filter((key) => typeof key === 'object' && key !== null && typeof key.kty === 'string')
    .map(anyName);
}

/** A key that names EdDSA is found for a header that names Ed25519, and the reverse, only without its own name. */
function anyName({ alg, ...key }: JWK): JWK {
  const isEdwards = key.kty === 'OKP' && (alg === 'EdDSA' || alg === 'Ed25519');
  return isEdwards || alg === undefined ? key : { ...key, alg };
}

function isUnknownKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY';
}
