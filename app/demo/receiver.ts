import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { verifyWebhook, WebhookError, type WebhookEvent } from '@rollcall/contracts/webhooks';
import type { Secret } from '@rollcall/core';
import { generate } from 'selfsigned';

/** A request, as the demo's receiver reports it. */
export type Received =
  | {
      readonly verified: true;
      /** Sent by `webhook/test`: its user does not exist. */
      readonly isTest: boolean;
      readonly event: string;
      readonly eventId: string;
      readonly body: WebhookEvent;
    }
  | { readonly verified: false; readonly reason: string };

export interface Receiver {
  readonly url: string;
  /** The certificate to trust, as PEM. */
  readonly certificate: string;
  stop(): Promise<void>;
}

export interface StartReceiver {
  /** The port on 127.0.0.1. If it is taken, another one is used. */
  readonly port: number;
  /** The service's name in its headers. */
  readonly serviceName: string;
  /** The signing secrets that it accepts: during a rotation, the old one too. Empty when there is no webhook. */
  readonly secrets: () => Promise<readonly Secret[]>;
  readonly onReceived: (received: Received) => void;
}

const ADDRESS = '127.0.0.1';
/** The addresses of `localhost`. The receiver listens on the first. */
export const receiverNetworks = [`${ADDRESS}/32`, '::1/128'];
const PATH = '/webhook';
const MAX_BODY_BYTES = 100_000;

/** True for the URL of a demo's receiver, on any port. */
export function isReceiverUrl(url: string): boolean {
  return new RegExp(`^https://(?:localhost|127\\.0\\.0\\.1):\\d+${PATH}$`).test(url);
}

/**
 * Receives webhooks as a partner's program would: over HTTPS, with a certificate made for this run. It checks the
 * signature of the received bytes before it parses them.
 */
export async function startReceiver({ port, ...rest }: StartReceiver): Promise<Receiver> {
  const { private: key, cert } = await createCertificate();
  const server = createServer({ key, cert }, (request, response) => {
    void receive(request, response, rest).catch(() => response.destroy());
  });
  server.on('tlsClientError', () => undefined);
  const actual = await listen(server, port).catch(() => listen(server, 0));
  return {
    url: `https://localhost:${actual}${PATH}`,
    certificate: cert,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function createCertificate() {
  return generate([{ name: 'commonName', value: 'Rollcall demo receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: ADDRESS },
        ],
      },
    ],
  });
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, ADDRESS);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return address.port;
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { serviceName, secrets, onReceived }: Omit<StartReceiver, 'port'>,
): Promise<void> {
  if (request.method !== 'POST' || request.url !== PATH) return answer(response, 404);
  const body = await readBody(request);
  if (body === null) return answer(response, 413);

  const received = await verify(request, body, { serviceName, secrets: await secrets() });
  answer(response, received.verified ? 204 : 401);
  onReceived(received);
}

async function verify(
  { headers }: IncomingMessage,
  bytes: Buffer,
  { serviceName, secrets }: { readonly serviceName: string; readonly secrets: readonly Secret[] },
): Promise<Received> {
  if (secrets.length === 0) return { verified: false, reason: 'there is no webhook to verify it with' };
  const header = (name: string): string => String(headers[`x-${serviceName}-${name}`.toLowerCase()] ?? '');
  const secret = secrets.map((one) => one.reveal());
  try {
    // The sender has the same clock, which may be set meanwhile.
    const toleranceSeconds = Number.POSITIVE_INFINITY;
    const body = await verifyWebhook({ body: bytes, headers, secret, serviceName, toleranceSeconds });
    const isTest = header('test') === 'true';
    return { verified: true, isTest, event: header('event'), eventId: header('event-id'), body };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const { code, message } = error;
    return { verified: false, reason: code === 'wrong-signature' ? 'the signature is wrong' : message };
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
