import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A proxy that distributes requests to several instances in turn and keeps its connections to them, like nginx and
 * Caddy. Either it polls `/readyz` and never repeats a request, or it does not poll, and tries the next instance if a
 * connection is refused. A request is never repeated once a part of it has been sent.
 */
export interface RoundRobin {
  readonly url: string;
  /** Whether the instance on this port gets requests. */
  isIn(port: number): boolean;
  /** The reasons for responses with 502, each with the port. */
  readonly failures: readonly string[];
  /** The number of requests to each port. */
  readonly handed: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

const POLL_INTERVAL_MS = 200;
const REQUEST_TIMEOUT_MS = 20_000;
/**
 * How long the proxy keeps an idle connection. It must be shorter than the 5 s of the service (see `operating.md`), so
 * that no request is sent on a connection that the service is closing.
 */
const IDLE_TIMEOUT_MS = 2_000;

export async function startRoundRobin({
  ports,
  pollsReadiness,
}: {
  readonly ports: readonly number[];
  /** Whether the proxy polls `/readyz`. */
  readonly pollsReadiness: boolean;
}): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: IDLE_TIMEOUT_MS });
  const ready = new Set(ports);
  const failures: string[] = [];
  const handed = new Map<number, number>();
  let turn = 0;

  const next = (tried: readonly number[]): number | undefined => {
    const candidates = ports.filter((port) => ready.has(port) && !tried.includes(port));
    turn += 1;
    return candidates[turn % candidates.length];
  };

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
    const attempt = (tried: readonly number[]): void => {
      const port = next(tried);
      if (port === undefined) {
        fail(outgoing, `no instance is left after trying ${tried.join()}`);
        return;
      }
      handed.set(port, (handed.get(port) ?? 0) + 1);
      const { method, url: path, headers } = incoming;
      const forwarded = request({
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers,
        timeout: REQUEST_TIMEOUT_MS,
      });
      forwarded.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, endToEnd(answer.headers));
        answer.on('error', () => outgoing.destroy()).pipe(outgoing);
      });
      forwarded.on('timeout', () => forwarded.destroy(new Error('timeout')));
      forwarded.on('error', (error: NodeJS.ErrnoException) => {
        const connection = forwarded.reusedSocket ? 'kept' : 'new';
        // Refused, or reset before it was accepted, as what waits is when a server stops to listen. Nothing was sent.
        if (!pollsReadiness && error.syscall === 'connect') attempt([...tried, port]);
        else fail(outgoing, `${port}: ${error.message} on a ${connection} connection`);
      });
      forwarded.end(body);
    };
    attempt([]);
  };
  const fail = (outgoing: ServerResponse, reason: string): void => {
    failures.push(reason);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  };

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray().catch(() => []));
    forward(incoming, outgoing, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stopped = new AbortController();
  if (pollsReadiness) for (const port of ports) void pollReadiness({ port, ready, signal: stopped.signal });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    isIn: (port) => ready.has(port),
    failures,
    handed,
    async stop() {
      stopped.abort();
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The headers without those that belong to one connection. */
function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  return others;
}

async function pollReadiness({
  port,
  ready,
  signal,
}: {
  readonly port: number;
  readonly ready: Set<number>;
  readonly signal: AbortSignal;
}): Promise<void> {
  while (!signal.aborted) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(port);
    else ready.delete(port);
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
