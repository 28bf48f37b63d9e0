import { AsyncLocalStorage } from 'node:async_hooks';

interface Shared {
  /** Milliseconds. */
  left: number;
}

const sharing = new AsyncLocalStorage<Shared>();
let isSharing = false;
/** Whether anybody would share. */
let asks = false;

/** Milliseconds: a wait that says that there is trouble, and how long after it there still may be. */
const NOTICED = 250;
const REMEMBERED = 10_000;
/** Milliseconds to wait for a connection, for each step of what was under way when the trouble began, though nothing is left. */
const LEAST = 150;

/** What waits for the database, in the order in which it began. */
const waits = new Set<{ readonly begun: number }>();
let lastNoticed = Number.NEGATIVE_INFINITY;
/** When the trouble that there is, or was a moment ago, could first be noticed. */
let troubledSince = Number.POSITIVE_INFINITY;

/**
 * Whether somebody waits long for the database, or did a moment ago: then it is worth while to share a patience,
 * which makes every promise of the process dearer.
 */
export function isPressed(now = performance.now()): boolean {
  asks = true;
  for (const longest of waits) {
    notice(longest.begun, now);
    break;
  }
  const pressed = now - lastNoticed < REMEMBERED;
  if (!pressed) troubledSince = Number.POSITIVE_INFINITY;
  if (isSharing && !pressed) {
    sharing.disable();
    isSharing = false;
  }
  return pressed;
}

function notice(begun: number, now: number): void {
  if (now - begun < NOTICED) return;
  lastNoticed = now;
  troubledSince = Math.min(troubledSince, begun + NOTICED);
}

/**
 * Milliseconds for whoever shares no patience. A request that was under way when the trouble could be noticed ends
 * as if it had shared one; whoever waits outside later is no request.
 */
function patienceUnshared(patience: number, begun: number): number {
  if (!asks || !isPressed(begun)) return patience;
  const since = Math.max(begun - troubledSince, 0);
  return since > patience + LEAST ? patience : Math.max(patience - since, Math.min(LEAST, patience));
}

/**
 * Whatever `work` asks of a database, one thing after the other, it waits no longer than this many milliseconds in
 * all: else each step of a request would have a patience of its own. What does not wait for the database is free.
 */
export function withOnePatience<T>(patience: number, work: () => T): T {
  isSharing = true;
  return sharing.run({ left: patience }, work);
}

/** Does one thing that waits for the database, `until` when: a time of `performance.now()`. */
export async function waiting<T>(patience: number, work: (until: number) => Promise<T>): Promise<T> {
  const shared = sharing.getStore();
  const begun = performance.now();
  const wait = { begun };
  waits.add(wait);
  try {
    const left = shared === undefined ? patienceUnshared(patience, begun) : shared.left;
    return await work(begun + Math.max(Math.min(patience, left), 0));
  } finally {
    waits.delete(wait);
    const end = performance.now();
    notice(begun, end);
    if (shared !== undefined) shared.left -= end - begun;
  }
}
