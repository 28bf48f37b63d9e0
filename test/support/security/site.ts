import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { Limits } from '@rollcall/core';
import { countedIds } from '@rollcall/core/testing';
import { type HttpService, type StartHttpService, startHttpService } from '../http/service.js';
import { type PageClient, pageClient } from '../page/client.js';
import { publicUrl } from '../test-service.js';

/** The API and the pages on one server, as with `serve`. */
export interface Site extends HttpService {
  readonly port: number;
  /** A new browser, without cookies. */
  browser(): PageClient;
  /** Sends any request, and returns the response byte for byte. */
  send(method: string, path: string, sent?: SendOptions): Promise<Bytes>;
}

export interface SendOptions {
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface Bytes {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in the order and spelling of the response. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly text: string;
}

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

/** Starts a site. Sites with the same settings generate the same IDs, and therefore the same invitation URLs. */
export async function startSite({
  ports,
  publicUrl: address = publicUrl,
  environment,
  ...given
}: StartSite = {}): Promise<Site> {
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
    ...service,
    port,
    browser: () => pageClient({ url: `http://127.0.0.1:${port}`, origin: new URL(address).origin }),
    send: (method, path, sent) => exchange({ port, agent, method, path, ...sent }),
    stop: async () => {
      agent.destroy();
      await service.stop();
    },
  };
}

/** Sends one request, and returns the response. */
export function exchange({
  port,
  agent,
  method,
  path,
  headers = {},
  body,
}: SendOptions & {
  readonly port: number;
  readonly agent?: Agent;
  readonly method: string;
  readonly path: string;
}): Promise<Bytes> {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } };
    const outgoing = request(agent === undefined ? options : { ...options, agent });
    outgoing.on('error', reject).on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const whole = Buffer.concat(chunks);
          const { statusCode: status = 0, headers, rawHeaders } = incoming;
          resolve({ status, headers, rawHeaders, body: whole, text: whole.toString() });
        });
    });
    outgoing.setTimeout(60_000, () => outgoing.destroy(new Error(`${method} ${path}: no response in 60 s`)));
    outgoing.end(body);
  });
}

/** The whole response as one text, without its date and request ID. */
export function wholeAnswer({ status, rawHeaders, text }: Bytes): string {
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const constant = lines.filter((line) => !/^(?:date|x-request-id):/i.test(line));
  return `${status}\n${constant.join('\n')}\n\n${text}`;
}
