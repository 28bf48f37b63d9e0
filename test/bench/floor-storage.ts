import type { ServerResponse } from 'node:http';

/** What the floor asks of an engine, as directly as may be: SQLite answers at once, PostgreSQL after a while. */
export interface FloorStorage {
  /** Whose access key has the hash, with its generation. */
  keyHolder(hash: string): Soon<readonly [id: number, generation: number]>;
  generation(organizationId: number): Soon<number>;
  upcoming(member: {
    readonly organization: number;
    readonly idpId: string;
    /** ISO 8601. */
    readonly now: string;
  }): Soon<readonly UpcomingRow[]>;
  /** Rows of JSON with commas between, and how many there are in all. */
  page(asked: Exported & { readonly limit: number; readonly offset: number }): Soon<FloorPage>;
  /** Writes all rows, with commas between; ends early when the reader has gone. */
  exportAll(response: ServerResponse, asked: Exported): Promise<void>;
}

type Soon<T> = T | Promise<T>;

export interface Exported {
  readonly organization: number;
  /** Keys of columns. */
  readonly names: readonly string[];
}

export interface FloorPage {
  readonly rows: Uint8Array;
  readonly total: number;
}

/** By start time and id. */
export type UpcomingRow = readonly [
  id: number,
  name: string,
  start: string,
  end: string,
  topic: string,
  description: string | null,
  location: string,
  maxAttendees: number,
  attendees: number,
  leaderId: number | null,
  firstName: string,
  lastName: string,
  avatar: string | null,
  registeredAt: string | null,
  status: string | null,
];

/** How the answers name a column. */
export function wireName(column: string): string {
  return column === 'group_leader_id' ? 'group_leader' : column;
}

export function drainedOrGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
