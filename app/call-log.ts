import { AsyncResource } from 'node:async_hooks';
import { type ApiCall, type ApiCalls, type Clock, type ErrorTracker, Unavailable } from '@rollcall/core';
import { maxApiCalls } from '@rollcall/core/rules';
import type { EndedCall } from '@rollcall/express';
import type { Logger } from '@rollcall/node';
import type { Part } from './part.js';

const INTERVAL_MS = 1000;
/** Calls of all organizations that wait to be stored. Further ones are dropped. */
const MAX_WAITING = 2000;

/** Stores the calls of the API, and stores the last ones when it stops. */
export interface CallLog extends Part {
  /** Takes no time: the calls of a second are read and stored together. */
  record(call: EndedCall): void;
}

export interface CallLogOptions {
  readonly apiCalls: Pick<ApiCalls, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly errorTracker: ErrorTracker;
}

/**
 * Collects the calls of this process. They are stored at most once a second, in one statement, with the newest of each
 * organization only, because no others are kept. Works without `start`, as the application does.
 */
export function createCallLog({ apiCalls, clock, log, errorTracker }: CallLogOptions): CallLog {
  // No request has a part in it: the deadline and the trace of the one that starts the timer are not those of the others.
  const outside = new AsyncResource('CallLog');
  const batch = new Batch();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();
  let wasComplete = true;

  function schedule(): void {
    timer ??= outside.runInAsyncScope(() => setTimeout(() => void store(), INTERVAL_MS).unref());
  }

  /** One runs at a time. */
  async function store(): Promise<void> {
    storing = storeBatch();
    await storing;
    timer = undefined;
    if (batch.size > 0) schedule();
  }

  /** Never throws. A flood or an outage is one line of the log. */
  async function storeBatch(): Promise<void> {
    const { calls, dropped } = batch.take();
    const missing = dropped + (await add(calls));
    if (missing > 0 && wasComplete) log.warn({ missing }, 'The lists of API calls lack calls');
    wasComplete = missing === 0;
  }

  /** The number of calls that were not stored. */
  async function add(calls: readonly ApiCall[]): Promise<number> {
    if (calls.length === 0) return 0;
    try {
      await apiCalls.add(calls);
      return 0;
    } catch (error) {
      if (!(error instanceof Unavailable))
        errorTracker.report(error, { severity: 'error', operation: 'api-calls', requestId: null });
      return calls.length;
    }
  }

  return {
    record(call) {
      batch.push({ call, at: clock.now() });
      schedule();
    },
    async start() {},
    async stop() {
      clearTimeout(timer);
      await storing;
      clearTimeout(timer);
      await store();
    },
  };
}

interface TimedCall {
  readonly call: EndedCall;
  readonly at: Date;
}

/** The newest calls of each organization. */
class Batch {
  #calls = new Map<number, TimedCall[]>();
  #dropped = 0;
  size = 0;

  push(ended: TimedCall): void {
    if (this.size >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    const { organizationId } = ended.call;
    const calls = this.#calls.get(organizationId) ?? [];
    if (calls.length === 0) this.#calls.set(organizationId, calls);
    calls.push(ended);
    this.size += 1;
    // Not one by one, because that moves the others.
    if (calls.length < 2 * maxApiCalls) return;
    calls.splice(0, maxApiCalls);
    this.size -= maxApiCalls;
  }

  take(): { readonly calls: readonly ApiCall[]; readonly dropped: number } {
    const newest = [...this.#calls.values()].flatMap((calls) => calls.slice(-maxApiCalls));
    const taken = { calls: newest.map(({ call, at }) => ({ ...call, at })), dropped: this.#dropped };
    this.#calls = new Map();
    this.#dropped = 0;
    this.size = 0;
    return taken;
  }
}
