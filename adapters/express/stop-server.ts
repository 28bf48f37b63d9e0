import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connections } from './connections.js';

/** How long new connections are still accepted. */
const LAST_CONNECTIONS_MS = 500;
/** If this many turns of the event loop bring no connection, all have been accepted. */
const QUIET_TURNS = 5;
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
  await new Promise<void>((resolve) => {
    // Node would keep idle connections open for a while after their last answer.
    const idleCheck = setInterval(() => {
      if (connections.mayCloseIdle()) server.closeIdleConnections();
    }, IDLE_CHECK_INTERVAL_MS);
    const deadline = setTimeout(
      () => server.closeAllConnections(),
      timeoutMs - connections.msSinceAnnouncement(),
    );
    // The HTTP server's own `close` closes idle connections at once, and loses the requests that are being sent on them.
    TcpServer.prototype.close.call(server, () => {
      clearInterval(idleCheck);
      clearTimeout(deadline);
      // This also ends the timers of the HTTP server.
      server.close();
      resolve();
    });
  });
}

/**
 * Closing the server resets connections that have not been accepted yet, even if a request was sent on them. Node
 * accepts one connection in each turn of the event loop, so some turns without one mean that there are no more.
 */
async function acceptLast(server: Server): Promise<void> {
  const deadline = performance.now() + LAST_CONNECTIONS_MS;
  let quietTurns = 0;
  const onConnection = (): void => {
    quietTurns = 0;
  };
  server.on('connection', onConnection);
  for (; quietTurns < QUIET_TURNS && performance.now() < deadline; quietTurns += 1) await pause(1);
  server.off('connection', onConnection);
}
