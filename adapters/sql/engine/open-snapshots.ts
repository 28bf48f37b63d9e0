import { Refusal } from '@rollcall/core';
import type { Snapshot, SnapshotRequest } from './database.js';
import { OrganizationSlots } from './organization-slots.js';

/** Exports of one organization at the same time: its slow readers leave slots to other organizations (decision 150). */
const MAX_EXPORTS_PER_ORGANIZATION = 3;
/** Exports of one organization that may wait for a slot. */
const MAX_WAITING = 8;
/** Seconds. A slot becomes free when another export of the same organization ends. */
const RETRY_AFTER_SECONDS = 10;
/** The part of the timeout for waiting here. The rest is for the database, so that the two together stay near the timeout. */
const WAITING_SHARE = 0.2;

/** The open snapshots. Closing the database releases them, and no organization has too many. */
export class OpenSnapshots {
  /** The open snapshots, each with its time of `performance.now()`. The oldest one comes first. */
  readonly #open = new Map<Snapshot, number>();
  readonly #slots = new OrganizationSlots({
    slots: MAX_EXPORTS_PER_ORGANIZATION,
    maxWaiting: MAX_WAITING,
    refuse: tooManyExports,
  });
  readonly #waitMs: number;
  #refused = 0;

  /** `timeoutMs` is how long a caller waits for the database. */
  constructor(timeoutMs: number) {
    this.#waitMs = WAITING_SHARE * timeoutMs;
  }

  /** Opens a snapshot with `open`. One for an organization takes one of its slots. */
  async add({ organizationId }: SnapshotRequest, open: () => Promise<Snapshot>): Promise<Snapshot> {
    const releaseSlot = organizationId === undefined ? () => {} : await this.#takeSlot(organizationId);
    try {
      return this.#keep(await open(), releaseSlot);
    } catch (error) {
      releaseSlot();
      throw error;
    }
  }

  async #takeSlot(organizationId: number): Promise<() => void> {
    try {
      return await this.#slots.take(organizationId, this.#waitMs);
    } catch (error) {
      if (error instanceof Refusal) this.#refused += 1;
      throw error;
    }
  }

  #keep(opened: Snapshot, releaseSlot: () => void): Snapshot {
    const snapshot = {
      ...opened,
      release: async () => {
        this.#open.delete(snapshot);
        await opened.release();
        releaseSlot();
      },
    };
    this.#open.set(snapshot, performance.now());
    return snapshot;
  }

  /** Seconds since the oldest one was opened; 0: none is open. */
  oldestSeconds(): number {
    const [openedAt] = this.#open.values();
    return openedAt === undefined ? 0 : (performance.now() - openedAt) / 1000;
  }

  /** The number of those refused because their organization had too many. */
  refused(): number {
    return this.#refused;
  }

  /** Releases all open snapshots. */
  async release(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((snapshot) => snapshot.release()));
  }
}

function tooManyExports(): Refusal {
  return new Refusal(
    'too-many-requests',
    `At most ${MAX_EXPORTS_PER_ORGANIZATION} exports of an organization run at the same time: try again when one has ended`,
    RETRY_AFTER_SECONDS,
  );
}
