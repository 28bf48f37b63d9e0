import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { localsOf } from './locals.js';

/** Requests of one connection that may wait for their answers; one more closes it. */
export const MAX_UNANSWERED = 32;

/** What is known of a connection from its first request until it is closed. */
interface Connection {
  /** The answer that is under way, or was the last. */
  latest: ServerResponse | null;
  readonly unanswered: Set<ServerResponse>;
  /** What has come on it cannot be read, and nothing of what comes is. */
  isBroken: boolean;
}

/** Which answers are under way, or were the last, on which connections. */
export class Connections {
  readonly #lastRequests: number;
  readonly #connections = new Map<Duplex, Connection>();
  /** When the end was announced; null: it was not. */
  #endingSince: number | null = null;
  /** When the last answer that could not announce it was over. */
  #unannouncedUntil = Number.NEGATIVE_INFINITY;

  constructor(lastRequests: number) {
    this.#lastRequests = lastRequests;
  }

  /**
   * Counts a request as one that waits for its answer. False when too many wait already: the connection has to be
   * closed without a word. A client that sends more than it reads would not read a refusal, and each of them costs.
   */
  count({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const { unanswered } = this.#of(socket);
    if (unanswered.size >= MAX_UNANSWERED) {
      for (const waiting of unanswered) localsOf(waiting).isFlood = true;
      return false;
    }
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    return true;
  }

  /** Whether nothing of what comes on the connection is read any more. */
  isBroken(socket: Duplex): boolean {
    return this.#connections.get(socket)?.isBroken === true;
  }

  add({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#of(socket).latest = response;
    if (this.#endingSince !== null) response.shouldKeepAlive = false;
  }

  #of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const fresh: Connection = { latest: null, unanswered: new Set(), isBroken: false };
    this.#connections.set(socket, fresh);
    socket.once('close', () => {
      this.#connections.delete(socket);
      for (const response of fresh.unanswered) giveUp(response);
    });
    return fresh;
  }

  /** Tells the clients with the answers to come that there will be no others on their connections. */
  announceEnd(): void {
    if (this.#endingSince !== null) return;
    this.#endingSince = performance.now();
    for (const { latest } of this.#connections.values()) {
      if (latest === null) continue;
      if (!latest.headersSent) latest.shouldKeepAlive = false;
      else if (!latest.writableFinished) this.#announceAfter(latest);
    }
  }

  /** Its head is out: its client may ask again on the same connection. */
  #announceAfter(response: ServerResponse): void {
    response.once('close', () => {
      this.#unannouncedUntil = performance.now();
    });
  }

  /** Milliseconds since the end was announced. */
  ending(): number {
    return this.#endingSince === null ? 0 : performance.now() - this.#endingSince;
  }

  /**
   * Whether whoever keeps an idle connection has had time to ask once more, and to be told. A request that is sent
   * at the moment in which its connection is closed is lost, and who sent it can't know whether it may be sent again.
   */
  mayCloseIdle(): boolean {
    return Math.min(this.ending(), performance.now() - this.#unannouncedUntil) >= this.#lastRequests;
  }

  /**
   * Refuses what can't be read, once: at once when it is the request that is being answered, else after the
   * answers that come before it. An answer that has begun is cut off.
   */
  afterCurrent(socket: Duplex, refuseIt: () => void): void {
    const connection = this.#of(socket);
    if (connection.isBroken) return;
    connection.isBroken = true;
    const response = connection.latest;
    if (response === null || response.writableFinished) refuseIt();
    else if (response.req.complete) response.once('close', refuseIt);
    else if (response.headersSent) socket.destroy();
    else refuseIt();
  }
}

/** Node 20 and 22 tell only the answer whose turn it was that its connection is gone, and not those behind it. */
function giveUp(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}

/** What Node's server keeps of its parser with a connection: where it hands out requests. */
interface Parsed {
  readonly parser?: { onIncoming?: unknown } | null;
}

/** What the parser takes as "an upgrade: what follows is no HTTP", and stops reading. */
const STOP_PARSING = 2;

/**
 * Lets the parser stop at the request at which its connection was destroyed. Without it every other request of what
 * was read at once is handed out still: thousands, of a client that pipelines. Where a version of Node has no such
 * place, that is what happens.
 */
export function stopParsingWhenDestroyed(socket: Duplex): void {
  const { parser } = socket as Parsed;
  const next = parser?.onIncoming;
  if (!parser || typeof next !== 'function') return;
  parser.onIncoming = (
    request: IncomingMessage & { upgrade?: boolean },
    shouldKeepAlive: boolean,
  ): unknown => {
    if (!socket.destroyed) return next(request, shouldKeepAlive);
    request.upgrade = false;
    return STOP_PARSING;
  };
}
