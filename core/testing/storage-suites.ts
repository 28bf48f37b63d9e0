import type { StoragePorts } from '../ports.js';
import type { ContractTest } from './expect.js';
import type { StartStorage } from './start-storage.js';
import { apiCallsSuite } from './suites/api-calls.js';
import { auditTrailSuite } from './suites/audit-trail.js';
import { calendarFeedsSuite } from './suites/calendar-feeds.js';
import { deliveriesSuite } from './suites/deliveries.js';
import { directorySuite } from './suites/directory.js';
import { directoryTokensSuite } from './suites/directory-tokens.js';
import { eventFeedSuite } from './suites/event-feed.js';
import { idempotencyKeysSuite } from './suites/idempotency-keys.js';
import { identitiesSuite } from './suites/identities.js';
import { invitationsSuite } from './suites/invitations.js';
import { loginLinksSuite } from './suites/login-links.js';
import { mailsSuite } from './suites/mails.js';
import { meetingsSuite } from './suites/meetings.js';
import { membersSuite } from './suites/members.js';
import { organizationsSuite } from './suites/organizations.js';
import { outboxSuite } from './suites/outbox.js';
import { passwordResetsSuite } from './suites/password-resets.js';
import { personalDataSuite } from './suites/personal-data.js';
import { secondFactorsSuite } from './suites/second-factors.js';
import { sessionsSuite } from './suites/sessions.js';
import { setupLinksSuite } from './suites/setup-links.js';
import { signOnsSuite } from './suites/sign-ons.js';
import { usersSuite } from './suites/users.js';
import { webhooksSuite } from './suites/webhooks.js';

/** The suite of each port that stores data. */
export const suitesByPort = {
  organizations: organizationsSuite,
  users: usersSuite,
  members: membersSuite,
  loginLinks: loginLinksSuite,
  passwordResets: passwordResetsSuite,
  mails: mailsSuite,
  sessions: sessionsSuite,
  setupLinks: setupLinksSuite,
  signOns: signOnsSuite,
  identities: identitiesSuite,
  secondFactors: secondFactorsSuite,
  directory: directorySuite,
  directoryTokens: directoryTokensSuite,
  meetings: meetingsSuite,
  webhooks: webhooksSuite,
  outbox: outboxSuite,
  eventFeed: eventFeedSuite,
  invitations: invitationsSuite,
  apiCalls: apiCallsSuite,
  auditTrail: auditTrailSuite,
  deliveries: deliveriesSuite,
  calendarFeeds: calendarFeedsSuite,
  idempotencyKeys: idempotencyKeysSuite,
  personalData: personalDataSuite,
} satisfies Record<keyof StoragePorts, (start: StartStorage) => readonly ContractTest[]>;

/** The suites of all ports that store data. */
export function storageSuites(start: StartStorage): readonly ContractTest[] {
  return Object.values(suitesByPort).flatMap((suite) => suite(start));
}
