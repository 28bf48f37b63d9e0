import { createHttpServer, type HttpServerOptions } from '@rollcall/express';
import type { Logger } from '@rollcall/node';
import type { Metrics } from '@rollcall/node/metrics';
import { type Listening, listenFailure } from './listen-failure.js';
import type { Part } from './part.js';

/** Serves the metrics on a separate, private port. Does nothing if no metrics are configured. */
export function createMetricsServer({
  metrics,
  at,
  timeouts,
  hostProblem,
  log,
}: Pick<HttpServerOptions, 'timeouts' | 'hostProblem'> & {
  readonly metrics: Metrics | null;
  readonly at: Listening | null;
  readonly log: Logger;
}): Part {
  if (metrics === null || at === null) return { start: async () => {}, stop: async () => {} };
  const server = createHttpServer({ handler: metrics.handler, log, timeouts, hostProblem });
  return {
    async start() {
      await server.listen(at).catch((error: unknown) => {
        throw listenFailure(error, { server: 'metrics', ...at });
      });
    },
    stop: () => server.stop(),
  };
}
