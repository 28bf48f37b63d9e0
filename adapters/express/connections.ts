import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests of one connection that may wait for their answers; one more closes it. */
export const MAX_UNANSWERED = 32;

/** A request, or what is said instead of an answer to one that cannot be read. */
interface Turn {
  readonly response: ServerResponse | null;
  readonly begin: () => void;
}

/** What is known of a connection from its first request until it is closed. */
interface Connection {
  /** The answer that is under way, or was the last. */
  current: ServerResponse | null;
  isBusy: boolean;
  /** The turn that begins as soon as all that was read with it is parsed. */
  next: Turn | null;
  /** What came after it, in its order. */
  waiting: Turn[];
  /** What has come on it cannot be read, and nothing of what comes is. */
  isBroken: boolean;
  /** Requests that came after that. */
  ignored: number;
}

/**
 * The requests of each connection, one at a time: those that a client sends without waiting for the answers are begun
 * when it is their turn. A client that sends more than it reads costs no more than the reading of their heads.
 */
export class Connections {
  readonly #lastRequests: number;
  readonly #connections = new Map<Duplex, Connection>();
  /** Those whose answer has ended in this turn of the event loop. */
  #answered: Connection[] = [];
  /** When the end was announced; null: it was not. */
  #endingSince: number | null = null;
  /** When the last answer that could not announce it was over. */
  #unannouncedUntil = Number.NEGATIVE_INFINITY;

  constructor(lastRequests: number) {
    this.#lastRequests = lastRequests;
  }

  /**
   * Begins the request, at once or when those before it are answered. False when too many wait already: the
   * connection has to be closed without a word. Who sends more than they read would not read a refusal, and each costs.
   */
  add({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): boolean {
    const connection = this.#of(socket);
    if (connection.isBroken) {
      connection.ignored += 1;
      return connection.ignored <= MAX_UNANSWERED;
    }
    if (!connection.isBusy) {
      this.#start(connection, { response, begin });
      return true;
    }
    if (connection.waiting.length + 1 >= MAX_UNANSWERED) {
      connection.next = null;
      connection.waiting = [];
      return false;
    }
    connection.waiting.push({ response, begin });
    return true;
  }

  #of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const fresh: Connection = {
      current: null,
      isBusy: false,
      next: null,
      waiting: [],
      isBroken: false,
      ignored: 0,
    };
    this.#connections.set(socket, fresh);
    socket.once('close', () => {
      this.#connections.delete(socket);
      fresh.next = null;
      fresh.waiting = [];
    });
    return fresh;
  }

  /** Begins when all requests that were read at once are counted: no work is done for a connection that floods. */
  #start(connection: Connection, turn: Turn): void {
    const { response } = turn;
    connection.current = response;
    connection.isBusy = true;
    connection.next = turn;
    if (response !== null) {
      response.once('close', () => this.#next(connection));
      if (this.#endingSince !== null && connection.waiting.length === 0) response.shouldKeepAlive = false;
    }
    process.nextTick(() => {
      if (connection.next !== turn) return;
      connection.next = null;
      turn.begin();
    });
  }

  /**
   * In the next turn of the event loop: what was read at once would else be answered at once, hundreds of requests
   * of one client, and nobody else meanwhile.
   */
  #next(connection: Connection): void {
    this.#answered.push(connection);
    if (this.#answered.length > 1) return;
    setImmediate(() => {
      const answered = this.#answered;
      this.#answered = [];
      for (const free of answered) {
        free.isBusy = false;
        const turn = free.waiting.shift();
        if (turn !== undefined) this.#start(free, turn);
      }
    });
  }

  /** Tells the clients with the answers to come that there will be no others on their connections. */
  announceEnd(): void {
    if (this.#endingSince !== null) return;
    this.#endingSince = performance.now();
    for (const { current, waiting } of this.#connections.values()) {
      if (current === null || waiting.length > 0) continue;
      if (!current.headersSent) current.shouldKeepAlive = false;
      else if (!current.writableFinished) this.#announceAfter(current);
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
    const { current, waiting } = connection;
    const refusal: Turn = { response: null, begin: refuseIt };
    if (!connection.isBusy) refuseIt();
    else if (waiting.length > 0) {
      // The last one is what can't be read, when its body is not there as a whole.
      connection.waiting = [...waiting.filter(({ response }) => response?.req.complete !== false), refusal];
    } else if (current === null || current.writableFinished || current.req.complete) waiting.push(refusal);
    else if (current.headersSent) socket.destroy();
    else {
      connection.next = null;
      refuseIt();
    }
  }
}

/** Of the time, that closing may take: the system frees all that has come on a connection, megabytes of small packets. */
const CLOSING_SHARE = 1 / 4;
/** Milliseconds that are spent on it at once. */
const CLOSING_SPELL_MS = 2;
/** More than these are not kept open for long. */
const MAX_CLOSING = 200;

/** Sockets that are to be closed, and from which nothing is taken any more. */
const closing = new WeakSet<Duplex>();
const queue: Duplex[] = [];

/**
 * Closes a connection that sends too much, soon: new connections of others are accepted one in each turn of the event
 * loop, and would wait until all those of a flood are closed. Nothing is read from it meanwhile.
 */
export function closeSoon(socket: Duplex): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  socket.pause();
  takeNoTraces(socket);
  queue.push(socket);
  if (queue.length === 1) setImmediate(closeSome);
}

function closeSome(): void {
  const begun = performance.now();
  let spent = 0;
  for (; queue.length > 0 && spent < CLOSING_SPELL_MS; spent = performance.now() - begun)
    queue.shift()?.destroy();
  if (queue.length > MAX_CLOSING) setImmediate(closeSome);
  else if (queue.length > 0) setTimeout(closeSome, spent / CLOSING_SHARE - spent);
}

/**
 * Node takes a stack trace for each unanswered request of a connection that is closed, which costs more than all else
 * that a flood does: none is taken between the first listener of its end and the last.
 */
function takeNoTraces(socket: Duplex): void {
  let limit = Error.stackTraceLimit;
  socket.prependListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.on('close', () => {
    Error.stackTraceLimit = limit;
  });
}

/** Whether nothing is taken from the connection any more. */
export function isClosing(socket: Duplex): boolean {
  return socket.destroyed || closing.has(socket);
}

/** What Node's server keeps of its parser with a connection: where it hands out requests. */
interface Parsed {
  readonly parser?: { onIncoming?: unknown } | null;
}

/** What the parser takes as "an upgrade: what follows is no HTTP", and stops reading. */
const STOP_PARSING = 2;

/**
 * Lets the parser stop at the request at which its connection was given up. Without it every other request of what
 * was read at once is handed out still: thousands, of a client that pipelines. Where a version of Node has no such
 * place, that is what happens.
 */
export function stopParsingWhenClosing(socket: Duplex): void {
  const { parser } = socket as Parsed;
  const next = parser?.onIncoming;
  if (!parser || typeof next !== 'function') return;
  parser.onIncoming = (
    request: IncomingMessage & { upgrade?: boolean },
    shouldKeepAlive: boolean,
  ): unknown => {
    if (!isClosing(socket)) return next(request, shouldKeepAlive);
    request.upgrade = false;
    return STOP_PARSING;
  };
}
