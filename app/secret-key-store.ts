import {
  adoptSecretKey,
  type Database,
  type KeyNeed,
  keyNeeds,
  type NeedingOrganization,
  organizationsNeeding,
  recordSecretKeyUse,
} from '#adapters/sql/index.js';

/** What the storage knows about the secret keys that its data was made with. */
export interface SecretKeyStore {
  /** Makes this key the current one. False: the data was made with a key that is not among the known ones. */
  adopt(key: {
    readonly current: string;
    readonly known: readonly string[];
    readonly at: Date;
  }): Promise<boolean>;
  /** Records that new data is made with this key. */
  noteUse(use: { readonly keyId: string; readonly at: Date }): Promise<void>;
  /** What needs each key. */
  needs(at: { readonly now: Date }): Promise<readonly KeyNeed[]>;
  organizationsNeeding(key: {
    readonly keyId: string;
    readonly limit: number;
  }): Promise<readonly NeedingOrganization[]>;
}

export function sqlSecretKeyStore(database: Database): SecretKeyStore {
  return {
    adopt: (key) => adoptSecretKey(database, key),
    noteUse: (use) => recordSecretKeyUse(database, use),
    needs: (at) => keyNeeds(database, at),
    organizationsNeeding: (key) => organizationsNeeding(database, key),
  };
}
