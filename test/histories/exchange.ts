import { type IncomingHttpHeaders, request } from 'node:http';

export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The request was sent, and no whole answer came: it may take effect, now or later. */
export class Lost extends Error {}

/** The request was not sent. */
export class Unreachable extends Error {}

/** Sends one request on its own connection, from an address of its own, and gives up after the timeout. */
export function exchange(
  method: string,
  url: string,
  {
    headers,
    body,
    from,
    timeoutMs,
  }: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    readonly from: string;
    readonly timeoutMs: number;
  },
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    if (timeoutMs <= 0) {
      reject(new Unreachable('no time left'));
      return;
    }
    const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, {
      method,
      agent: false,
      localAddress: from,
      headers: { ...headers, ...length },
    });
    const timer = setTimeout(() => outgoing.destroy(new Error('timed out')), timeoutMs);
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      const wasNotSent = error.syscall === 'connect' && error.code !== 'ETIMEDOUT';
      reject(wasNotSent ? new Unreachable(error.message) : new Lost(error.message));
    };
    outgoing.on('error', fail).on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', fail)
        .on('end', () => {
          clearTimeout(timer);
          const { statusCode: status = 0, headers: received } = incoming;
          if (incoming.complete)
            resolve({ status, headers: received, text: Buffer.concat(chunks).toString() });
          else fail(new Error('cut off'));
        });
    });
    outgoing.end(body ?? undefined);
  });
}
