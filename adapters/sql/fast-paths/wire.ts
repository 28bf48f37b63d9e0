import type { Socket } from 'node:net';
import type { Client, Submittable } from 'pg';

/**
 * The parts of a connection of pg that its types do not publish. Only this folder uses them; others call
 * `destroySocket` and `processIdOf`. `test/sql/fast-paths/wire.test.ts` checks each part against the installed version.
 */
export interface Wire {
  /** The socket in use. With TLS it is null until TLS is set up. */
  readonly stream: Pick<Socket, 'cork' | 'uncork' | 'pause' | 'resume' | 'destroy'>;
  /** The texts that this connection has prepared, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  query(text: string): void;
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(portal: {
    readonly statement: string;
    readonly values: readonly (string | Buffer | null)[];
    readonly valueMapper: (value: unknown) => unknown;
  }): void;
  describe(portal: { readonly type: 'P' }): void;
  execute(portal: object): void;
  sync(): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

/** A query that writes its own messages. When its turn comes, pg calls `submit`, and then a method for each answer. */
export interface Submission {
  /** `name` and `text` come together or not at all. With them, pg remembers that the text is prepared under the name. */
  readonly name?: string;
  readonly text?: string;
  submit(wire: Wire): void;
  handleRowDescription?(message: { readonly fields: readonly RowField[] }): void;
  handleDataRow?(message: { readonly fields: unknown[] }): void;
  handleCopyInResponse?(wire: Wire): void;
  handleCopyData?(message: { readonly chunk: Buffer }): void;
  handleEmptyQuery?(): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleReadyForQuery(): void;
  handleError(error: unknown): void;
}

interface RowField {
  readonly name: string;
  readonly dataTypeID: number;
}

export function wireOf(client: Client): Wire {
  return (client as unknown as { readonly connection: Wire }).connection;
}

/** Queues a query behind those that the connection already has. */
export function submit(client: Client, submission: Submission): void {
  client.query(submission as unknown as Submittable);
}

/** Closes the connection's socket at once, without a word to the server. */
export function destroySocket(client: Client): void {
  wireOf(client).stream.destroy();
}

/** The id of the server process behind the connection. Null until the server has announced it. */
export function processIdOf(client: Client): number | null {
  return (client as unknown as { readonly processID: number | null }).processID;
}
