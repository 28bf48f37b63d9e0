import { AsyncLocalStorage } from 'node:async_hooks';

interface Budget {
  /** Milliseconds that the request may still wait for the database. */
  leftMs: number;
}

const budgets = new AsyncLocalStorage<Budget>();
let isSharing = false;
/** The number of requests that began while the database was not slow and have not ended. */
let requestsWithoutDeadline = 0;

/** A wait of this length shows that the database is slow. */
const SLOW_WAIT_MS = 250;
/** The database counts as slow for this long after the last slow wait. */
const SLOW_PERIOD_MS = 10_000;
/** How long each step may still wait for a connection when the budget of its request is spent. */
const MIN_WAIT_MS = 150;

/** The current waits, in the order in which they began. */
const waits = new Set<{ readonly startedAt: number }>();
let lastSlowAt = Number.NEGATIVE_INFINITY;
/** When the current slow period began. */
let slowSince = Number.POSITIVE_INFINITY;

/**
 * Whether a caller has waited long for the database in the last ten seconds, or is doing so now. Only then is a shared
 * deadline worth its price: it makes every promise of the process slower.
 */
export function isDatabaseSlow(now = performance.now()): boolean {
  for (const oldest of waits) {
    recordIfSlow(oldest.startedAt, now);
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

function recordIfSlow(startedAt: number, now: number): void {
  if (now - startedAt < SLOW_WAIT_MS) return;
  lastSlowAt = now;
  slowSince = Math.min(slowSince, startedAt + SLOW_WAIT_MS);
}

/** Counts a request that begins without a shared deadline. Call the result once when the request has ended. */
export function startWithoutDeadline(): () => void {
  requestsWithoutDeadline += 1;
  return () => {
    requestsWithoutDeadline -= 1;
  };
}

/**
 * The timeout in milliseconds of a caller without a shared deadline. In a slow period, callers get what is left of one
 * timeout that began with it, so that the requests that were running then end in time. As soon as none of those can be
 * waiting any more, callers get the full timeout.
 */
function timeoutWithoutBudget(timeoutMs: number, startedAt: number): number {
  if (requestsWithoutDeadline === 0 || !isDatabaseSlow(startedAt)) return timeoutMs;
  const sinceMs = Math.max(startedAt - slowSince, 0);
  if (sinceMs > timeoutMs + MIN_WAIT_MS) return timeoutMs;
  return Math.max(timeoutMs - sinceMs, Math.min(MIN_WAIT_MS, timeoutMs));
}

/**
 * Gives all steps of `work` one timeout for waiting on the database. Without it, each step of a request would have its
 * own. Only waiting for the database counts.
 */
export function withSharedDeadline<T>(timeoutMs: number, work: () => T): T {
  isSharing = true;
  return budgets.run({ leftMs: timeoutMs }, work);
}

/** The deadline of work for which several callers wait: the latest of theirs. */
export class JointDeadline {
  #leftMs = 0;

  add(): void {
    this.#leftMs = Math.max(this.#leftMs, budgets.getStore()?.leftMs ?? Number.POSITIVE_INFINITY);
  }

  /** Runs the work with a budget of its own, which none of the callers shares. */
  run<T>(work: () => T): T {
    return Number.isFinite(this.#leftMs) ? budgets.run({ leftMs: this.#leftMs }, work) : budgets.exit(work);
  }
}

/** Runs work that waits for the database. `deadline` is a time of `performance.now()`. */
export async function withDeadline<T>(timeoutMs: number, work: (deadline: number) => Promise<T>): Promise<T> {
  const wait = { startedAt: performance.now() };
  waits.add(wait);
  try {
    return await withinBudget(timeoutMs, work);
  } finally {
    waits.delete(wait);
    recordIfSlow(wait.startedAt, performance.now());
  }
}

/** As `withDeadline`, for work that waits for something else, which does not show that the database is slow. */
export async function withinBudget<T>(timeoutMs: number, work: (deadline: number) => Promise<T>): Promise<T> {
  const budget = budgets.getStore();
  const startedAt = performance.now();
  try {
    const leftMs = budget === undefined ? timeoutWithoutBudget(timeoutMs, startedAt) : budget.leftMs;
    return await work(startedAt + Math.max(Math.min(timeoutMs, leftMs), 0));
  } finally {
    if (budget !== undefined) budget.leftMs -= performance.now() - startedAt;
  }
}

/** A caller whose time is up still waits this long, which is enough to get a free connection. */
const LAST_WAIT_MS = 50;

/** What `work` resolves to, or the error of `late` if the deadline comes first. It is a time of `performance.now()`. */
export async function within<T>(deadline: number, work: Promise<T>, late: () => Error): Promise<T> {
  if (!Number.isFinite(deadline)) return work;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(deadline - performance.now(), LAST_WAIT_MS));
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
