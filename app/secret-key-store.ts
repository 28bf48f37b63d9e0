import type { Database } from '@rollcall/sql';
import {
  type AdoptSecretKey,
  adoptSecretKey,
  type KeyNeed,
  keyNeeds,
  type NeedingOrganization,
  organizationsNeeding,
  recordSecretKeyUse,
  type SecretKeyUse,
} from '@rollcall/sql/maintenance';

/** Stores which secret keys the data was made with. */
export interface SecretKeyStore {
  /** Makes this key the current one. False when the data was made with a key that is not among the known ones. */
  adopt(key: AdoptSecretKey): Promise<boolean>;
  /** Records that new data is made with this key. */
  recordUse(use: SecretKeyUse): Promise<void>;
  /** The data that needs each key. */
  needs(at: { readonly now: Date }): Promise<readonly KeyNeed[]>;
  organizationsNeeding(key: {
    readonly keyId: string;
    readonly now: Date;
    readonly limit: number;
  }): Promise<readonly NeedingOrganization[]>;
}

export function sqlSecretKeyStore(database: Database): SecretKeyStore {
  return {
    adopt: (key) => adoptSecretKey(database, key),
    recordUse: (use) => recordSecretKeyUse(database, use),
    needs: (at) => keyNeeds(database, at),
    organizationsNeeding: (key) => organizationsNeeding(database, key),
  };
}
