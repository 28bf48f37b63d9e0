import { createHttpServer, type HttpServerOptions } from '@rollcall/express';
import { type Listening, listenFailure, type Server } from './listen-failure.js';
import type { Part } from './part.js';

/** A server of the service: the one of the API and the pages, of the operator or of the metrics. */
export interface ListeningServer extends Part {
  /** Tells clients that it stops, but still answers. Resolves after `drain`. */
  announceStop(): Promise<void>;
}

/** If it cannot listen, the error names its variables. */
export function createListeningServer(
  server: Server,
  {
    at,
    drain,
    ...options
  }: HttpServerOptions & { readonly at: Listening; readonly drain?: () => Promise<void> },
): ListeningServer {
  const { listen, announceStop, stop } = createHttpServer(options);
  return {
    async start() {
      await listen(at).catch((error: unknown) => {
        throw listenFailure(error, { server, ...at });
      });
    },
    async announceStop() {
      announceStop();
      await drain?.();
    },
    stop,
  };
}
