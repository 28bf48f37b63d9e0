import type { Clock } from '@rollcall/core';
import type { Database } from '@rollcall/sql';
import { listInstances, recordInstance, removeInstances, type SeenInstance } from '@rollcall/sql/maintenance';
import type { Part } from '../part.js';
import { timeZoneData } from '../time-zone-data.js';

/** Where the running instances are recorded. */
export interface InstanceStore {
  record(instance: SeenInstance): Promise<void>;
  /** Removes an instance that stops, and those that were last seen before this time. */
  remove(request: { readonly id: string; readonly seenBefore: Date }): Promise<void>;
  /** The instances that were seen since this time, in the order of their starts. */
  list(since: Date): Promise<readonly SeenInstance[]>;
}

export function sqlInstanceStore(database: Database): InstanceStore {
  return {
    record: (instance) => recordInstance(database, instance),
    remove: (request) => removeInstances(database, request),
    list: (since) => listInstances(database, since),
  };
}

const INTERVAL_MS = 30_000;
/** An instance that was not seen for this time has ended or cannot reach the database. */
const MAX_SILENCE_MS = 3 * INTERVAL_MS;
const KEPT_MS = 24 * 60 * 60_000;

/** Instances that were last seen before this time do not run any more. */
export function runningSince(now: Date): Date {
  return new Date(now.getTime() - MAX_SILENCE_MS);
}

/** Records regularly that this instance runs, so that every instance knows the versions and time zone data of all. */
export function createInstanceRecord({
  instanceStore,
  clock,
  instanceId: id,
  version,
}: {
  readonly instanceStore: InstanceStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly instanceId: string;
  readonly version: string;
}): Part {
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> = Promise.resolve();
  return {
    async start() {
      const startedAt = clock.now();
      const record = (): void => {
        // While the database is unreachable, nothing is recorded. The next interval catches up.
        recording = instanceStore
          .record({ id, version, timeZoneData, startedAt, seenAt: clock.now() })
          .catch(() => undefined);
      };
      record();
      await recording;
      timer = setInterval(record, INTERVAL_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await recording;
      const seenBefore = new Date(clock.now().getTime() - KEPT_MS);
      await instanceStore.remove({ id, seenBefore }).catch(() => undefined);
    },
  };
}
