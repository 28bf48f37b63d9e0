import { Agent } from 'node:http';
import type { Limits } from '@rollcall/core';
import { countedIds } from '@rollcall/core/testing';
import { type Bytes, exchange, type Sent } from '../http/client.js';
import { type StartHttpService, startHttpService } from '../http/service.js';
import { pageClient } from '../page/client.js';
import { publicUrl } from '../test-service.js';

export type Site = Awaited<ReturnType<typeof startSite>>;

export interface StartSite extends StartHttpService {
  /** The public URL. The default is that of all tests. */
  readonly publicUrl?: string;
}

/** Never limits anything, for tests that sign in more often than allowed. */
export const noLimits: Limits = {
  waitFor: async () => 0,
  consume: async () => 0,
  forgive: async () => {},
  clear: async () => {},
};

/** The API and the pages on one server, as with `serve`. Sites with the same settings generate the same IDs, and therefore the same invitation URLs. */
export async function startSite({
  ports,
  publicUrl: address = publicUrl,
  environment,
  ...given
}: StartSite = {}) {
  const service = await startHttpService({
    ...given,
    hasPages: true,
    ports: { ids: countedIds(), ...ports },
    environment: { PUBLIC_URL: address, ...environment },
  });
  const { port } = service.client;
  // Shorter than the server's 5 s, so that no request is sent on a connection that the server is closing.
  const agent = new Agent({ keepAlive: true, timeout: 2_500 });
  return {
    ...{ ...service, port },
    /** A new browser, without cookies. */
    browser: () => pageClient({ url: `http://127.0.0.1:${port}`, origin: new URL(address).origin }),
    /** Sends any request, and returns the response byte for byte. */
    send: (method: string, path: string, sent?: Sent) => exchange({ port, agent, method, path, sent }),
    stop: async (): Promise<void> => {
      agent.destroy();
      await service.stop();
    },
  };
}

/** The whole response as one text, without its date and request ID. */
export function wholeAnswer({ status, rawHeaders, text }: Bytes): string {
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const constant = lines.filter((line) => !/^(?:date|x-request-id):/i.test(line));
  return `${status}\n${constant.join('\n')}\n\n${text}`;
}
