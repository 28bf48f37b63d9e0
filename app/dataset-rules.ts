import { locationLiterals } from './config.js';
import { type Assembly, names } from './container.js';
import type { DatasetRules } from './dataset.js';

/** What records are checked against in an assembled service. */
export function datasetRules(assembly: Assembly): DatasetRules {
  const secrets = assembly.get(names.secrets);
  const { organizations } = assembly.get(names.storage);
  return {
    locations: locationLiterals(assembly.get(names.config)),
    accessKeyHashes: (accessKey) => secrets.accessKeyHashes(accessKey),
    organizationOf: (hashes) => organizations.byAccessKeyHash(hashes),
  };
}
