import type { CommandContext } from './command-context.js';
import { locationLiterals } from './config/locations.js';
import type { DatasetRules } from './dataset.js';

/** What the records of a dataset are checked against. */
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
