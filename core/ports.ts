/**
 * Everything that the core asks of its adapters. Each chapter's ports are in its own `ports.ts`; this file adds those
 * that belong to no chapter and names all of them together.
 *
 * Each method makes a promise, and `@rollcall/core/testing` has a suite with a test for each promise: run it against
 * your adapter. A method that decides is atomic: of two callers at once, one succeeds and the other learns that it did
 * not. All times come from `Clock`, never from a database. The core checks its arguments first: texts are well-formed
 * and hold no NUL, and ids are whole numbers from 1 to 2^53 - 1.
 */
import type { AuditTrail, Limits, Organizations, Secrets, SecurityLog, Tokens } from './access/ports.js';
import type { CalendarFeeds, Meetings } from './meetings/ports.js';
import type { Invitations, LoginLinks, Members, Passwords, Sessions, Users } from './users/ports.js';
import type { Deliveries, Dispatcher, Outbox, WebhookSender, Webhooks } from './webhooks/ports.js';

export interface Clock {
  now(): Date;
  /** Resolves after this many milliseconds. */
  pause(milliseconds: number): Promise<void>;
}

export interface Ids {
  /** A random UUID, version 4. */
  uuid(): string;
}

/** For code that uses the core: the core itself reports nothing. */
export interface ErrorTracker {
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
  readonly organizations: Organizations;
  readonly users: Users;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly loginLinks: LoginLinks;
  readonly sessions: Sessions;
  readonly meetings: Meetings;
  readonly calendarFeeds: CalendarFeeds;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly deliveries: Deliveries;
  readonly auditTrail: AuditTrail;
}

export interface Ports extends StoragePorts {
  readonly tokens: Tokens;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly limits: Limits;
  readonly webhookSender: WebhookSender;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Left out: failed attempts are not recorded. */
  readonly securityLog?: SecurityLog | undefined;
}
