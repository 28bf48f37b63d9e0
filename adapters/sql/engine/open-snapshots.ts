import { Refusal } from '@rollcall/core';
import type { Snapshot, SnapshotRequest } from './database.js';
import { organizationSlots } from './organization-slots.js';

/** Exports of one organization at the same time: its slow readers leave slots to other organizations (decision 150). */
const MAX_EXPORTS_PER_ORGANIZATION = 3;
/** Exports of one organization that may wait for a slot. */
const MAX_WAITING = 8;
/** Seconds. A slot becomes free when another export of the same organization ends. */
const RETRY_AFTER_SECONDS = 10;
/** The part of the timeout for waiting here. The rest is for the database, so that the two together stay near the timeout. */
const WAITING_SHARE = 0.2;

/**
 * The open snapshots. Closing the database releases them, and no organization has too many. `timeoutMs` is how long a caller
 * waits for the database.
 */
export function openSnapshots(timeoutMs: number) {
  /** The open snapshots, each with its time of `performance.now()`. The oldest one comes first. */
  const all = new Map<Snapshot, number>();
  const takeSlot = organizationSlots({
    slots: MAX_EXPORTS_PER_ORGANIZATION,
    maxWaiting: MAX_WAITING,
    refuse: tooManyExports,
  });
  let refused = 0;

  function keep(opened: Snapshot, releaseSlot: () => void): Snapshot {
    const snapshot = {
      ...opened,
      release: async () => {
        all.delete(snapshot);
        await opened.release();
        releaseSlot();
      },
    };
    all.set(snapshot, performance.now());
    return snapshot;
  }

  return {
    /** Opens a snapshot with `open`. One for an organization takes one of its slots. */
    async add({ organizationId }: SnapshotRequest, open: () => Promise<Snapshot>): Promise<Snapshot> {
      let releaseSlot = (): void => {};
      try {
        if (organizationId !== undefined)
          releaseSlot = await takeSlot(organizationId, WAITING_SHARE * timeoutMs);
      } catch (error) {
        if (error instanceof Refusal) refused += 1;
        throw error;
      }
      try {
        return keep(await open(), releaseSlot);
      } catch (error) {
        releaseSlot();
        throw error;
      }
    },

    /** Seconds since the oldest one was opened; 0: none is open. */
    oldestSeconds(): number {
      const [openedAt] = all.values();
      return openedAt === undefined ? 0 : (performance.now() - openedAt) / 1000;
    },

    /** The number of those refused because their organization had too many. */
    refused: () => refused,

    async release(): Promise<void> {
      await Promise.all([...all.keys()].map((snapshot) => snapshot.release()));
    },
  };
}

function tooManyExports(): Refusal {
  return new Refusal(
    'too-many-requests',
    `At most ${MAX_EXPORTS_PER_ORGANIZATION} exports of an organization run at the same time: try again when one has ended`,
    RETRY_AFTER_SECONDS,
  );
}
