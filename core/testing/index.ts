/**
 * `@rollcall/core/testing`: ports in memory, and a suite for each port that tests the promises of any adapter. Suites
 * are plain lists of `{ name, run }`: pass them to your test runner.
 */
export {
  aMeeting,
  anOrganization,
  aUser,
  type Dataset,
  type DatasetMeeting,
  type DatasetMembership,
  type DatasetRegistration,
  type DatasetWaitingPlace,
  testUuid,
} from './dataset.js';
export type { ContractTest } from './expect.js';
export { hostileTexts } from './hostile-texts.js';
export { memoryStorage } from './memory/memory-storage.js';
export type { PartOfStorage, StorageMethod, StorageOf } from './part-of-storage.js';
export {
  countedIds,
  fewCommonPasswords,
  fixedClock,
  memoryLimits,
  memoryPorts,
  plainPasswords,
  plainSecrets,
  plainTokens,
  recordingSender,
} from './stand-ins.js';
export type { StartedStorage, StartStorage } from './start-storage.js';
export { storageSuites } from './storage-suites.js';
export { apiCallsSuite } from './suites/api-calls.js';
export { auditTrailSuite } from './suites/audit-trail.js';
export { calendarFeedsSuite } from './suites/calendar-feeds.js';
export { commonPasswordsSuite } from './suites/common-passwords.js';
export { deliveriesSuite } from './suites/deliveries.js';
export { directorySuite } from './suites/directory.js';
export { directoryTokensSuite } from './suites/directory-tokens.js';
export { eventFeedSuite } from './suites/event-feed.js';
export { idempotencyKeysSuite } from './suites/idempotency-keys.js';
export { identitiesSuite } from './suites/identities.js';
export { invitationsSuite } from './suites/invitations.js';
export { limitsSuite, type StartedLimits } from './suites/limits.js';
export { loginLinksSuite } from './suites/login-links.js';
export { mailsSuite } from './suites/mails.js';
export { meetingsSuite } from './suites/meetings.js';
export { membersSuite } from './suites/members.js';
export { organizationsSuite } from './suites/organizations.js';
export { outboxSuite } from './suites/outbox.js';
export { passwordResetsSuite } from './suites/password-resets.js';
export { passwordsSuite } from './suites/passwords.js';
export { personalDataSuite } from './suites/personal-data.js';
export { secondFactorsSuite } from './suites/second-factors.js';
export type { SecretKeys } from './suites/secret-keys.js';
export {
  knownBase64Signatures,
  knownSignatures,
  rotatedSecretsSuite,
  secretsSuite,
} from './suites/secrets.js';
export { sessionsSuite } from './suites/sessions.js';
export { setupLinksSuite } from './suites/setup-links.js';
export { signOnsSuite } from './suites/sign-ons.js';
export { rotatedTokensSuite, tokensSuite } from './suites/tokens.js';
export { usersSuite } from './suites/users.js';
export { loopbackHosts, privateHosts } from './suites/webhook-sender/addresses.js';
export {
  type LookupSenderSettings,
  type LookupSenderSuiteOptions,
  webhookSenderLookupSuite,
} from './suites/webhook-sender/lookups.js';
export type {
  SenderSettings,
  SenderSuiteOptions,
  StartSender,
} from './suites/webhook-sender/sender-trial.js';
export { webhookSenderSuite } from './suites/webhook-sender.js';
export { webhooksSuite } from './suites/webhooks.js';
export type { NodeServers, ReceiverServer, ReceiverSocket } from './webhook-receiver.js';
