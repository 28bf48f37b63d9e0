/**
 * `@rollcall/core/adapters`: encodings of exported rows, the event of a registration, patterns and text checks, for people
 * who write adapters.
 */
export { UnknownKey } from './errors.js';
export { encodeRow, encodeRows } from './meetings/encode-row.js';
export type {
  ExportColumn,
  ExportColumnKey,
  ExportedMeeting,
  ExportFormat,
} from './meetings/export-columns.js';
export { searchedText } from './meetings/meeting.js';
export {
  accountOf,
  directoryKey,
  directoryPerson,
  isSameEntry,
  keptIdpId,
} from './users/directory/directory.js';
export { type EmailChange, readEmailChange } from './users/email-change.js';
export { mailParagraphs } from './users/mails/mail-paragraphs.js';
export {
  erasedBody,
  erasedPerson,
  erasedSubject,
  hostNames,
  isErased,
  mentionsAddress,
  renamedHosts,
} from './users/personal-data.js';
export { hasSecondFactor, maxPasskeys } from './users/second-factor/second-factor.js';
export { accountLimit, factorLimit } from './users/sessions/failed-sign-ins.js';
export { maxSessions } from './users/sessions/session.js';
export { networkOf, readAddress } from './values/address.js';
export { cellBreaks, csvText, formulaSigns } from './values/csv.js';
export { emailForms } from './values/email.js';
export { problemText } from './values/problem.js';
export { accentClass, searchPattern, sortKey, withoutAccents } from './values/search-pattern.js';
export { isStorable, oneLine, textProblem, visibleUrl } from './values/text.js';
export { interruptedAttempt } from './webhooks/interrupted-attempt.js';
export { maxRecordedAttempts } from './webhooks/max-recorded-attempts.js';
export { membershipEvents, tellOf, userRegistered } from './webhooks/membership-events.js';
export { isSubscribed, secretMask } from './webhooks/webhook.js';
export { webhookProblems, webhookUrlProblem } from './webhooks/webhook-problems.js';
