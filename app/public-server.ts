import type { RequestListener } from 'node:http';
import { createHttpServer, type HttpServerOptions } from '@rollcall/express';
import type { Logger } from '@rollcall/node';
import { type Listening, listenFailure } from './listen-failure.js';
import type { Part } from './part.js';
import type { ReadinessDrain } from './readiness-drain.js';

/** The HTTP server of the API and the pages. */
export interface PublicServer extends Part {
  /** Tells clients and `/readyz` that it stops, but still answers. Resolves when a proxy has had the time to notice. */
  announceStop(): Promise<void>;
}

export function createPublicServer({
  handler,
  at,
  timeouts,
  hostProblem,
  log,
  drain,
}: Pick<HttpServerOptions, 'timeouts' | 'hostProblem'> & {
  readonly handler: RequestListener;
  readonly at: Listening;
  readonly log: Logger;
  readonly drain: ReadinessDrain;
}): PublicServer {
  const server = createHttpServer({ handler, log, timeouts, hostProblem });
  return {
    async start() {
      await server.listen(at).catch((error: unknown) => {
        throw listenFailure(error, { server: 'public', ...at });
      });
    },
    async announceStop() {
      server.announceStop();
      await drain.drain();
    },
    stop: () => server.stop(),
  };
}
