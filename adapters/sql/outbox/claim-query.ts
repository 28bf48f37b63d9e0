import type { EventName, Outbox } from '@rollcall/core';
import type { EngineSql } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { lock, select } from '../engine/statements.js';
import { oneOf, storedIn } from '../engine/stored.js';
import { advisoryLocks } from '../postgres/advisory-locks.js';
import type { Waiting, WaitingOrganization } from './waiting.js';

export type ClaimRequest = Parameters<Outbox['claim']>[0];

/** A claimed delivery without its claim. */
export const storedClaimed = storedIn('deliveries', {
  ...{ deliveryId: ['id', 'whole'], organizationId: 'whole', eventId: 'text', eventName: oneOf<EventName>() },
  ...{ body: 'text', isTest: 'flag' },
});

export type Claimed = ReturnType<typeof storedClaimed.read>;

export interface Taken {
  readonly claimed: readonly Claimed[];
  /** The result for each organization that no other process held. */
  readonly found: ReadonlyMap<number, Parameters<Waiting['settle']>[1]>;
  /** Whether other processes held all the organizations. */
  readonly isBlocked: boolean;
}

interface Claim {
  readonly organizations: readonly WaitingOrganization[];
  readonly request: ClaimRequest;
}

/** Claims deliveries for the free slots, in one transaction. */
export async function takeDeliveries(sql: EngineSql, { organizations, request }: Claim): Promise<Taken> {
  const held = sql.engine === 'postgres' ? await lockOrganizations(sql, organizations) : organizations;
  if (held.length === 0) return { claimed: [], found: new Map(), isBlocked: true };
  const states = await statesOf(sql, { organizations: held, request });
  const chosen = choose(states, request);
  const claimed = chosen.length === 0 ? [] : await mark(sql, { ids: chosen, request });
  const taken = new Set(claimed.map(({ deliveryId }) => deliveryId));
  const chosenIds = new Set(chosen);
  const found = new Map<number, Parameters<Waiting['settle']>[1]>();
  for (const state of states) {
    const { organizationId, ids, underWay, after, since } = state;
    const isFull = underWay >= request.perOrganization;
    const own = ids.filter((id) => chosenIds.has(id));
    // Events of other organizations filled the slots. This organization comes first next time.
    if (ids.length > 0 && own.length === 0 && !isFull) continue;
    const marked = own.filter((id) => taken.has(id)).length;
    const unclaimed = ids.find((id) => !taken.has(id));
    found.set(organizationId, {
      after: unclaimed === undefined ? (ids.at(-1) ?? after) : unclaimed - 1,
      since,
      isEmpty: unclaimed === undefined && ids.length < request.perOrganization,
      // If another process has locked some of its events, the organization rests for a while.
      isFull: underWay + marked >= request.perOrganization || marked < own.length,
    });
  }
  return { claimed, found, isBlocked: false };
}

/** Chooses the oldest event of every organization before the second of any, so that each gets its turn soon. */
function choose(states: readonly OrganizationState[], { limit, perOrganization }: ClaimRequest) {
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

/** With the organization's id in its low bytes. */
const LOCK = BigInt(advisoryLocks.claim) << 32n;

/**
 * Locks the organizations that are free, until the end of the transaction (PostgreSQL only). Without the lock, two
 * instances would count the same free slots of an organization. This must be a separate statement, so that the next one
 * sees everything that the previous holder of the lock committed.
 */
async function lockOrganizations(sql: EngineSql, organizations: readonly WaitingOrganization[]) {
  const ids = arrayOf(organizations.map(({ organizationId }) => organizationId));
  const rows = await select<{ id: number }>(sql)`SELECT id FROM unnest(${ids}::bigint[]) AS waiting (id)
    WHERE pg_try_advisory_xact_lock(id # ${raw(LOCK)})`;
  const held = new Set(rows.map(({ id }) => id));
  return organizations.filter(({ organizationId }) => held.has(organizationId));
}

/** Waits for the lock of the organization, and holds it until the end of the transaction. */
export async function lockOrganization(sql: EngineSql, organizationId: number): Promise<void> {
  await lock(sql)`SELECT pg_advisory_xact_lock(${organizationId}::bigint # ${raw(LOCK)})`;
}

interface OrganizationState {
  readonly organizationId: number;
  readonly underWay: number;
  /** The oldest waiting deliveries, at most `perOrganization`. */
  readonly ids: readonly number[];
  readonly after: number;
  readonly since: string | null;
}

interface StateRow {
  readonly organization_id: number;
  readonly under_way: number;
  readonly ids: string | null;
  /** When the oldest current claim was made, or the current time if there is none. */
  readonly since: string | null;
}

/**
 * A claim that is older than a minute is stale and does not count. Claims from before `since` have ended. If the clock
 * was set back, `since` is in the future and is ignored.
 */
const statesOnPostgres = ({ organizations, request }: Claim) => SQL`
  SELECT waiting.organization_id, busy.under_way, coalesce(busy.first, clock_timestamp()) AS since,
    (
      SELECT string_agg(id::text, ',') FROM (
        SELECT id FROM deliveries
        WHERE state = 'pending' AND organization_id = waiting.organization_id AND id > waiting.after
        ORDER BY id LIMIT ${request.perOrganization}
      ) AS oldest
    ) AS ids
  FROM unnest(
      ${arrayOf(organizations.map(({ organizationId }) => organizationId))}::bigint[],
      ${arrayOf(organizations.map(({ after }) => after))}::bigint[],
      ${arrayOf(organizations.map(({ since }) => since))}::timestamptz[]
    ) AS waiting (organization_id, after, since),
    LATERAL (
      SELECT count(*) AS under_way, min(claimed_at) AS first FROM deliveries
      WHERE state = 'sending' AND organization_id = waiting.organization_id
        AND claimed_at >= CASE WHEN waiting.since < now() THEN greatest(waiting.since, now() - interval '1 minute')
          ELSE now() - interval '1 minute' END
    ) AS busy`;

const statesOnSqlite = ({ organizations, request }: Claim) => SQL`
  SELECT waiting.value ->> 0 AS organization_id, NULL AS since,
    (
      SELECT count(*) FROM deliveries WHERE state = 'sending' AND organization_id = waiting.value ->> 0
    ) AS under_way,
    (
      SELECT group_concat(id) FROM (
        SELECT id FROM deliveries
        WHERE state = 'pending' AND organization_id = waiting.value ->> 0 AND id > waiting.value ->> 1
        ORDER BY id LIMIT ${request.perOrganization}
      )
    ) AS ids
  FROM json_each(
    ${JSON.stringify(organizations.map(({ organizationId, after }) => [organizationId, after]))}
  ) AS waiting`;

async function statesOf(sql: EngineSql, claim: Claim): Promise<readonly OrganizationState[]> {
  const states = sql.engine === 'sqlite' ? statesOnSqlite(claim) : statesOnPostgres(claim);
  const rows = await select<StateRow>(sql)(states);
  const byOrganization = new Map(rows.map((row) => [row.organization_id, row]));
  return claim.organizations.flatMap(({ organizationId, after }) => {
    const row = byOrganization.get(organizationId);
    if (row === undefined) return [];
    const ids = row.ids?.split(',').map(Number) ?? [];
    ids.sort((one, other) => one - other);
    return [{ organizationId, after, underWay: row.under_way, since: row.since, ids }];
  });
}

/** Locks by the primary key. When PostgreSQL expects few waiting deliveries, it would otherwise read their whole index. */
const markOnPostgres = ({ ids, request: { claim } }: Marked) => SQL`
  WITH locked AS MATERIALIZED (
    SELECT id, state FROM deliveries WHERE id = ANY (${arrayOf(ids)}::bigint[]) FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries SET state = 'sending', claim = ${claim}, claimed_at = clock_timestamp(), claims = claims + 1
  FROM locked WHERE deliveries.id = locked.id AND locked.state = 'pending'`;

const markOnSqlite = ({ ids, request: { claim, at } }: Marked) => SQL`
  UPDATE deliveries SET state = 'sending', claim = ${claim}, claimed_at = ${at}, claims = claims + 1
  WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND state = 'pending'`;

type Marked = Pick<Claim, 'request'> & { readonly ids: readonly number[] };

async function mark(sql: EngineSql, marked: Marked): Promise<readonly Claimed[]> {
  const isSqlite = sql.engine === 'sqlite';
  const claimed = await storedClaimed.allChanged(sql)((isSqlite ? markOnSqlite : markOnPostgres)(marked));
  // A number outside the file is compared with this one; see `Deployment`.
  if (isSqlite && claimed.length > 0) await sql.run('UPDATE deployment SET claims = claims + 1');
  return claimed;
}

/** Writes an array of numbers or timestamps in PostgreSQL's form. */
function arrayOf(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
