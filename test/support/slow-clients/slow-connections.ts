import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { counted } from './ordinary-requests.js';
import { MAX_RUN_MS } from './target-server.js';

/** Milliseconds between two bytes of one connection. */
const BYTE_INTERVAL_MS = 500;
/** Connections are opened in batches with a pause between them: the attack is to hold many, not to open them. */
export const BATCH_SIZE = 100;
export const BATCH_INTERVAL_MS = 200;

/** Connections that the server closed. */
export interface Closed {
  /** The number of connections that got each status before they were closed. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds from the connection to its end. */
  readonly first: number;
  readonly last: number;
}

export const endlessHead = 'GET /healthz HTTP/1.1\r\nHost: slow\r\nX-Slow: ';
export const endlessBody =
  'POST /api/v2/authenticate HTTP/1.1\r\nHost: slow\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

/** Sends the text and then byte after byte on many connections, until the server has closed them all. */
export async function dripAll({
  port,
  count,
  text,
}: {
  readonly port: number;
  readonly count: number;
  readonly text: string;
}): Promise<Closed> {
  const ends: Promise<{ readonly status: string; readonly after: number }>[] = [];
  for (let index = 0; index < count; index += 1) {
    ends.push(drip(port, text));
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await pause(BATCH_INTERVAL_MS);
  }
  const closed = await Promise.all(ends);
  const times = closed.map(({ after }) => after);
  return {
    statuses: counted(closed.map(({ status }) => status)),
    first: Math.min(...times),
    last: Math.max(...times),
  };
}

function drip(port: number, text: string): Promise<{ readonly status: string; readonly after: number }> {
  return new Promise((resolve) => {
    let answer = '';
    let opened = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const socket = connect(port, '127.0.0.1', () => {
      opened = performance.now();
      socket.write(text);
      timer = setInterval(() => socket.writable && socket.write('a'), BYTE_INTERVAL_MS);
    });
    const giveUp = setTimeout(() => socket.destroy(), MAX_RUN_MS);
    socket
      .setEncoding('latin1')
      .on('data', (chunk) => {
        answer += chunk;
      })
      // The server answers a byte after the end with a reset.
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(timer);
        clearTimeout(giveUp);
        resolve({ status: statusOf(answer), after: performance.now() - opened });
      });
  });
}

/** The status of the answer, or `none`. */
export function statusOf(answer: string): string {
  return /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 'none';
}
