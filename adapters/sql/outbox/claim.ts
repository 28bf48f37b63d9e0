import { setTimeout as pause } from 'node:timers/promises';
import { type EventName, type Outbox, Unavailable } from '@rollcall/core';
import type { Database, Engine, Sql } from '../engine/database.js';
import { type FirstWaiting, firstWaiting } from './find-waiting.js';
import type { Waiting, WaitingPlace } from './waiting.js';

type Request = Parameters<Outbox['claim']>[0];

export interface ClaimedRow {
  readonly id: number;
  readonly organization_id: number;
  readonly event_id: string;
  readonly event_name: EventName;
  readonly body: string;
  readonly is_test: number | boolean;
}

/** Organizations that one transaction asks about, beside those that fill the free slots. */
const MAX_PLACES = 64;
/** How often, and milliseconds times how often, it is waited for organizations that others hold. */
const MAX_BLOCKED = 10;
const BLOCKED_PAUSE_MS = 1;

/**
 * Claims, one at a time for this process. Each asks about as many organizations as may fill the free slots, in turn,
 * and never about all that wait. Of each it passes only what lies behind the last claim: what was delivered before
 * stays in the indexes for as long as a transaction anywhere sees it.
 */
export function claimer(
  { engine, read, write }: Database,
  waiting: Waiting,
): (request: Request) => Promise<readonly ClaimedRow[]> {
  const look = createLook(read, waiting);

  async function claimOf(places: readonly WaitingPlace[], request: Request): Promise<Taken> {
    const left = new Set(places.map(({ organizationId }) => organizationId));
    try {
      const taken = await write((sql) => take(sql, { engine, places, request }));
      for (const [organizationId, found] of taken.found) {
        left.delete(organizationId);
        waiting.settle(organizationId, found);
      }
      return taken;
    } finally {
      waiting.putBack([...left]);
    }
  }

  async function claim(request: Request): Promise<readonly ClaimedRow[]> {
    const count = Math.min(2 * request.limit, MAX_PLACES);
    let hasAsked = look.isDue() && (await look.piece());
    for (let blocked = 0; blocked < MAX_BLOCKED; ) {
      const places = waiting.take(count);
      if (places.length === 0 && look.isUnderWay()) hasAsked = await look.piece();
      else if (places.length === 0) break;
      else {
        hasAsked = true;
        const { rows, isBlocked } = await claimOf(places, request);
        if (rows.length > 0) return rows;
        if (isBlocked) {
          blocked += 1;
          await pause(blocked * BLOCKED_PAUSE_MS);
        }
      }
    }
    // Whoever looks learns from it whether the database is there.
    if (!hasAsked) await read.get('SELECT 1 AS answers');
    return [];
  }

  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    if (request.limit < 1) return Promise.resolve([]);
    const own = last.then(() => claim(request));
    last = own.catch(() => undefined);
    return own;
  };
}

// ── Looks over all organizations ───────────────────────────────────────────────────────────────────────────

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A look takes a twentieth of the time at most. */
const PAUSE_SHARE = 20;

interface Look {
  isDue(): boolean;
  isUnderWay(): boolean;
  /**
   * Finds some organizations for which something waits. False: the database was away or took too long; the look
   * begins anew, later.
   */
  piece(): Promise<boolean>;
}

/**
 * Finds what nobody has told of: what other processes wrote, recovered or asked for again, and what was committed after
 * something later was claimed.
 */
function createLook(read: Sql, waiting: Waiting): Look {
  let pieces: AsyncGenerator<readonly FirstWaiting[], void> | null = null;
  let spentMs = 0;
  let failures = 0;
  let dueAt = 0;

  function end(): void {
    pieces = null;
    const share = PAUSE_SHARE * 2 ** failures;
    dueAt = performance.now() + Math.min(Math.max(share * spentMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    spentMs = 0;
  }

  async function next(): Promise<void> {
    pieces ??= firstWaiting(read);
    const begun = performance.now();
    try {
      const { value, done = false } = await pieces.next();
      for (const { organizationId, deliveryId } of value ?? []) waiting.add(organizationId, deliveryId);
      if (!done) return;
      failures = 0;
      pieces = null;
    } finally {
      spentMs += performance.now() - begun;
    }
  }

  return {
    isDue: () => pieces !== null || performance.now() >= dueAt,
    isUnderWay: () => pieces !== null,
    async piece() {
      try {
        await next();
        return true;
      } catch (error) {
        pieces = null;
        if (!(error instanceof Unavailable)) throw error;
        failures += 1;
        return false;
      } finally {
        if (pieces === null) end();
      }
    },
  };
}

// ── One transaction ────────────────────────────────────────────────────────────────────────────────────────

interface Taken {
  readonly rows: readonly ClaimedRow[];
  /** Of those organizations that nobody else held. */
  readonly found: ReadonlyMap<number, Parameters<Waiting['settle']>[1]>;
  /** Others held all of them. */
  readonly isBlocked: boolean;
}

interface Taking {
  readonly engine: Engine;
  readonly places: readonly WaitingPlace[];
  readonly request: Request;
}

async function take(sql: Sql, { engine, places, request }: Taking): Promise<Taken> {
  const held = engine === 'postgres' ? await hold(sql, places) : places;
  if (held.length === 0) return { rows: [], found: new Map(), isBlocked: true };
  const states = await statesOf(sql, { engine, places: held, request });
  const chosen = choose(states, request);
  const rows = chosen.length === 0 ? [] : await mark(sql, { engine, ids: chosen, request });
  const taken = new Set(rows.map(({ id }) => id));
  const wanted = new Set(chosen);
  const found = new Map<number, Parameters<Waiting['settle']>[1]>();
  for (const state of states) {
    const { organizationId, ids, underWay, after, since } = state;
    const isFull = underWay >= request.perOrganization;
    const own = ids.filter((id) => wanted.has(id));
    // The slots were filled by others' events: it has its turn first next time.
    if (ids.length > 0 && own.length === 0 && !isFull) continue;
    const marked = own.filter((id) => taken.has(id)).length;
    const left = ids.find((id) => !taken.has(id));
    found.set(organizationId, {
      after: left === undefined ? (ids.at(-1) ?? after) : left - 1,
      since,
      isEmpty: left === undefined && ids.length < request.perOrganization,
      // What is locked by somebody else is left to them for a while.
      isFull: underWay + marked >= request.perOrganization || marked < own.length,
    });
  }
  return { rows, found, isBlocked: false };
}

/** Every organization's oldest come before anybody's second, so that many waiting ones have their turn soon. */
function choose(states: readonly PlaceState[], { limit, perOrganization }: Request): readonly number[] {
  const chosen: number[] = [];
  for (let rank = 0; rank < perOrganization; rank += 1) {
    const before = chosen.length;
    for (const { ids, underWay } of states) {
      if (chosen.length === limit) return chosen;
      const id = ids[rank];
      if (id !== undefined && underWay + rank < perOrganization) chosen.push(id);
    }
    if (chosen.length === before) break;
  }
  return chosen;
}

/** "Rolm" before the organization's number, as one number that is ours alone in the database. */
const LOCK = 0x526f6c6d00000000n;

/**
 * PostgreSQL only, until the end of the transaction: else two instances would each count the same free places of an
 * organization. It has to be a statement of its own: what the next one sees is what others have committed before
 * they let go.
 */
async function hold(sql: Sql, places: readonly WaitingPlace[]): Promise<readonly WaitingPlace[]> {
  const rows = await sql.all<{ id: number }>(
    `SELECT id FROM unnest(?::bigint[]) AS places (id) WHERE pg_try_advisory_xact_lock(id # ${LOCK})`,
    [arrayOf(places.map(({ organizationId }) => organizationId))],
  );
  const held = new Set(rows.map(({ id }) => id));
  return places.filter(({ organizationId }) => held.has(organizationId));
}

/** PostgreSQL only: waits until nobody else holds the organization, and keeps them out until the end. */
export async function holdOrganization(sql: Sql, organizationId: number): Promise<void> {
  await sql.run(`SELECT pg_advisory_xact_lock(?::bigint # ${LOCK})`, [organizationId]);
}

interface PlaceState {
  readonly organizationId: number;
  readonly underWay: number;
  /** The oldest that wait, at most `perOrganization`. */
  readonly ids: readonly number[];
  readonly after: number;
  readonly since: string | null;
}

interface StateRow {
  readonly organization_id: number;
  readonly under_way: number;
  readonly ids: string | null;
  /** When the first of those under way was claimed, or the time where none is. */
  readonly since: string | null;
}

/**
 * A claim that is older than a minute belongs to nobody. What was claimed before `since` has ended; a clock that was
 * set back since then makes it worthless.
 */
const statesOnPostgres = `
  SELECT places.organization_id, busy.under_way, coalesce(busy.first, clock_timestamp()) AS since,
    (
      SELECT string_agg(id::text, ',') FROM (
        SELECT id FROM deliveries
        WHERE state = 'pending' AND organization_id = places.organization_id AND id > places.after
        ORDER BY id LIMIT ?
      ) AS oldest
    ) AS ids
  FROM unnest(?::bigint[], ?::bigint[], ?::timestamptz[]) AS places (organization_id, after, since),
    LATERAL (
      SELECT count(*) AS under_way, min(claimed_at) AS first FROM deliveries
      WHERE state = 'sending' AND organization_id = places.organization_id
        AND claimed_at >= CASE WHEN places.since < now() THEN greatest(places.since, now() - interval '1 minute')
          ELSE now() - interval '1 minute' END
    ) AS busy`;

const statesOnSqlite = `
  SELECT places.value ->> 0 AS organization_id, NULL AS since,
    (
      SELECT count(*) FROM deliveries WHERE state = 'sending' AND organization_id = places.value ->> 0
    ) AS under_way,
    (
      SELECT group_concat(id) FROM (
        SELECT id FROM deliveries
        WHERE state = 'pending' AND organization_id = places.value ->> 0 AND id > places.value ->> 1
        ORDER BY id LIMIT ?
      )
    ) AS ids
  FROM json_each(?) AS places`;

async function statesOf(sql: Sql, { engine, places, request }: Taking): Promise<readonly PlaceState[]> {
  const { perOrganization } = request;
  const rows =
    engine === 'sqlite'
      ? await sql.all<StateRow>(statesOnSqlite, [
          perOrganization,
          JSON.stringify(places.map(({ organizationId, after }) => [organizationId, after])),
        ])
      : await sql.all<StateRow>(statesOnPostgres, [
          perOrganization,
          arrayOf(places.map(({ organizationId }) => organizationId)),
          arrayOf(places.map(({ after }) => after)),
          arrayOf(places.map(({ since }) => since)),
        ]);
  const byOrganization = new Map(rows.map((row) => [row.organization_id, row]));
  return places.flatMap(({ organizationId, after }) => {
    const row = byOrganization.get(organizationId);
    if (row === undefined) return [];
    const ids =
      row.ids === null
        ? []
        : row.ids
            .split(',')
            .map(Number)
            .sort((one, other) => one - other);
    return [{ organizationId, after, underWay: row.under_way, since: row.since, ids }];
  });
}

/** By the key alone: an index of those that wait would be read whole where few are thought to be in it. */
const markOnPostgres = `
  WITH locked AS MATERIALIZED (
    SELECT id, state FROM deliveries WHERE id = ANY (?::bigint[]) FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries SET state = 'sending', claim = ?, claimed_at = clock_timestamp(), claims = claims + 1
  FROM locked WHERE deliveries.id = locked.id AND locked.state = 'pending'
  RETURNING deliveries.id, organization_id, event_id, event_name, body, is_test`;

const markOnSqlite = `
  UPDATE deliveries SET state = 'sending', claim = ?, claimed_at = ?, claims = claims + 1
  WHERE id IN (SELECT value FROM json_each(?)) AND state = 'pending'
  RETURNING id, organization_id, event_id, event_name, body, is_test`;

async function mark(
  sql: Sql,
  {
    engine,
    ids,
    request: { claim, at },
  }: Pick<Taking, 'engine' | 'request'> & { readonly ids: readonly number[] },
): Promise<readonly ClaimedRow[]> {
  if (engine === 'postgres') return sql.all<ClaimedRow>(markOnPostgres, [arrayOf(ids), claim]);
  const rows = await sql.all<ClaimedRow>(markOnSqlite, [claim, at, JSON.stringify(ids)]);
  // Compared with a number outside of the file: see `Deployment`.
  if (rows.length > 0) await sql.run('UPDATE deployment SET claims = claims + 1');
  return rows;
}

/** As PostgreSQL writes an array of numbers or moments. */
function arrayOf(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
