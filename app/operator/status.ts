import type { Clock } from '@rollcall/core';
import type { Operations } from '@rollcall/express';
import type { Backlog } from '@rollcall/sql';
import type { LoggedImport, SeenInstance } from '@rollcall/sql/maintenance';
import type { Readiness } from '../readiness.js';
import type { Imports } from './imports.js';
import { type InstanceStore, runningSince } from './instances.js';

export interface StatusDeps {
  readonly readiness: Readiness;
  readonly backlog: () => Promise<Backlog>;
  readonly imports: Pick<Imports, 'last'>;
  readonly instanceStore: InstanceStore;
  readonly clock: Pick<Clock, 'now'>;
}

type Status = Awaited<ReturnType<Operations['status']>>;

/** The state of the service. Throws `Unavailable` when the database does not answer. */
export async function readStatus({
  readiness,
  backlog,
  imports,
  instanceStore,
  clock,
}: StatusDeps): Promise<Status> {
  const now = clock.now();
  const checks = await readiness();
  const isReady = checks.every(({ state, isInformational }) => state !== 'failed' || isInformational);
  const last = await imports.last();
  return {
    status: isReady ? 'ok' : 'unavailable',
    checks: Object.fromEntries(checks.map(({ name, state }) => [name, state])),
    backlog: backlogAnswer(await backlog(), now),
    last_import: last === null ? null : importAnswer(last),
    instances: (await instanceStore.list(runningSince(now))).map(instanceAnswer),
  };
}

function backlogAnswer({ oldestPending, ...counts }: Backlog, now: Date): Status['backlog'] {
  const seconds = oldestPending && Math.max(0, Math.round((now.getTime() - oldestPending.getTime()) / 1000));
  return {
    ...counts,
    oldest_pending_at: oldestPending?.toISOString() ?? null,
    oldest_pending_seconds: seconds,
  };
}

function importAnswer(logged: LoggedImport): NonNullable<Status['last_import']> {
  const { source, beganAt, endedAt, result, records, counts, problem } = logged;
  return {
    source,
    began_at: beganAt.toISOString(),
    ended_at: endedAt.toISOString(),
    ...{ result, records, counts, problem },
  };
}

function instanceAnswer({
  timeZoneData,
  startedAt,
  seenAt,
  ...instance
}: SeenInstance): Status['instances'][number] {
  return {
    ...instance,
    time_zone_data: timeZoneData,
    started_at: startedAt.toISOString(),
    seen_at: seenAt.toISOString(),
  };
}
