import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connections } from './connections.js';

/** How long to wait for a turn of the event loop after which closing resets no connection. */
const MAX_ACCEPT_MS = 2000;
const QUIET_TURNS = 2;
/** While a longer turn ran, more connections may have come. */
const MAX_QUIET_TURN_MS = 1;
const IDLE_CHECK_INTERVAL_MS = 20;

/**
 * Answers what has been sent, keeps idle connections for as long as `connections` says, and ends when all are closed.
 * Requests that take longer than `timeoutMs` after the announcement are cut off.
 */
export async function stopServer(
  server: Server,
  { connections, timeoutMs }: { readonly connections: Connections; readonly timeoutMs: number },
): Promise<void> {
  await acceptLast(server);
  // The HTTP server's own `close` closes idle connections at once, and loses the requests that are being sent on them.
  // Nothing comes before this: a connection that arrived meanwhile would be reset.
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
 * Closing the server resets connections that have not been accepted yet, even if a request was sent on them. Node accepts
 * one connection in each turn of the event loop, so some quick turns without one mean that there are no more.
 * `setImmediate` runs right after Node has accepted. A timer would run before, and miss the connections that came while
 * the process was busy.
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
