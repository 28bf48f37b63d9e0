import type { Snapshot, WantedSnapshot } from './database.js';
import { ExportPlaces } from './export-places.js';

/** The snapshots that are open: closing the database releases them, and no organization has too many. */
export class OpenSnapshots {
  readonly #open = new Set<Snapshot>();
  readonly #places: ExportPlaces;

  /** `timeoutMs` is how long a caller waits for the database. */
  constructor(timeoutMs: number) {
    this.#places = new ExportPlaces(timeoutMs);
  }

  /** Opens a snapshot with `open`. One for an organization takes one of its places. */
  async add({ organizationId }: WantedSnapshot, open: () => Promise<Snapshot>): Promise<Snapshot> {
    const leave = organizationId === undefined ? () => {} : await this.#places.take(organizationId);
    try {
      return this.#keep(await open(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #keep(opened: Snapshot, leave: () => void): Snapshot {
    const snapshot = {
      ...opened,
      release: async () => {
        this.#open.delete(snapshot);
        await opened.release();
        leave();
      },
    };
    this.#open.add(snapshot);
    return snapshot;
  }

  async release(): Promise<void> {
    await Promise.all([...this.#open].map((snapshot) => snapshot.release()));
  }
}
