/**
 * Everything that the core asks of its adapters. Each chapter's ports are in its folder `ports`, one file per port; this
 * file adds those that belong to no chapter and names all of them together.
 *
 * Each method makes a promise, and `@rollcall/core/testing` has a suite with a test for each promise: run it against
 * your adapter. A method that decides is atomic: of two callers at once, one succeeds and the other learns that it did
 * not. All times come from `Clock`, never from a database. The core checks its arguments first: texts are well-formed
 * and hold no NUL, and ids are whole numbers from 1 to 2^53 - 1.
 *
 * A method throws `Unavailable` if its database or service cannot be reached or is busy. `Meetings.export` may also
 * throw a `Refusal`, and `Secrets.decrypt` throws `UnknownKey`. Any other error is a bug of the adapter.
 */
import type { ApiCalls } from './access/ports/api-calls.js';
import type { AuditTrail } from './access/ports/audit-trail.js';
import type { IdempotencyKeys } from './access/ports/idempotency-keys.js';
import type { Limits } from './access/ports/limits.js';
import type { Observer } from './access/ports/observer.js';
import type { Organizations } from './access/ports/organizations.js';
import type { Secrets } from './access/ports/secrets.js';
import type { SecurityLog } from './access/ports/security-log.js';
import type { Tokens } from './access/ports/tokens.js';
import type { CalendarFeeds } from './meetings/ports/calendar-feeds.js';
import type { Meetings } from './meetings/ports/meetings.js';
import type { Directory } from './users/ports/directory.js';
import type { DirectoryTokens } from './users/ports/directory-tokens.js';
import type { Identities } from './users/ports/identities.js';
import type { IdentityProvider } from './users/ports/identity-provider.js';
import type { Invitations } from './users/ports/invitations.js';
import type { LoginLinks } from './users/ports/login-links.js';
import type { Mailer } from './users/ports/mailer.js';
import type { Mails } from './users/ports/mails.js';
import type { Members } from './users/ports/members.js';
import type { PasskeyVerifier } from './users/ports/passkey-verifier.js';
import type { PasswordResets } from './users/ports/password-resets.js';
import type { CommonPasswords, Passwords } from './users/ports/passwords.js';
import type { PersonalData } from './users/ports/personal-data.js';
import type { SecondFactors } from './users/ports/second-factors.js';
import type { Sessions } from './users/ports/sessions.js';
import type { SetupLinks } from './users/ports/setup-links.js';
import type { SignOns } from './users/ports/sign-ons.js';
import type { Users } from './users/ports/users.js';
import type { Deliveries } from './webhooks/ports/deliveries.js';
import type { Dispatcher } from './webhooks/ports/dispatcher.js';
import type { EventFeed } from './webhooks/ports/event-feed.js';
import type { Outbox } from './webhooks/ports/outbox.js';
import type { WebhookSender } from './webhooks/ports/webhook-sender.js';
import type { Webhooks } from './webhooks/ports/webhooks.js';

/** The only source of time for the core. */
export interface Clock {
  /** The current time, to the millisecond. */
  now(): Date;
  /** Resolves after this many milliseconds. */
  pause(milliseconds: number): Promise<void>;
}

/** The only source of ids that the core chooses itself. */
export interface Ids {
  /** A random UUID, version 4. */
  uuid(): string;
}

/** For code that uses the core: the core itself reports nothing. */
export interface ErrorTracker {
  /** Receives an error that the program has caught, with where it happened. Must not throw. */
  report(
    error: unknown,
    context: {
      readonly severity: 'info' | 'error';
      readonly operation: string;
      readonly requestId: string | null;
      /** The event that was being delivered. */
      readonly eventId?: string;
    },
  ): void;
}

/** The ports that keep data. All of them belong to one database. */
export interface StoragePorts {
  /** Organizations with their access keys and time zones. */
  readonly organizations: Organizations;
  /** Users with their addresses and password hashes. */
  readonly users: Users;
  /** Which user belongs to which organization, and in which role. */
  readonly members: Members;
  /** Invitations in every state. */
  readonly invitations: Invitations;
  /** Links that sign a member in once. */
  readonly loginLinks: LoginLinks;
  /** Links to set a new password. */
  readonly passwordResets: PasswordResets;
  /** Mails that wait to be sent. */
  readonly mails: Mails;
  /** Signed-in users. */
  readonly sessions: Sessions;
  /** Links with which IT staff set up sign-on and the directory. */
  readonly setupLinks: SetupLinks;
  /** The identity provider of each organization. */
  readonly signOns: SignOns;
  /** Who the people of identity providers are. */
  readonly identities: Identities;
  /** Passkeys, codes and recovery codes of users. */
  readonly secondFactors: SecondFactors;
  /** The people of each organization as its directory knows them. */
  readonly directory: Directory;
  /** The tokens with which directories call. */
  readonly directoryTokens: DirectoryTokens;
  /** Meetings, which the core only reads. */
  readonly meetings: Meetings;
  /** Private URLs for calendar programs. */
  readonly calendarFeeds: CalendarFeeds;
  /** Webhook configurations and their health. */
  readonly webhooks: Webhooks;
  /** Events that wait to be sent. */
  readonly outbox: Outbox;
  /** Every event in an order that never changes. */
  readonly eventFeed: EventFeed;
  /** The log of deliveries. */
  readonly deliveries: Deliveries;
  /** Who did what. */
  readonly auditTrail: AuditTrail;
  /** The latest calls of the API. */
  readonly apiCalls: ApiCalls;
  /** Calls that can be repeated, with their answers. */
  readonly idempotencyKeys: IdempotencyKeys;
  /** Everything about one person. */
  readonly personalData: PersonalData;
}

/** Everything that `createCore` needs from outside. */
export interface Ports extends StoragePorts {
  /** Makes and reads bearer tokens. */
  readonly tokens: Tokens;
  /** Makes, hashes, signs and encrypts secrets. */
  readonly secrets: Secrets;
  /** Hashes and verifies passwords. */
  readonly passwords: Passwords;
  /** Knows which passwords are common. */
  readonly commonPasswords: CommonPasswords;
  /** Counts failures, for all instances together. */
  readonly limits: Limits;
  /** Sends one request to a webhook. */
  readonly webhookSender: WebhookSender;
  /** Is told when there is something to send. */
  readonly dispatcher: Dispatcher;
  /** Tells the time, and waits. */
  readonly clock: Clock;
  /** Makes UUIDs. */
  readonly ids: Ids;
  /** Left out: no mail is sent, and nobody can ask for one. */
  readonly mailer?: Mailer | undefined;
  /** Left out: nobody can sign on. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Left out: nobody can use passkeys. */
  readonly passkeyVerifier?: PasskeyVerifier | undefined;
  /** Left out: failed attempts are not recorded. */
  readonly securityLog?: SecurityLog | undefined;
  /** Optional: sees how the service is used. */
  readonly observer?: Observer | undefined;
}
