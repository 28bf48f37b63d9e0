import { createHttpServer, type HttpServerOptions } from '@rollcall/express';
import { type Listening, listenFailure, type Server } from './listen-failure.js';
import type { Part } from './part.js';

/** The HTTP server of the API and the pages. */
export interface PublicServer extends Part {
  /** Tells clients and `/readyz` that it stops, but still answers. Resolves when a proxy has had the time to notice. */
  announceStop(): Promise<void>;
}

/** One of the servers of the service. If it cannot listen, the error names its variables. */
export function createListeningServer(
  server: Server,
  {
    at,
    drain,
    ...options
  }: HttpServerOptions & { readonly at: Listening; readonly drain?: () => Promise<void> },
): PublicServer {
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
