import type { RequestListener } from 'node:http';
import { createHttpServer, type HttpServerOptions } from '@rollcall/express';
import type { Logger } from '@rollcall/node';
import { type Listening, listenFailure } from '../listen-failure.js';
import type { Part } from '../part.js';
import type { Imports } from './imports.js';

/** A year of records may take minutes to arrive. A client that sends nothing for a minute is cut off all the same. */
const MAX_REQUEST_MS = 60 * 60_000;

/** Serves the operator's API on a separate, private port. Does nothing if it is not configured. */
export function createOperatorServer({
  handler,
  at,
  timeouts,
  hostProblem,
  imports,
  log,
}: Pick<HttpServerOptions, 'timeouts' | 'hostProblem'> & {
  readonly handler: RequestListener;
  readonly at: Listening | null;
  readonly imports: Pick<Imports, 'start' | 'stop'>;
  readonly log: Logger;
}): Part {
  if (at === null) return { start: async () => {}, stop: async () => {} };
  const server = createHttpServer({
    handler,
    log,
    hostProblem,
    timeouts: { ...timeouts, request: MAX_REQUEST_MS },
  });
  const { port, host } = at;
  return {
    async start() {
      await server.listen(at).catch((error: unknown) => {
        throw listenFailure(error, { server: 'operator', ...at });
      });
      log.info({ host, port }, "Serving the operator's API");
      imports.start();
    },
    async stop() {
      await server.stop();
      await imports.stop();
    },
  };
}
