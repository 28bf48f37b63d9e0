import { Refusal } from '@rollcall/core';
import type { Snapshot, SnapshotRequest } from './database.js';
import { ExportSlots } from './export-slots.js';

/** The open snapshots. Closing the database releases them, and no organization has too many. */
export class OpenSnapshots {
  /** The open snapshots, each with its time of `performance.now()`. The oldest one comes first. */
  readonly #open = new Map<Snapshot, number>();
  readonly #slots: ExportSlots;
  #refused = 0;

  /** `timeoutMs` is how long a caller waits for the database. */
  constructor(timeoutMs: number) {
    this.#slots = new ExportSlots(timeoutMs);
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
      return await this.#slots.take(organizationId);
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
