import type { ReceivedRequest } from '../receiver.js';
import { SqliteDatabase } from '../sqlite.js';

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

interface StoredDelivery {
  readonly eventId: string;
  readonly state: string;
  readonly body: string;
  readonly email: string;
  /** The outcomes of the attempts, oldest first; a failed one with its reason. */
  readonly attempts: readonly string[];
}

/** How often an event is attempted if its attempts are cut off (decision 20). */
const MAX_ATTEMPTS = 3;

type Rows = <Row>(text: string) => Promise<readonly Row[]>;

/**
 * Compares the stored data with the acknowledged registrations and the received requests, after everything has ended:
 * nothing acknowledged may be lost, nothing may be stored that was not attempted, and every event must be delivered or
 * visible as failed.
 */
export async function auditStored(
  rows: Rows,
  { attempted, acknowledged, requests }: Ledger,
): Promise<FaultReport> {
  const found = await rows<{ email: string }>(
    'SELECT email FROM memberships JOIN users ON users.id = user_id',
  );
  const members = found.map(({ email }) => email);
  const deliveries = await storedDeliveries(rows);
  // Accepted without a membership, or pending with one.
  const halfInvitations = await rows<{ id: string }>(
    `SELECT invitations.id FROM invitations
      LEFT JOIN users ON users.email = invitations.email
      LEFT JOIN memberships ON memberships.user_id = users.id
        AND memberships.organization_id = invitations.organization_id
    WHERE (accepted_at IS NULL) <> (memberships.user_id IS NULL)`,
  );
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
    ...halfInvitations.map(({ id }) => `an invitation that is only half accepted: ${id}`),
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

/** The same for an SQLite file, with the integrity checks of the database. */
export async function audit(file: string, ledger: Ledger): Promise<FaultReport> {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    const checks = ['PRAGMA integrity_check', 'PRAGMA foreign_key_check'];
    const integrity = checks.flatMap((text) => database.prepare(text).pluck().all());
    const { counts, problems } = await auditStored(
      async <Row>(text: string) => database.prepare(text).all() as readonly Row[],
      ledger,
    );
    const broken = integrity.filter((line) => line !== 'ok').map((line) => `integrity_check: ${line}`);
    return { counts, problems: [...problems, ...broken] };
  } finally {
    database.close();
  }
}

async function storedDeliveries(rows: Rows): Promise<readonly StoredDelivery[]> {
  const found = await rows<{
    readonly id: unknown;
    readonly eventId: string;
    readonly state: string;
    readonly body: string;
    readonly outcome: string | null;
    readonly reason: string;
  }>(
    `SELECT deliveries.id, event_id AS "eventId", state, body, outcome, reason
    FROM deliveries LEFT JOIN attempts ON delivery_id = deliveries.id ORDER BY deliveries.id, number`,
  );
  const deliveries = new Map<unknown, StoredDelivery>();
  for (const { id, outcome, reason, ...delivery } of found) {
    const { attempts } = deliveries.get(id) ?? { attempts: [] };
    const added = outcome === null ? [] : [outcome === 'failed' ? `failed: ${reason}` : outcome];
    const { email } = JSON.parse(delivery.body).user;
    deliveries.set(id, { ...delivery, email, attempts: [...attempts, ...added] });
  }
  return [...deliveries.values()];
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
