import type SqliteDatabase from 'better-sqlite3';
import type { ReceivedRequest } from '../receiver.js';
import { inspect } from './service.js';

/** The result of a fault test: numbers for people, and every broken promise. */
export interface FaultReport {
  readonly counts: Readonly<Record<string, number | string>>;
  /** Empty when every promise was kept. */
  readonly problems: readonly string[];
}

export interface Ledger {
  /** The email addresses of all attempted registrations. */
  readonly attempted: ReadonlySet<string>;
  /** The email addresses of all acknowledged registrations. */
  readonly acknowledged: ReadonlySet<string>;
  readonly requests: readonly ReceivedRequest[];
}

export interface StoredDelivery {
  readonly eventId: string;
  readonly state: string;
  readonly body: string;
  readonly email: string;
  /** The outcomes of the attempts, oldest first; a failed one with its reason. */
  readonly attempts: readonly string[];
}

/** How often an event is attempted if its attempts are cut off (decision 20). */
const MAX_ATTEMPTS = 3;

/** The final content of a database. */
export interface Stored {
  /** The email addresses of the members. */
  readonly members: readonly string[];
  readonly deliveries: readonly StoredDelivery[];
  /** The IDs of invitations that are accepted without a membership, or pending with one. */
  readonly halfInvitations: readonly string[];
  /** The results of the database's integrity checks. `ok` means no problem. */
  readonly integrity: readonly string[];
}

export function audit(file: string, ledger: Ledger): FaultReport {
  return auditStored(inspect(file, readAll), ledger);
}

/**
 * Compares the stored data with the acknowledged registrations and the received requests, after everything has ended:
 * nothing acknowledged may be lost, nothing may be stored that was not attempted, and every event must be delivered or
 * visible as failed.
 */
export function auditStored(
  { members, deliveries, halfInvitations, integrity }: Stored,
  { attempted, acknowledged, requests }: Ledger,
): FaultReport {
  const stored = new Set(members);
  const received = countReceived(requests);
  const eventIds = new Set(deliveries.map(({ eventId }) => eventId));
  const eventsOf = new Map<string, number>();
  for (const { email } of deliveries) eventsOf.set(email, (eventsOf.get(email) ?? 0) + 1);

  const problems = [
    ...[...acknowledged]
      .filter((email) => !stored.has(email))
      .map((email) => `acknowledged and lost: ${email}`),
    ...members.filter((email) => !attempted.has(email)).map((email) => `never attempted: ${email}`),
    ...members
      .filter((email) => eventsOf.get(email) !== 1)
      .map((email) => `${eventsOf.get(email) ?? 0} events for one registration: ${email}`),
    ...[...eventsOf.keys()]
      .filter((email) => !stored.has(email))
      .map((email) => `an event without its registration: ${email}`),
    ...[...received.keys()].filter((id) => !eventIds.has(id)).map((id) => `received and not stored: ${id}`),
    ...deliveries.flatMap((delivery) => deliveryProblems(delivery, received.get(delivery.eventId) ?? [])),
    ...halfInvitations.map((id) => `an invitation that is only half accepted: ${id}`),
    ...integrity.filter((line) => line !== 'ok').map((line) => `integrity_check: ${line}`),
  ];
  const all = deliveries.flatMap(({ attempts }) => attempts);
  const count = (outcome: string) => all.filter((one) => one === outcome).length;
  return {
    counts: {
      attempted: attempted.size,
      acknowledged: acknowledged.size,
      stored: members.length,
      'stored without an answer': members.filter((email) => !acknowledged.has(email)).length,
      events: deliveries.length,
      delivered: deliveries.filter(({ state }) => state === 'delivered').length,
      failed: deliveries.filter(({ state }) => state === 'failed').length,
      'attempts cut off': count('interrupted'),
      received: requests.length,
      'received again': [...received.values()].reduce((sum, bodies) => sum + bodies.length - 1, 0),
    },
    problems,
  };
}

function readAll(database: SqliteDatabase.Database): Stored {
  const column = (text: string) => database.prepare(text).pluck().all() as readonly string[];
  const rows = database
    .prepare(
      `SELECT event_id AS eventId, state, body, body ->> '$.user.email' AS email,
        (SELECT json_group_array(CASE outcome WHEN 'failed' THEN 'failed: ' || reason ELSE outcome END ORDER BY number) FROM attempts WHERE delivery_id = deliveries.id)
          AS attempts
      FROM deliveries`,
    )
    .all() as readonly (Omit<StoredDelivery, 'attempts'> & { readonly attempts: string })[];
  return {
    members: column('SELECT email FROM memberships JOIN users ON users.id = user_id'),
    deliveries: rows.map((row): StoredDelivery => ({ ...row, attempts: JSON.parse(row.attempts) })),
    halfInvitations: column(
      `SELECT invitations.id FROM invitations
        LEFT JOIN users ON users.email = invitations.email
        LEFT JOIN memberships ON memberships.user_id = users.id
          AND memberships.organization_id = invitations.organization_id
      WHERE (accepted_at IS NULL) <> (memberships.user_id IS NULL)`,
    ),
    integrity: [...column('PRAGMA integrity_check'), ...column('PRAGMA foreign_key_check')],
  };
}

/** The received bodies of each event. */
function countReceived(requests: readonly ReceivedRequest[]): ReadonlyMap<string, readonly string[]> {
  const received = new Map<string, string[]>();
  for (const request of requests) {
    const id = eventIdOf(request);
    received.set(id, [...(received.get(id) ?? []), request.body.toString()]);
  }
  return received;
}

export function eventIdOf({ headers }: ReceivedRequest): string {
  return headers.find(([name]) => /^x-.*-event-id$/i.test(name))?.[1] ?? 'no event id';
}

/** Every attempt except the last must have been cut off by a crash, and each made at most one request. */
function deliveryProblems(
  { eventId, state, body, attempts }: StoredDelivery,
  received: readonly string[],
): readonly string[] {
  const last = attempts.at(-1) ?? 'none';
  const wasCutOff = attempts.slice(0, -1).every((outcome) => outcome === 'interrupted');
  const isGivenUp = last === 'interrupted' && attempts.length === MAX_ATTEMPTS;
  const story = `${eventId}: ${state} after ${attempts.join(', ')}; received ${received.length} times`;
  return [
    ...(state === 'delivered' && last === 'delivered'
      ? []
      : state === 'failed' && isGivenUp
        ? []
        : [`not final: ${story}`]),
    ...(state === 'delivered' && received.length === 0 ? [`delivered and not received: ${story}`] : []),
    ...(wasCutOff && received.length <= attempts.length ? [] : [`repeated without a crash: ${story}`]),
    ...(received.every((one) => one === body) ? [] : [`bytes differ from the stored ones: ${story}`]),
  ];
}

/** Merges the reports of several parts, with the names of the parts in front. */
export function merged(reports: Readonly<Record<string, FaultReport>>): FaultReport {
  const entries = Object.entries(reports);
  return {
    counts: Object.fromEntries(
      entries.flatMap(([part, { counts }]) =>
        Object.entries(counts).map(([name, count]) => [`${part}: ${name}`, count]),
      ),
    ),
    problems: entries.flatMap(([part, { problems }]) => problems.map((problem) => `${part}: ${problem}`)),
  };
}
