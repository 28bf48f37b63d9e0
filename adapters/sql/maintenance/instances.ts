import type { Database } from '../engine/database.js';
import { writeMinor } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';

/** A running process of the service. */
export interface Instance {
  /** A UUID of this run of the process. */
  readonly id: string;
  readonly version: string;
  /** The version of its time zone data, such as `2026c`; null: a release that does not record it. */
  readonly timeZoneData: string | null;
  readonly startedAt: Date;
}

/** An instance with the last time at which it recorded that it runs. */
export interface SeenInstance extends Instance {
  readonly seenAt: Date;
}

const storedInstance = storedIn('instances', {
  id: 'text',
  version: 'text',
  startedAt: 'time',
  seenAt: 'time',
});

/** Records that the instance runs at this time. The time zone data is stored as build metadata: `0.1.0+tz2026c`. */
export async function recordInstance(
  { write }: Pick<Database, 'write'>,
  { id, version, timeZoneData, startedAt, seenAt }: SeenInstance,
): Promise<void> {
  const build = timeZoneData === null ? version : `${version}+tz${timeZoneData}`;
  await writeMinor(write)`INSERT INTO instances (id, version, started_at, seen_at)
      VALUES (${id}, ${build}, ${startedAt}, ${seenAt})
      ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`;
}

/** Removes an instance that stops, and those that were last seen before this time. */
export async function removeInstances(
  { write }: Pick<Database, 'write'>,
  { id, seenBefore }: { readonly id: string; readonly seenBefore: Date },
): Promise<void> {
  await writeMinor(write)`DELETE FROM instances WHERE id = ${id} OR seen_at < ${seenBefore}`;
}

/** The instances that were seen since this time, in the order of their starts. */
export async function listInstances(
  { read }: Pick<Database, 'read'>,
  since: Date,
): Promise<readonly SeenInstance[]> {
  const seen = await storedInstance.all(read)`FROM instances WHERE seen_at >= ${since}
    ORDER BY started_at, id`;
  return seen.map(({ version, ...instance }) => ({ ...instance, ...partsOf(version) }));
}

function partsOf(build: string): Pick<Instance, 'version' | 'timeZoneData'> {
  const [version = build, timeZoneData = null] = build.split('+tz');
  return { version, timeZoneData };
}
