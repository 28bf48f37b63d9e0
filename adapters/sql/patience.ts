import { AsyncLocalStorage } from 'node:async_hooks';

interface Shared {
  /** Milliseconds. */
  left: number;
}

const sharing = new AsyncLocalStorage<Shared>();
let isSharing = false;

/** Milliseconds: a wait that says that there is trouble, and how long after it there still may be. */
const NOTICED = 250;
const REMEMBERED = 10_000;

/** What waits for the database, in the order in which it began. */
const waits = new Set<{ readonly begun: number }>();
let lastNoticed = Number.NEGATIVE_INFINITY;

/**
 * Whether somebody waits long for the database, or did a moment ago: then it is worth while to share a patience,
 * which makes every promise of the process dearer.
 */
export function isPressed(now = performance.now()): boolean {
  for (const longest of waits) {
    if (now - longest.begun >= NOTICED) lastNoticed = now;
    break;
  }
  const pressed = now - lastNoticed < REMEMBERED;
  if (isSharing && !pressed) {
    sharing.disable();
    isSharing = false;
  }
  return pressed;
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
    return await work(begun + Math.max(Math.min(patience, shared?.left ?? patience), 0));
  } finally {
    waits.delete(wait);
    const end = performance.now();
    if (end - begun >= NOTICED) lastNoticed = end;
    if (shared !== undefined) shared.left -= end - begun;
  }
}
