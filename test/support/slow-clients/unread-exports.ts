import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { counted } from './ordinary-requests.js';
import { BATCH_INTERVAL_MS, BATCH_SIZE, statusOf } from './slow-connections.js';
import { MAX_RUN_MS } from './target-server.js';

export interface Unread {
  /** The number of exports with each status; the clients read it at the end. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of exports with 200 that were cut off, as they should be. */
  readonly cutOff: number;
  /** Milliseconds until the server had closed all of them; null if their clients left first. */
  readonly closedAfter: number | null;
}

export const EXPORT = '/api/v2/organizations/1/export_meetings?column[]=name&column[]=meeting_description';

/** Starts exports whose clients read nothing. */
export async function openUnread({
  port,
  token,
  count,
}: {
  readonly port: number;
  readonly token: string;
  readonly count: number;
}) {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined).pause();
    socket.write(`GET ${EXPORT} HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    sockets.push(socket);
    if (index % BATCH_SIZE === BATCH_SIZE - 1) await pause(BATCH_INTERVAL_MS);
  }
  return {
    leave: () => {
      for (const socket of sockets) socket.destroy();
    },
    /** Reads the answers to their ends, except those of clients that have left. */
    read: async (): Promise<Omit<Unread, 'closedAfter'>> => {
      const present = sockets.filter((socket) => !socket.destroyed);
      const answers = await Promise.all(present.map(readRest));
      const statuses = counted(answers.map(({ status }) => status));
      return {
        statuses,
        cutOff: answers.filter(({ status, isWhole }) => status === '200' && !isWhole).length,
      };
    },
  };
}

/** Reads the rest of a connection that the server has closed. */
async function readRest(socket: Socket): Promise<{ readonly status: string; readonly isWhole: boolean }> {
  let first = '';
  let last = '';
  const giveUp = setTimeout(() => socket.destroy(), MAX_RUN_MS);
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    first = (first + chunk).slice(0, 100);
    last = (last + chunk).slice(-7);
  });
  await new Promise((resolve) => socket.once('close', resolve).resume());
  clearTimeout(giveUp);
  return { status: statusOf(first), isWhole: last.endsWith('0\r\n\r\n') };
}
