import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connections } from './requests-in-turn.js';

/** The maximum time to wait for the turn of the event loop after which closing resets no connection. */
const MAX_ACCEPT_MS = 2000;
const QUIET_TURNS = 2;
/** More connections may have arrived during a longer turn. */
const MAX_QUIET_TURN_MS = 1;
const IDLE_CHECK_INTERVAL_MS = 20;

/**
 * Answers the requests that have been sent, closes idle connections when `connections` allows it, and resolves when all
 * are closed. Requests that are not answered `timeoutMs` after the announcement are cut off.
 */
export async function stopServer(
  server: Server,
  { connections, timeoutMs }: { readonly connections: Connections; readonly timeoutMs: number },
): Promise<void> {
  await acceptLast(server);
  // The HTTP server's own `close` would close idle connections at once and lose the requests that are being sent on
  // them. This call must come first: a connection that arrived during any earlier work would be reset.
  const closed = new Promise<void>((resolve) => {
    TcpServer.prototype.close.call(server, () => resolve());
  });
  // Node would keep idle connections open for a while after their last answer.
  const idleCheck = setInterval(() => {
    if (connections.mayCloseIdle()) server.closeIdleConnections();
  }, IDLE_CHECK_INTERVAL_MS);
  const deadline = setTimeout(
    () => server.closeAllConnections(),
    timeoutMs - connections.msSinceAnnouncement(),
  );
  await closed;
  clearInterval(idleCheck);
  clearTimeout(deadline);
  // This also ends the timers of the HTTP server.
  server.close();
}

/**
 * Closing the server resets connections that have not been accepted yet, even if a request was sent on them. Node
 * accepts one connection in each turn of the event loop, so some quick turns without one mean that there are no more.
 * `setImmediate` runs right after Node has accepted. A timer would run before that and miss the connections that
 * arrived while the process was busy.
 */
async function acceptLast(server: Server): Promise<void> {
  const deadline = performance.now() + MAX_ACCEPT_MS;
  let quietTurns = 0;
  let hasAccepted = false;
  const onConnection = (): void => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  while (quietTurns < QUIET_TURNS && performance.now() < deadline) {
    hasAccepted = false;
    const begun = performance.now();
    await nextTurn();
    const isQuiet = !hasAccepted && performance.now() - begun < MAX_QUIET_TURN_MS;
    quietTurns = isQuiet ? quietTurns + 1 : 0;
  }
  server.off('connection', onConnection);
}
