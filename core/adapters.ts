/** `@rollcall/core/adapters`: encodings, patterns and text checks for adapters. */

export { type ExportedMeeting, encodeRow, encodeRows } from './meetings/encode-row.js';
export {
  csvHeader,
  type ExportColumn,
  type ExportColumnKey,
  type ExportForm,
  formulaBeginnings,
} from './meetings/export-columns.js';
export { networkOf, readAddress, unknownAddress } from './values/address.js';
export { anyCasePattern } from './values/any-case.js';
export { emailLook } from './values/email.js';
export { problemText } from './values/problem.js';
export { isStorable, textProblem } from './values/text.js';
export { deliveriesPerOrganization, maxClaims } from './webhooks/deliver-webhooks.js';
export { userRegistered } from './webhooks/user-registered.js';
export { secretMask } from './webhooks/webhook.js';
export { webhookProblems, webhookUrlProblem } from './webhooks/webhook-problems.js';
export { webhookRequest } from './webhooks/webhook-request.js';
