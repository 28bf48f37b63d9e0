export type { FirstDeliveries } from '../outbox/delivery-news.js';
export { cutHistory } from '../stores/meeting-clock.js';
export type { Applied, ImportCounts } from './apply-dataset.js';
export { compact, type NotCompacted } from './compact.js';
export {
  DatasetError,
  type DatasetItem,
  type DatasetRecord,
  type OrganizationRecord,
} from './dataset.js';
export { adoptDeployment, type Deployment, retireDeployment } from './deployment.js';
export { emailOf } from './email-of-user.js';
export { emptyDatabase } from './empty.js';
export { type History, type HistoryEnd, historyOf } from './history.js';
export {
  type ImportStep,
  importDataset,
} from './import.js';
export type { MembershipEvents } from './import-events.js';
export {
  extendImport,
  type ImportSource,
  type KeptAnswer,
  KeyTaken,
  keptAnswer,
  type LoggedImport,
  lastImport,
  logImport,
  type RecentImport,
  recentImports,
} from './import-log.js';
export { type ImportPlace, importPlace, PlaceTaken, storeImportPlace } from './import-places.js';
export {
  type Instance,
  listInstances,
  recordInstance,
  removeInstances,
  type SeenInstance,
} from './instances.js';
export {
  type KeyNeed,
  keyNeeds,
  type NeedingOrganization,
  nothingStored,
  organizationsNeeding,
  type StoredUnderKey,
} from './key-needs.js';
export { organizationContents, ownMeetings } from './organization-contents.js';
export { type Prune, type Pruned, prune } from './prune.js';
export { resealSecrets } from './reseal-secrets.js';
export { type AdoptSecretKey, adoptSecretKey, recordSecretKeyUse, type SecretKeyUse } from './secret-key.js';
export type { DatasetKind } from './staged-kinds.js';
export {
  areSamePostgres,
  requireEmptyTarget,
  secretKeyIdOf,
  TransferError,
  type TransferredTable,
  type TransferStep,
  transferDatabase,
} from './transfer.js';
