import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg, { type Client, type Submittable } from 'pg';

/**
 * The parts of a connection of pg that its types do not publish. Only this folder uses them; others call
 * `detachSocket`, `requestCancel`, `onParameter` and `processIdOf`. `package.json` pins pg with `~`, and
 * `test/sql/fast-paths/wire.test.ts` checks each part against the installed version. If an update changes one, use
 * `client.query` or `pg-copy-streams` where the new version does not fit.
 */
export interface Wire extends EventEmitter {
  /** The socket in use. With TLS it is null until TLS is set up. */
  readonly stream: Socket;
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
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  /** Says goodbye behind everything that was sent, and closes this side. */
  end(): void;
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

/** The unpublished parts of a client that a request to cancel needs. The key comes with the login. */
interface LoggedIn {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly host: string;
  readonly port: number;
  readonly ssl: object | boolean;
  readonly sslNegotiation: string;
}

function loginOf(client: Client): LoggedIn {
  return client as unknown as LoggedIn;
}

/**
 * Takes the socket away from the client. For pg the connection has ended: everything that waits for an answer fails. The
 * server is told nothing yet.
 */
export function detachSocket(client: Client) {
  const wire = wireOf(client);
  const { stream } = wire;
  const isOpen = !stream.destroyed && !stream.connecting;
  const closed = new Promise<void>((resolve) => {
    if (isOpen) stream.once('close', () => resolve());
    else resolve();
  });
  stream.on('error', () => undefined);
  stream.removeAllListeners('data');
  if (isOpen) stream.resume().unref();
  else stream.destroy();
  wire.emit('end');
  return {
    /** Whether a server process may be at the other end. */
    isOpen,
    /** Resolves when the server has closed its side, and so has ended its process, or when the connection is lost. */
    closed,
    /** Says goodbye behind everything that was sent. What still arrives is dropped. */
    leave: (): void => (loginOf(client).processID === null ? void stream.end() : wire.end()),
    destroy: () => void stream.destroy(),
  };
}

/** Longer than any network needs. */
const CANCEL_TIMEOUT_MS = 5_000;

/**
 * Asks the server, on a connection of its own, to cancel the statement of the client. Resolves when the server has
 * passed this on to its process, or after some seconds if it cannot be reached. Does nothing if no statement runs.
 */
export function requestCancel(client: Client): Promise<void> {
  const { processID, secretKey, host, port, ssl, sslNegotiation } = loginOf(client);
  if (processID === null || secretKey === null) return Promise.resolve();
  const settings = { ssl, sslNegotiation } as object;
  const wire = new pg.Connection(settings) as unknown as Wire;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, CANCEL_TIMEOUT_MS).unref();
    const cancel = (): void => wire.cancel(processID, secretKey);
    wire.on('connect', () => {
      if (!ssl) cancel();
      else if (sslNegotiation !== 'direct') wire.requestSsl();
    });
    wire.on('sslconnect', cancel).on('error', end).on('end', end);
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}

/** Calls `report` whenever the server reports one of its settings: at the login, and when it changes. */
export function onParameter(client: Client, report: (name: string, value: string) => void): void {
  wireOf(client).on(
    'parameterStatus',
    (message: { readonly parameterName: string; readonly parameterValue: string }) =>
      report(message.parameterName, message.parameterValue),
  );
}

/** The id of the server process behind the connection. Null until the server has announced it. */
export function processIdOf(client: Client): number | null {
  return loginOf(client).processID;
}
