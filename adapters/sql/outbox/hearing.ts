import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../engine/database.js';
import { readNews } from './delivery-news.js';
import { firstWaiting } from './find-waiting.js';
import type { Waiting } from './waiting.js';

/** Hears of deliveries that other processes store, as soon as they are committed. The scan finds what it misses. */
export interface Hearing {
  /** `onHeard` is called after such deliveries were added to the hints. */
  start(onHeard: () => void): void;
  stop(): void;
  /** Whether news arrive, as far as is known. */
  hears(): boolean;
}

export interface HearingOptions {
  readonly database: Pick<Database, 'news' | 'read'>;
  readonly hints: Waiting;
  /** Called when it stops or starts to hear, with the reason, but not when it hears from the start. */
  readonly onChange: (hears: boolean, reason: unknown) => void;
  readonly checkIntervalMs?: number;
  readonly checkTimeoutMs?: number;
}

/** A connection may seem to be open after its server has gone, or lead to one that is no longer the primary. */
const CHECK_INTERVAL_MS = 60_000;
const CHECK_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
/** From one claim to the next. Searches take at most a fifth of the time. */
const REST_MS = 10;
const REST_SHARE = 4;

export function createHearing({
  database,
  hints,
  onChange,
  checkIntervalMs = CHECK_INTERVAL_MS,
  checkTimeoutMs = CHECK_TIMEOUT_MS,
}: HearingOptions): Hearing {
  const { news, read } = database;
  const stopped = new AbortController();
  let onHeard = (): void => {};
  let hears = false;
  /** What was reported last. At the start, hearing is what is expected. */
  let reported = true;
  let check: { readonly text: string; arrived(): void } | null = null;
  let isDue = false;
  let isSearchDue = false;
  let isWaking = false;

  function change(now: boolean, reason: unknown): void {
    hears = now;
    if (now === reported) return;
    reported = now;
    onChange(now, reason);
  }

  function heard(text: string): void {
    if (text === '' || text === check?.text) check?.arrived();
    const first = readNews(text);
    if (text === '') isSearchDue = true;
    else if (first === null) return;
    for (const [organizationId, deliveryId] of first ?? []) hints.add(organizationId, deliveryId);
    isDue = true;
    void wake();
  }

  /** Wakes at once, but not again before it has rested: what is heard meanwhile is claimed together. */
  async function wake(): Promise<void> {
    if (isWaking) return;
    isWaking = true;
    while (isDue && !stopped.signal.aborted) {
      const startedAt = performance.now();
      isDue = false;
      if (!isSearchDue || (await search())) onHeard();
      const rest = Math.max(REST_MS, REST_SHARE * (performance.now() - startedAt));
      await pause(rest, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    }
    isWaking = false;
  }

  /** Finds the deliveries when the news do not name them, and returns whether there are any. */
  async function search(): Promise<boolean> {
    isSearchDue = false;
    let isFound = false;
    try {
      for await (const found of firstWaiting(read)) {
        for (const { organizationId, deliveryId } of found) hints.add(organizationId, deliveryId);
        isFound = true;
      }
    } catch {
      // The scan of each second meets the same error, and reports it.
    }
    return isFound;
  }

  /** Rejects when what this process tells does not arrive. */
  async function checkOnce(signal: AbortSignal): Promise<void> {
    const text = `check ${randomUUID()}`;
    const arrived = new Promise<'arrived'>((resolve) => {
      check = { text, arrived: () => resolve('arrived') };
    });
    await news.tell(read, [text]);
    news.tellCommitted();
    const late = pause(checkTimeoutMs, 'late', { signal, ref: false });
    if ((await Promise.race([arrived, late])) === 'late')
      throw new Error('What this process tells itself does not arrive');
  }

  /** Listens until that fails, and rejects with the reason. */
  async function listen(onHears: () => void): Promise<never> {
    const lost = new AbortController();
    const listening = await news.listen({ heard, lost: (reason) => lost.abort(reason) });
    const signal = AbortSignal.any([stopped.signal, lost.signal]);
    try {
      for (;;) {
        await checkOnce(signal);
        onHears();
        await pause(checkIntervalMs, undefined, { signal, ref: false });
      }
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      listening.close();
    }
  }

  async function run(): Promise<void> {
    const { signal } = stopped;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
      const reason = await listen(() => {
        wait = FIRST_PAUSE_MS;
        change(true, null);
      }).catch((error: unknown) => error);
      if (signal.aborted) return;
      change(false, reason);
      await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    start(callback) {
      onHeard = callback;
      void run();
    },
    stop() {
      stopped.abort();
      hears = false;
    },
    hears: () => hears,
  };
}
