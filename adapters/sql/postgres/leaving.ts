import { setTimeout as pause } from 'node:timers/promises';
import pg, { type Client, type ClientConfig } from 'pg';
import { retireConnection } from '../engine/retired-connections.js';
import { detachSocket, processIdOf, requestCancel } from '../fast-paths/wire.js';
import { isPooled } from './session.js';

/** A server as its connections see it. */
export interface Peer {
  readonly settings: ClientConfig;
  /** It only answers reads. */
  readonly isReplica: boolean;
  /** The connections that this process has given up, until the server has ended their processes. */
  readonly leaving: Map<Client, { readonly gone: Promise<void>; readonly forget: () => void }>;
}

const peers = new WeakMap<Client, Peer>();
const cancelling = new WeakMap<Client, Promise<void>>();

/** Connections whose server is not known are given up without asking it. */
export function setPeer(connection: Client, peer: Peer): void {
  peers.set(connection, peer);
}

/** Whether a new connection was taken and then never answered. */
export function isHanging({ leaving }: Peer): boolean {
  return [...leaving.keys()].some((connection) => processIdOf(connection) === null);
}

/** Asks the server to cancel the statement of this connection, once. Nothing may run on the connection afterwards. */
export function cancelStatement(connection: Client): Promise<void> {
  retireConnection(connection);
  const cancelled = cancelling.get(connection) ?? requestCancel(connection);
  cancelling.set(connection, cancelled);
  return cancelled;
}

const abandoned = new WeakSet<Client>();

/**
 * Ends a connection at once for this process, even when the server no longer answers. What waits for its answers fails. A
 * statement that may still run is cancelled first: some statements, such as a COMMIT that waits for a synchronous
 * standby, never notice that their client has left.
 */
export function abandonConnection(connection: Client, { isRunning = true } = {}): void {
  retireConnection(connection);
  if (abandoned.has(connection)) return;
  abandoned.add(connection);
  const { leaving } = peers.get(connection) ?? { leaving: null };
  const socket = detachSocket(connection);
  const leave = async (): Promise<void> => {
    if (isRunning) await cancelStatement(connection);
    socket.leave();
    await Promise.race([socket.closed, knownGone(connection, socket.closed)]);
  };
  let forget: () => void = () => undefined;
  const forgotten = new Promise<void>((resolve) => {
    forget = resolve;
  });
  const gone = Promise.race([leave(), forgotten]).finally(() => {
    leaving?.delete(connection);
    socket.destroy();
  });
  leaving?.set(connection, { gone, forget });
}

/** Gives a connection up on which nothing runs. Resolves when the server has ended its process, as far as can be found out. */
export async function leaveConnection(connection: Client): Promise<void> {
  abandonConnection(connection, { isRunning: false });
  await peers.get(connection)?.leaving.get(connection)?.gone;
}

/** A pooler holds its own connections to the server, and no more than it may. */
const POOLER_TIMEOUT_MS = 2_000;

/** Resolves when the server is found not to have the process any more, although it has not closed the connection. */
async function knownGone(connection: Client, closed: Promise<void>): Promise<void> {
  if (isPooled(connection)) return pause(POOLER_TIMEOUT_MS, undefined, { ref: false });
  const peer = peers.get(connection);
  if (peer === undefined) return;
  const gone = inquiries.get(peer) ?? inquire(peer.settings);
  inquiries.set(peer, gone);
  return gone(processIdOf(connection), closed);
}

const inquiries = new WeakMap<Peer, ReturnType<typeof inquire>>();

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 4_000;
/** While the server cannot be reached, asking costs it nothing, and another one may take over at any time. */
const AWAY_PAUSE_MS = 500;
/** A server that takes the connection and then does not answer may keep a process for it. */
const MAX_HUNG_PAUSE_MS = 60_000;
const TIMEOUT_MS = 3_000;

interface Asked {
  readonly pid: number | null;
  readonly free: () => void;
}

/**
 * Asks a server for processes whose connections it has not closed. If the machine or the network has vanished, nothing
 * closes them; if the process is frozen, it is still there. One question at a time, on a connection of its own, because
 * such processes may hold all places of the pool. The result resolves when the server answers without this process. Null:
 * any answer shows that it has no such process.
 */
function inquire(settings: ClientConfig) {
  const asked = new Set<Asked>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    let wait = FIRST_PAUSE_MS;
    for (;;) {
      await pause(wait, undefined, { ref: false });
      if (asked.size === 0) break;
      const pids = [...asked].flatMap(({ pid }) => pid ?? []);
      const answer = await ask(settings, pids);
      if (answer === 'away') wait = AWAY_PAUSE_MS;
      else wait = Math.min(2 * wait, answer === 'hung' ? MAX_HUNG_PAUSE_MS : MAX_PAUSE_MS);
      if (answer instanceof Set) for (const { pid, free } of [...asked]) if (!answer.has(pid)) free();
    }
    isRunning = false;
  }

  return (pid: number | null, closed: Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const own: Asked = {
        pid,
        free() {
          asked.delete(own);
          resolve();
        },
      };
      asked.add(own);
      void closed.then(own.free);
      if (!isRunning) void run();
    });
}

const OF_OURS = `SELECT pid FROM pg_stat_activity
  WHERE pid = ANY($1) AND datname = current_database() AND usename = current_user`;

/** Those of the processes that exist. `hung`: the server has taken the connection, and does not answer. */
async function ask(
  settings: ClientConfig,
  pids: readonly number[],
): Promise<ReadonlySet<number | null> | 'away' | 'hung'> {
  const client: Client = new pg.Client({ ...settings, connectionTimeoutMillis: 0 });
  client.on('error', () => undefined);
  let isHung = false;
  const timer = setTimeout(() => {
    const socket = detachSocket(client);
    isHung = socket.isOpen;
    socket.leave();
  }, TIMEOUT_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(OF_OURS, [pids]);
    return new Set(rows.map(({ pid }) => pid));
  } catch {
    return isHung ? 'hung' : 'away';
  } finally {
    clearTimeout(timer);
    void client.end().catch(() => undefined);
  }
}
