import type { Secrets } from '@rollcall/core';
import type { CommandContext } from '../command-context.js';
import { locationLiterals } from '../config/locations.js';

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
}: Pick<CommandContext, 'config' | 'ports'>): DatasetRules {
  return {
    locations: locationLiterals(config),
    accessKeyHashes: (accessKey) => secrets.accessKeyHashes(accessKey),
    organizationOf: (hashes) => organizations.byAccessKeyHash(hashes),
  };
}
