import type { Database } from '@rollcall/sql';
import {
  type AdoptSecretKey,
  adoptSecretKey,
  keyNeeds,
  organizationsNeeding,
  recordSecretKeyUse,
  type SecretKeyUse,
} from '@rollcall/sql/maintenance';

/** Stores which secret keys the data was made with. */
export type SecretKeyStore = ReturnType<typeof sqlSecretKeyStore>;

export function sqlSecretKeyStore(database: Database) {
  return {
    /** Makes this key the current one. False when the data was made with a key that is not among the known ones. */
    adopt: (key: AdoptSecretKey) => adoptSecretKey(database, key),
    /** Records that new data is made with this key. */
    recordUse: (use: SecretKeyUse) => recordSecretKeyUse(database, use),
    /** The data that needs each key. */
    needs: (at: { readonly now: Date }) => keyNeeds(database, at),
    organizationsNeeding: (key: { readonly keyId: string; readonly now: Date; readonly limit: number }) =>
      organizationsNeeding(database, key),
  };
}
