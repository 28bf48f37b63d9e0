import type { ServerResponse } from 'node:http';

/** The floor's queries, as direct as possible. SQLite answers synchronously, PostgreSQL with a promise. */
export interface FloorStorage {
  /** The organization whose access key has the hash, and the generation of the key. */
  keyHolder(hash: string): MaybePromise<readonly [id: number, generation: number]>;
  access(organizationId: number): MaybePromise<Access>;
  /** The meetings of one page that is not past the end. */
  upcoming(
    member: Part & {
      readonly organization: number;
      readonly idpId: string;
      /** ISO 8601. */
      readonly now: string;
    },
  ): MaybePromise<FloorUpcoming>;
  page(request: Omit<Exported, 'hasProgram'> & Part): MaybePromise<FloorPage>;
  /** Writes all rows, separated by commas. Ends early if the reader leaves. */
  exportAll(response: ServerResponse, request: Exported): Promise<void>;
}

type MaybePromise<T> = T | Promise<T>;

/** What is read before an export. */
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

/** The limit and the offset of a page. */
interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** The generation of the access key is read together with the rows. */
export interface FloorPage {
  readonly generation: number;
  /** The rows as JSON, separated by commas. */
  readonly rows: Uint8Array;
  readonly total: number;
}

export interface FloorUpcoming {
  readonly generation: number;
  readonly rows: readonly UpcomingRow[];
  readonly total: number;
}

/** In the order of start time and id. Further columns may follow. */
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
  ...more: unknown[],
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
