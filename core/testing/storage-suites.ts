import type { ContractTest } from './expect.js';
import type { StartStorage } from './start-storage.js';
import { auditTrailSuite } from './suites/audit-trail.js';
import { calendarFeedsSuite } from './suites/calendar-feeds.js';
import { deliveriesSuite } from './suites/deliveries.js';
import { eventFeedSuite } from './suites/event-feed.js';
import { idempotencyKeysSuite } from './suites/idempotency-keys.js';
import { invitationsSuite } from './suites/invitations.js';
import { loginLinksSuite } from './suites/login-links.js';
import { mailsSuite } from './suites/mails.js';
import { meetingsSuite } from './suites/meetings.js';
import { membersSuite } from './suites/members.js';
import { organizationsSuite } from './suites/organizations.js';
import { outboxSuite } from './suites/outbox.js';
import { passwordResetsSuite } from './suites/password-resets.js';
import { personalDataSuite } from './suites/personal-data.js';
import { sessionsSuite } from './suites/sessions.js';
import { usersSuite } from './suites/users.js';
import { webhooksSuite } from './suites/webhooks.js';

/** The suites of all ports that store data. */
export function storageSuites(start: StartStorage): readonly ContractTest[] {
  return [
    ...organizationsSuite(start),
    ...usersSuite(start),
    ...membersSuite(start),
    ...loginLinksSuite(start),
    ...passwordResetsSuite(start),
    ...mailsSuite(start),
    ...sessionsSuite(start),
    ...meetingsSuite(start),
    ...webhooksSuite(start),
    ...outboxSuite(start),
    ...eventFeedSuite(start),
    ...invitationsSuite(start),
    ...auditTrailSuite(start),
    ...deliveriesSuite(start),
    ...calendarFeedsSuite(start),
    ...idempotencyKeysSuite(start),
    ...personalDataSuite(start),
  ];
}
