import type { StoragePorts } from '../../ports.js';
import type { Dataset } from '../dataset.js';
import { memoryApiCalls } from './api-calls.js';
import { memoryAuditTrail } from './audit-trail.js';
import { memoryCalendarFeeds } from './calendar-feeds.js';
import { memoryDeliveries } from './deliveries.js';
import { memoryDirectory } from './directory.js';
import { memoryDirectoryTokens } from './directory-tokens.js';
import { memoryEventFeed } from './event-feed.js';
import { memoryIdempotencyKeys } from './idempotency-keys.js';
import { memoryIdentities } from './identities.js';
import { memoryInvitations } from './invitations.js';
import { load } from './load.js';
import { memoryLoginLinks } from './login-links.js';
import { memoryMails } from './mails.js';
import { memoryMeetings } from './meetings.js';
import { memoryMembers } from './members.js';
import { memoryOrganizations } from './organizations.js';
import { memoryOutbox } from './outbox.js';
import { memoryPasswordResets } from './password-resets.js';
import { memoryPersonalData } from './personal-data.js';
import { memorySecondFactors } from './second-factors.js';
import { memorySessions } from './sessions.js';
import { memorySetupLinks } from './setup-links.js';
import { memorySignOns } from './sign-ons.js';
import { emptyState, type State } from './state.js';
import { memoryUsers } from './users.js';
import { memoryWebhooks } from './webhooks.js';

/**
 * All ports that store data, in memory, for tests and trials. `load` adds records or replaces those with the same key.
 */
export function memoryStorage(): StoragePorts & { load(dataset: Dataset): Promise<void> } {
  const state = emptyState();
  return { load: async (dataset) => load(state, dataset), ...memoryStoragePorts(state) };
}

/** The ports over this state. */
export function memoryStoragePorts(state: State): StoragePorts {
  return {
    organizations: memoryOrganizations(state),
    users: memoryUsers(state),
    members: memoryMembers(state),
    invitations: memoryInvitations(state),
    loginLinks: memoryLoginLinks(state),
    passwordResets: memoryPasswordResets(state),
    mails: memoryMails(state),
    sessions: memorySessions(state),
    setupLinks: memorySetupLinks(state),
    signOns: memorySignOns(state),
    identities: memoryIdentities(state),
    secondFactors: memorySecondFactors(state),
    directory: memoryDirectory(state),
    directoryTokens: memoryDirectoryTokens(state),
    meetings: memoryMeetings(state),
    webhooks: memoryWebhooks(state),
    outbox: memoryOutbox(state),
    deliveries: memoryDeliveries(state),
    eventFeed: memoryEventFeed(state),
    apiCalls: memoryApiCalls(state),
    auditTrail: memoryAuditTrail(state),
    calendarFeeds: memoryCalendarFeeds(state),
    idempotencyKeys: memoryIdempotencyKeys(state),
    personalData: memoryPersonalData(state),
  };
}
