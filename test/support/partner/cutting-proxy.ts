import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** An HTTP proxy that can cut connections, as a bad network does. */
export interface CuttingProxy {
  readonly port: number;
  /** The number of requests that it has forwarded to a path that was cut. */
  forwarded(): number;
  stop(): Promise<void>;
}

/** When the connection of the client is cut: as soon as the service has the request, or when its answer comes. */
export type Cut = 'after the request' | 'before the answer';

/** Cuts the first requests to a path in these ways. The service gets each of them, and does not notice. */
export async function startCuttingProxy(
  target: number,
  { path, cuts }: { readonly path: RegExp; readonly cuts: readonly Cut[] },
): Promise<CuttingProxy> {
  const left = [...cuts];
  let forwarded = 0;
  const forward = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const isCounted = path.test(incoming.url ?? '');
    const cut = isCounted ? left.shift() : undefined;
    forwarded += isCounted ? 1 : 0;
    const { method, url, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: target, method, path: url, headers, agent: false });
    outgoing.on('error', () => answer.destroy());
    outgoing.on('response', (response) => {
      if (cut === 'before the answer') answer.destroy();
      if (cut !== undefined) return void response.resume();
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
    if (cut === 'after the request') outgoing.on('finish', () => answer.destroy());
  };
  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    forwarded: () => forwarded,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
