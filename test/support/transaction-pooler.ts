import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { listen } from './listen.js';

export type TransactionPooler = Awaited<ReturnType<typeof startTransactionPooler>>;

interface Backend {
  readonly stream: Socket;
  /** The client that gets the messages of the server. */
  client: Socket | null;
}

const SSL_REQUEST = 80_877_103;
const CONNECTIONS = 3;

/**
 * Starts a pooler in this process that is logged in to the server. Clients need no password. Each transaction runs on the
 * server connection that has been idle longest.
 */
export async function startTransactionPooler(url: string) {
  const free: Backend[] = [];
  const waiting: ((backend: Backend) => void)[] = [];
  const sockets = new Set<Socket>();

  const release = (backend: Backend): void => {
    backend.client = null;
    const next = waiting.shift();
    if (next === undefined) free.push(backend);
    else next(backend);
  };
  const acquire = (): Promise<Backend> => {
    const idle = free.shift();
    return idle === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(idle);
  };
  const addBackend = async (): Promise<void> => {
    const backend = { stream: await signedIn(url), client: null as Socket | null };
    sockets.add(backend.stream);
    backend.stream.on(
      'data',
      splitMessages((message) => {
        backend.client?.write(message);
        if (message.toString('latin1', 0, 1) === 'Z' && message[5] === 'I'.charCodeAt(0)) release(backend);
      }),
    );
    release(backend);
  };
  for (let count = 0; count < CONNECTIONS; count += 1) await addBackend();

  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    let lent: Backend | null = null;
    let last = Promise.resolve();
    const forward = async (message: Buffer): Promise<void> => {
      if (message.toString('latin1', 0, 1) === 'X') return void client.end();
      if (lent?.client !== client) lent = await acquire();
      lent.client = client;
      lent.stream.write(message);
    };
    client.on('error', () => undefined);
    client.on(
      'data',
      splitMessages((message) => {
        last = last.then(() => forward(message));
      }, greet(client)),
    );
    client.on('close', () => {
      if (lent?.client !== client) return;
      // The client has left during a transaction, so the connection cannot be reused.
      lent.stream.destroy();
      void addBackend();
    });
  });
  const through = new URL(url);
  through.port = String(await listen(server));
  return {
    url: through.href,
    async stop(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Logs in, and returns the socket of the connection, detached from the driver. */
async function signedIn(url: string): Promise<Socket> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  return stream.removeAllListeners('data').setNoDelay(true);
}

/** Responds to the messages before the first typed one. Returns true when the client is logged in. */
function greet(client: Socket): (opening: Buffer) => boolean {
  return (opening) => {
    if (opening.readInt32BE(4) === SSL_REQUEST) {
      client.write('N');
      return false;
    }
    const process = Buffer.from([0x4b, 0, 0, 0, 12, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    client.write(
      Buffer.concat([
        Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
        process,
        Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
      ]),
    );
    return true;
  };
}

/** Splits the data into whole messages. Until `isLoggedIn` returns true, messages have no type before their length. */
function splitMessages(
  message: (whole: Buffer) => void,
  isLoggedIn?: (opening: Buffer) => boolean,
): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typed = isLoggedIn === undefined ? 1 : 0;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= typed + 4) {
      const length = typed + rest.readInt32BE(typed);
      if (rest.length < length) return;
      const whole = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (typed === 1) message(whole);
      else if (isLoggedIn?.(whole)) typed = 1;
    }
  };
}
