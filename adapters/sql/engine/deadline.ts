import { AsyncLocalStorage } from 'node:async_hooks';

interface Budget {
  /** Milliseconds that may still be spent on waiting for the database. */
  leftMs: number;
}

const budgets = new AsyncLocalStorage<Budget>();
let isSharing = false;
/** Whether any caller asks if the database is slow: only then are deadlines shared. */
let isAsked = false;

/** A wait of this length shows that the database is slow. */
const SLOW_WAIT_MS = 250;
/** The database counts as slow for this long after the last slow wait. */
const SLOW_PERIOD_MS = 10_000;
/** What each step may still wait for a connection when the budget of its request is spent. */
const MIN_WAIT_MS = 150;

/** The waits under way, in the order in which they began. */
const waits = new Set<{ readonly begun: number }>();
let lastSlowAt = Number.NEGATIVE_INFINITY;
/** When the current slow period began. */
let slowSince = Number.POSITIVE_INFINITY;

/**
 * Whether a caller waits long for the database, or did in the last ten seconds. Only then is a shared deadline worth
 * its price: it makes every promise of the process slower.
 */
export function isDatabaseSlow(now = performance.now()): boolean {
  isAsked = true;
  for (const oldest of waits) {
    noteIfSlow(oldest.begun, now);
    break;
  }
  const isSlow = now - lastSlowAt < SLOW_PERIOD_MS;
  if (!isSlow) slowSince = Number.POSITIVE_INFINITY;
  if (isSharing && !isSlow) {
    budgets.disable();
    isSharing = false;
  }
  return isSlow;
}

function noteIfSlow(begun: number, now: number): void {
  if (now - begun < SLOW_WAIT_MS) return;
  lastSlowAt = now;
  slowSince = Math.min(slowSince, begun + SLOW_WAIT_MS);
}

/**
 * Milliseconds for a caller without a shared deadline. A request that was under way when the slow period began ends
 * as if it had shared one. A caller that starts later is not part of such a request, and has its full time.
 */
function timeoutWithoutBudget(timeoutMs: number, begun: number): number {
  if (!isAsked || !isDatabaseSlow(begun)) return timeoutMs;
  const sinceMs = Math.max(begun - slowSince, 0);
  if (sinceMs > timeoutMs + MIN_WAIT_MS) return timeoutMs;
  return Math.max(timeoutMs - sinceMs, Math.min(MIN_WAIT_MS, timeoutMs));
}

/**
 * All steps of `work` together wait no longer than this for the database: without it, each step of a request would
 * have its own timeout. Only waiting for the database counts.
 */
export function withSharedDeadline<T>(timeoutMs: number, work: () => T): T {
  isSharing = true;
  return budgets.run({ leftMs: timeoutMs }, work);
}

/** Runs work that waits for the database. `deadline` is a time of `performance.now()`. */
export async function withDeadline<T>(timeoutMs: number, work: (deadline: number) => Promise<T>): Promise<T> {
  const budget = budgets.getStore();
  const begun = performance.now();
  const wait = { begun };
  waits.add(wait);
  try {
    const leftMs = budget === undefined ? timeoutWithoutBudget(timeoutMs, begun) : budget.leftMs;
    return await work(begun + Math.max(Math.min(timeoutMs, leftMs), 0));
  } finally {
    waits.delete(wait);
    const end = performance.now();
    noteIfSlow(begun, end);
    if (budget !== undefined) budget.leftMs -= end - begun;
  }
}
