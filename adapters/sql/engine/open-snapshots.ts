import type { Snapshot, SnapshotRequest } from './database.js';
import { ExportPlaces } from './export-places.js';

/** The open snapshots. Closing the database releases them, and no organization has too many. */
export class OpenSnapshots {
  readonly #open = new Set<Snapshot>();
  readonly #places: ExportPlaces;

  /** `timeoutMs` is how long a caller waits for the database. */
  constructor(timeoutMs: number) {
    this.#places = new ExportPlaces(timeoutMs);
  }

  /** Opens a snapshot with `open`. One for an organization takes one of its places. */
  async add({ organizationId }: SnapshotRequest, open: () => Promise<Snapshot>): Promise<Snapshot> {
    const releasePlace = organizationId === undefined ? () => {} : await this.#places.take(organizationId);
    try {
      return this.#keep(await open(), releasePlace);
    } catch (error) {
      releasePlace();
      throw error;
    }
  }

  #keep(opened: Snapshot, releasePlace: () => void): Snapshot {
    const snapshot = {
      ...opened,
      release: async () => {
        this.#open.delete(snapshot);
        await opened.release();
        releasePlace();
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
