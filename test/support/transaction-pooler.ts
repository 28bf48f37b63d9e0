import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** A pooler in this process: each transaction of a client runs on the server connection that has rested longest. */
export interface TransactionPooler {
  readonly url: string;
  stop(): Promise<void>;
}

interface Backend {
  readonly stream: Socket;
  /** Gets what the server says. */
  client: Socket | null;
}

const SSL_REQUEST = 80_877_103;
const CONNECTIONS = 3;

/** Whoever comes may use it: it has signed in itself. */
export async function startTransactionPooler(url: string): Promise<TransactionPooler> {
  const free: Backend[] = [];
  const asking: ((backend: Backend) => void)[] = [];
  const sockets = new Set<Socket>();

  const give = (backend: Backend): void => {
    backend.client = null;
    const next = asking.shift();
    if (next === undefined) free.push(backend);
    else next(backend);
  };
  const take = (): Promise<Backend> => {
    const rested = free.shift();
    return rested === undefined ? new Promise((resolve) => asking.push(resolve)) : Promise.resolve(rested);
  };
  const addBackend = async (): Promise<void> => {
    const backend = { stream: await signedIn(url), client: null as Socket | null };
    sockets.add(backend.stream);
    backend.stream.on(
      'data',
      cut((message) => {
        backend.client?.write(message);
        if (message.toString('latin1', 0, 1) === 'Z' && message[5] === 'I'.charCodeAt(0)) give(backend);
      }),
    );
    give(backend);
  };
  for (let count = 0; count < CONNECTIONS; count += 1) await addBackend();

  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    let lent: Backend | null = null;
    let last = Promise.resolve();
    const forward = async (message: Buffer): Promise<void> => {
      if (message.toString('latin1', 0, 1) === 'X') return void client.end();
      if (lent?.client !== client) lent = await take();
      lent.client = client;
      lent.stream.write(message);
    };
    client.on('error', () => undefined);
    client.on(
      'data',
      cut((message) => {
        last = last.then(() => forward(message));
      }, greet(client)),
    );
    client.on('close', () => {
      if (lent?.client !== client) return;
      // In the middle of something: nobody else may have it.
      lent.stream.destroy();
      void addBackend();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The socket of a connection on which nothing more is said but what is written to it. */
async function signedIn(url: string): Promise<Socket> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  return stream.removeAllListeners('data').setNoDelay(true);
}

/** Answers what comes before the first typed message; true when the client is in. */
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

/** Cuts what comes into whole messages; those before `isIn` says yes have no type before their length. */
function cut(message: (whole: Buffer) => void, isIn?: (opening: Buffer) => boolean): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typed = isIn === undefined ? 1 : 0;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= typed + 4) {
      const length = typed + rest.readInt32BE(typed);
      if (rest.length < length) return;
      const whole = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (typed === 1) message(whole);
      else if (isIn?.(whole)) typed = 1;
    }
  };
}
