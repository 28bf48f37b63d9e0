import type { Ports, Secrets } from '@rollcall/core';
import { locationLiterals } from '../config/locations.js';
import type { Config } from '../config.js';

/** Rules for records, in addition to the schema. */
export interface DatasetRules {
  /** The two values that a meeting's location can have. */
  readonly locations: readonly [own: string, thirdParty: string];
  /** A method of `Secrets`. Hashes an access key before any other step sees it. */
  readonly accessKeyHashes: Secrets['accessKeyHashes'];
  /** Finds the organization that has an access key with one of these hashes. */
  readonly organizationOf: (hashes: readonly string[]) => Promise<{ readonly id: number } | null>;
}

/** The rules of this deployment. */
export function datasetRules({
  config,
  ports: { organizations, secrets },
}: {
  readonly config: Config;
  readonly ports: Pick<Ports, 'organizations' | 'secrets'>;
}): DatasetRules {
  return {
    locations: locationLiterals(config),
    accessKeyHashes: (accessKey) => secrets.accessKeyHashes(accessKey),
    organizationOf: (hashes) => organizations.byAccessKeyHash(hashes),
  };
}
