import type { Snapshot, SnapshotRequest } from './database.js';
import { ExportSlots } from './export-slots.js';

/** The open snapshots. Closing the database releases them, and no organization has too many. */
export class OpenSnapshots {
  readonly #open = new Set<Snapshot>();
  readonly #slots: ExportSlots;

  /** `timeoutMs` is how long a caller waits for the database. */
  constructor(timeoutMs: number) {
    this.#slots = new ExportSlots(timeoutMs);
  }

  /** Opens a snapshot with `open`. One for an organization takes one of its slots. */
  async add({ organizationId }: SnapshotRequest, open: () => Promise<Snapshot>): Promise<Snapshot> {
    const releaseSlot = organizationId === undefined ? () => {} : await this.#slots.take(organizationId);
    try {
      return this.#keep(await open(), releaseSlot);
    } catch (error) {
      releaseSlot();
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
    this.#open.add(snapshot);
    return snapshot;
  }

  /** Releases all open snapshots. */
  async release(): Promise<void> {
    await Promise.all([...this.#open].map((snapshot) => snapshot.release()));
  }
}
