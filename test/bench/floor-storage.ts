import type { ServerResponse } from 'node:http';

/** The floor's queries, as direct as possible. SQLite answers synchronously, PostgreSQL with a promise. */
export interface FloorStorage {
  /** The organization whose access key has the hash, and the generation of the key. */
  keyHolder(hash: string): MaybePromise<readonly [id: number, generation: number]>;
  access(organizationId: number): MaybePromise<Access>;
  upcoming(member: {
    readonly organization: number;
    readonly idpId: string;
    /** ISO 8601. */
    readonly now: string;
  }): MaybePromise<readonly UpcomingRow[]>;
  /** The rows as JSON, separated by commas, and the total number. */
  page(request: Exported & { readonly limit: number; readonly offset: number }): MaybePromise<FloorPage>;
  /** Writes all rows, separated by commas. Ends early if the reader leaves. */
  exportAll(response: ServerResponse, request: Exported): Promise<void>;
}

type MaybePromise<T> = T | Promise<T>;

/** What is read with every request. */
export interface Access {
  /** The generation of the access key. */
  readonly generation: number;
  readonly hasProgram: boolean;
}

export interface Exported {
  readonly organization: number;
  /** Whether service meetings that are tied to the organization are included. */
  readonly hasProgram: boolean;
  /** Keys of columns. */
  readonly names: readonly string[];
}

export interface FloorPage {
  readonly rows: Uint8Array;
  readonly total: number;
}

/** In the order of start time and id. */
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

/** The name of the column in answers. */
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
