import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { context } from '@opentelemetry/api';
import { FairTurns } from './fair-turns.js';

/** How many requests of one connection may wait for their answers; one more closes it. */
export const MAX_UNANSWERED = 32;

/** It is not known yet whose request it is. */
const ANY_ORGANIZATION = 0;

/** A request, or the refusal of something that cannot be read as one. */
interface Entry {
  /** Null: a refusal. */
  readonly response: ServerResponse | null;
  readonly begin: () => void;
}

/** The state of a connection, from its first request until it is closed. */
interface Connection {
  /** The current answer, or the last one. */
  current: ServerResponse | null;
  isBusy: boolean;
  /** Begins as soon as all data that arrived together with it is parsed. */
  next: Entry | null;
  /** The entries after that, in their order. */
  waiting: Entry[];
  /** The client has sent something that cannot be read, so nothing after that is read. */
  isBroken: boolean;
  /** The number of requests that arrived after the connection was broken. */
  ignored: number;
}

/**
 * Answers the requests of each connection one at a time. Requests that a client sends without waiting for answers wait
 * for their turn. A client that sends more than it reads costs no more than the parsing of its requests' heads.
 */
export class Connections {
  readonly #lastRequestsMs: number;
  readonly #connections = new Map<Duplex, Connection>();
  readonly #turns = new FairTurns();
  /** The connections on which an answer has ended in this turn of the event loop. */
  #answered: Connection[] = [];
  /** When the end was announced; null: not yet. */
  #endingSince: number | null = null;
  /** The end of the last answer that had been started before the announcement. */
  #unannouncedUntil = Number.NEGATIVE_INFINITY;

  /** `lastRequestsMs`: how long clients may send requests after the end was announced. */
  constructor(lastRequestsMs: number) {
    this.#lastRequestsMs = lastRequestsMs;
  }

  /**
   * Begins the request at once or after the earlier requests. False: too many are waiting already, and the connection
   * must be closed without an answer: a client that does not read answers would not read a refusal either.
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
    // Starts when the previous answer ends, without that answer's trace.
    connection.waiting.push({ response, begin: context.bind(context.active(), begin) });
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

  /** Waits until all requests that were read together are counted, so that a flood causes no work. */
  #start(connection: Connection, entry: Entry): void {
    const { response } = entry;
    connection.current = response;
    connection.isBusy = true;
    connection.next = entry;
    if (response !== null) {
      response.once('close', () => this.#next(connection));
      if (this.#endingSince !== null && connection.waiting.length === 0) response.shouldKeepAlive = false;
    }
    const begin = (): void => {
      if (connection.next !== entry) return;
      connection.next = null;
      entry.begin();
    };
    process.nextTick(() => {
      // The requests of hundreds of clients that arrive together begin in several turns of the event loop.
      const turn = this.#turns.next(ANY_ORGANIZATION);
      if (turn === null) begin();
      else void turn.then(begin);
    });
  }

  /**
   * The next request begins in the next turn of the event loop. Otherwise hundreds of requests that one client sent
   * together would be answered before any other client gets an answer.
   */
  #next(connection: Connection): void {
    this.#answered.push(connection);
    if (this.#answered.length > 1) return;
    setImmediate(() => {
      const answered = this.#answered;
      this.#answered = [];
      for (const free of answered) {
        free.isBusy = false;
        const entry = free.waiting.shift();
        if (entry !== undefined) this.#start(free, entry);
      }
    });
  }

  /** From now on, the last answer on each connection says that the connection will be closed. */
  announceEnd(): void {
    if (this.#endingSince !== null) return;
    this.#endingSince = performance.now();
    for (const { current, waiting } of this.#connections.values()) {
      if (current === null || waiting.length > 0) continue;
      if (!current.headersSent) current.shouldKeepAlive = false;
      else if (!current.writableFinished) this.#announceAfter(current);
    }
  }

  /** The head of this answer has been sent, so its client may send another request on the connection. */
  #announceAfter(response: ServerResponse): void {
    response.once('close', () => {
      this.#unannouncedUntil = performance.now();
    });
  }

  /** Milliseconds since the end was announced; 0 before. */
  msSinceAnnouncement(): number {
    return this.#endingSince === null ? 0 : performance.now() - this.#endingSince;
  }

  /**
   * Whether every client with an idle connection has had time to send one more request and to read the announcement. A
   * request that is sent while its connection is being closed is lost, and its client cannot know whether to repeat it.
   */
  mayCloseIdle(): boolean {
    const unannouncedMs = performance.now() - this.#unannouncedUntil;
    return Math.min(this.msSinceAnnouncement(), unannouncedMs) >= this.#lastRequestsMs;
  }

  /**
   * Refuses data that cannot be read, once for each connection. If the data belongs to the current request, the refusal
   * is sent at once, or the answer is cut off if it has begun. Otherwise, the refusal follows the earlier answers.
   */
  refuseAfterCurrent(socket: Duplex, refuse: () => void): void {
    const connection = this.#of(socket);
    if (connection.isBroken) return;
    connection.isBroken = true;
    const { current, waiting } = connection;
    const refusal: Entry = { response: null, begin: refuse };
    if (!connection.isBusy) refuse();
    else if (waiting.length > 0) {
      // If the body of the last request is incomplete, that request is the one that cannot be read.
      connection.waiting = [...waiting.filter(({ response }) => response?.req.complete !== false), refusal];
    } else if (current === null || current.writableFinished || current.req.complete) waiting.push(refusal);
    else if (current.headersSent) socket.destroy();
    else {
      connection.next = null;
      refuse();
    }
  }
}
