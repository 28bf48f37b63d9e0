import type { ContractTest } from '../expect.js';
import { auditTrailSuite } from './audit-trail.js';
import { calendarFeedsSuite } from './calendar-feeds.js';
import { invitationsSuite } from './invitations.js';
import { meetingsSuite } from './meetings.js';
import { membersSuite } from './members.js';
import { organizationsSuite } from './organizations.js';
import { outboxSuite } from './outbox.js';
import { sessionsSuite } from './sessions.js';
import type { StartStorage } from './start.js';
import { usersSuite } from './users.js';
import { webhookLogSuite } from './webhook-log.js';
import { webhooksSuite } from './webhooks.js';

/** The suites of every port that keeps something. */
export function storageSuites(start: StartStorage): readonly ContractTest[] {
  return [
    ...organizationsSuite(start),
    ...usersSuite(start),
    ...membersSuite(start),
    ...sessionsSuite(start),
    ...meetingsSuite(start),
    ...webhooksSuite(start),
    ...outboxSuite(start),
    ...invitationsSuite(start),
    ...auditTrailSuite(start),
    ...webhookLogSuite(start),
    ...calendarFeedsSuite(start),
  ];
}
