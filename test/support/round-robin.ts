import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A proxy in front of several instances that distributes requests in turn and keeps its connections to them, as nginx and
 * Caddy do. Either it polls `/readyz` and never repeats a request, or it does not poll and goes on to the next instance
 * when a connection is refused. A request is never repeated once a part of it was sent.
 */
export interface RoundRobin {
  readonly url: string;
  /** Whether requests are handed to the instance on this port. */
  isIn(port: number): boolean;
  /** Why requests were answered with 502, each with the port. */
  readonly failures: readonly string[];
  /** How many requests each port got. */
  readonly handed: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

const PROBE_EVERY_MS = 200;
const REQUEST_TIMEOUT_MS = 20_000;
/**
 * How long it keeps an idle connection: shorter than the 5 s after which the service closes it, as `operating.md` asks of
 * every proxy. Else the proxy would send requests on connections that are being closed.
 */
const IDLE_TIMEOUT_MS = 2_000;

export async function startRoundRobin({
  ports,
  pollsReadiness,
}: {
  readonly ports: readonly number[];
  /** At `/readyz`. */
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

  const hand = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
    const attempt = (tried: readonly number[]): void => {
      const port = next(tried);
      if (port === undefined) {
        fail(outgoing, `no instance is left after ${tried.join()}`);
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
        if (!pollsReadiness && error.code === 'ECONNREFUSED') attempt([...tried, port]);
        else fail(outgoing, `${port}: ${error.message} on a ${connection} connection`);
      });
      forwarded.end(body);
    };
    attempt([]);
  };
  const fail = (outgoing: ServerResponse, why: string): void => {
    failures.push(why);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  };

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray().catch(() => []));
    hand(incoming, outgoing, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const over = new AbortController();
  if (pollsReadiness) for (const port of ports) void look({ port, ready, signal: over.signal });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    isIn: (port) => ready.has(port),
    failures,
    handed,
    async stop() {
      over.abort();
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Headers that are about one connection are not handed on. */
function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  return others;
}

async function look({
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
      signal: AbortSignal.timeout(2000),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(port);
    else ready.delete(port);
    await pause(PROBE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
