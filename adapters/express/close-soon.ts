import type { Duplex } from 'node:stream';

/** The share of time for closing: to close a connection, the system frees up to megabytes of small packets. */
const CLOSING_SHARE = 1 / 4;
/** The time for closing connections before a break. */
const CLOSING_SLICE_MS = 2;
/** If more connections than this wait to be closed, there are no breaks. */
const MAX_CLOSING = 200;

/** Connections that will be closed. Nothing more is accepted from them. */
const closing = new WeakSet<Duplex>();
const queue: Duplex[] = [];

/**
 * Closes a connection that sends too much, but not at once: closing all connections of a flood together would delay
 * other clients' new connections, because Node accepts one connection in each turn of the event loop. Nothing more is
 * read from the connection.
 */
export function closeSoon(socket: Duplex): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  socket.pause();
  skipStackTraces(socket);
  queue.push(socket);
  if (queue.length === 1) setImmediate(closeSome);
}

/** Whether the connection is closed or will be closed. */
export function isClosing(socket: Duplex): boolean {
  return socket.destroyed || closing.has(socket);
}

function closeSome(): void {
  const start = performance.now();
  let spentMs = 0;
  for (; queue.length > 0 && spentMs < CLOSING_SLICE_MS; spentMs = performance.now() - start)
    queue.shift()?.destroy();
  if (queue.length > MAX_CLOSING) setImmediate(closeSome);
  else if (queue.length > 0) setTimeout(closeSome, spentMs / CLOSING_SHARE - spentMs);
}

/**
 * When a connection is closed, Node takes a stack trace for each of its unanswered requests. In a flood, that costs more
 * than everything else. No trace is taken between the first listener of `close` and the last.
 */
function skipStackTraces(socket: Duplex): void {
  let limit = Error.stackTraceLimit;
  socket.prependListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.on('close', () => {
    Error.stackTraceLimit = limit;
  });
}
