import * as access from './access/use-cases.js';
import { type Bound, bind, type Needs, type OptionsOf, type PortsOf } from './bind.js';
import * as meetings from './meetings/use-cases.js';
import * as users from './users/use-cases.js';
import * as webhooks from './webhooks/use-cases.js';

/** The parts of the ports that `createAccess` needs. */
export interface AccessPorts extends PortsOf<typeof access> {}
/** The parts of the ports that `createUsers` needs. */
export interface UsersPorts extends PortsOf<typeof users> {}
/** The parts of the ports that `createMeetings` needs. */
export interface MeetingsPorts extends PortsOf<typeof meetings> {}
/** The parts of the ports that `createWebhooks` needs. */
export interface WebhooksPorts extends PortsOf<typeof webhooks> {}
/** The parts of the ports that `createCore` needs. */
export interface CorePorts
  extends PortsOf<typeof access & typeof users & typeof meetings & typeof webhooks> {}

/** The settings of `createAccess`. */
export interface AccessOptions extends OptionsOf<typeof access> {}
/** The settings of `createUsers`. */
export interface UsersOptions extends OptionsOf<typeof users> {}
/** The settings of `createMeetings`. */
export interface MeetingsOptions extends OptionsOf<typeof meetings> {}
/** The settings of `createWebhooks`. */
export interface WebhooksOptions extends OptionsOf<typeof webhooks> {}
/** The settings of `createCore`. Those that are left out have their defaults. */
export interface CoreOptions
  extends OptionsOf<typeof access & typeof users & typeof meetings & typeof webhooks> {}

/** What `createAccess` returns. */
export interface AccessUseCases extends Bound<typeof access> {}
/** What `createUsers` returns. */
export interface UsersUseCases extends Bound<typeof users> {}
/** What `createMeetings` returns. */
export interface MeetingsUseCases extends Bound<typeof meetings> {}
/** What `createWebhooks` returns. */
export interface WebhooksUseCases extends Bound<typeof webhooks> {}
/** What `createCore` returns: every use-case, bound to the ports. */
export interface Core extends AccessUseCases, UsersUseCases, MeetingsUseCases, WebhooksUseCases {}

interface ChapterNeeds {
  readonly access: Needs<AccessPorts, object>;
  readonly users: Needs<UsersPorts, UsersOptions['links']>;
  readonly meetings: Needs<MeetingsPorts, MeetingsOptions['links']>;
  readonly webhooks: Needs<WebhooksPorts, object>;
}

const must = true;

/** The compiler asks for each port and link that is missing here, and refuses those that no use-case needs. */
// biome-ignore format: lists
const needs: ChapterNeeds = {
  access: {
    ports: {
      apiCalls: must, auditTrail: must, clock: must, idempotencyKeys: must, ids: must, invitations: must, limits: must, members: must,
      organizations: must, secondFactors: must, secrets: must, signOns: must, tokens: must, webhooks: must,
    },
    links: {},
  },
  users: {
    ports: {
      auditTrail: must, clock: must, commonPasswords: must, deliveries: must, directory: must, directoryTokens: must, dispatcher: must,
      identities: must, ids: must,
      invitations: must, limits: must, loginLinks: must, mails: must, members: must, organizations: must,
      passwordResets: must, passwords: must,
      personalData: must, secondFactors: must, secrets: must, sessions: must, setupLinks: must, signOns: must, users: must, webhooks: must,
    },
    links: { invitation: must, login: must },
  },
  meetings: {
    ports: {
      calendarFeeds: must, clock: must, invitations: must, meetings: must, members: must, organizations: must,
      secrets: must,
    },
    links: { defaultAvatar: must },
  },
  webhooks: {
    ports: {
      clock: must, deliveries: must, dispatcher: must, eventFeed: must, ids: must, limits: must, outbox: must,
      secrets: must, webhookSender: must, webhooks: must,
    },
    links: {},
  },
};

/**
 * Organizations, their access keys and tokens, and the activity log.
 *
 * @throws `TypeError` that names every port that is missing and every option that is wrong.
 */
export function createAccess(ports: AccessPorts, options: AccessOptions = {}): AccessUseCases {
  return bind('createAccess', access, needs.access, { ports, options });
}

/**
 * People: invitations, login links, sessions and memberships.
 *
 * @throws `TypeError` that names every port that is missing and every option that is wrong.
 */
export function createUsers(ports: UsersPorts, options: UsersOptions): UsersUseCases {
  return bind('createUsers', users, needs.users, { ports, options });
}

/**
 * Meetings: upcoming ones, exports and calendar feeds.
 *
 * @throws `TypeError` that names every port that is missing and every option that is wrong.
 */
export function createMeetings(ports: MeetingsPorts, options: MeetingsOptions): MeetingsUseCases {
  return bind('createMeetings', meetings, needs.meetings, { ports, options });
}

/**
 * The webhook of an organization and the deliveries to it.
 *
 * @throws `TypeError` that names every port that is missing and every option that is wrong.
 */
export function createWebhooks(ports: WebhooksPorts, options: WebhooksOptions = {}): WebhooksUseCases {
  return bind('createWebhooks', webhooks, needs.webhooks, { ports, options });
}

/**
 * Binds every use-case to the given ports and options and returns them as plain functions. Expected refusals are thrown
 * as `Refusal`, an unreachable adapter as `Unavailable`; anything else that is thrown is a bug. For one chapter alone,
 * call `createAccess`, `createUsers`, `createMeetings` or `createWebhooks`, with fewer ports.
 *
 * @throws `TypeError` that names every port that is missing and every option that is wrong.
 */
export function createCore(ports: CorePorts, options: CoreOptions): Core {
  const all = { ...access, ...users, ...meetings, ...webhooks };
  const { access: ofAccess, users: ofUsers, meetings: ofMeetings, webhooks: ofWebhooks } = needs;
  const coreNeeds: Needs<CorePorts, CoreOptions['links']> = {
    ports: { ...ofAccess.ports, ...ofUsers.ports, ...ofMeetings.ports, ...ofWebhooks.ports },
    links: { ...ofUsers.links, ...ofMeetings.links },
  };
  return bind('createCore', all, coreNeeds, { ports, options });
}
