/** A process that can crash and freeze. Nothing that belongs to it runs after a crash, or during a freeze. */
export interface Host {
  isAlive: boolean;
  /** When the freeze ends; missing or in the past: it is not frozen. */
  frozenUntil?: number;
}

/**
 * What runs between two choices of the scheduler belongs to one flow. Its key names it in every run of the same seed,
 * whatever else runs.
 */
export interface Flow {
  readonly key: number;
  readonly host: Host | null;
  /** The process on whose behalf it runs; it may have crashed. */
  readonly caller?: Host;
  /** The number of port calls so far. */
  calls: number;
}

/**
 * Simulated time, and the decision who goes on. Everything that waits has a time at which it goes on. The times come
 * from chance, so chance decides the order. Before the next one goes on, all promises settle.
 */
export interface Scheduler {
  /** Milliseconds since the start. */
  now(): number;
  /** The number of steps so far. Orders everything that happens. */
  tick(): number;
  /** The flow that runs now. */
  flow(): Flow;
  /**
   * Runs this after so many milliseconds as part of the flow, unless its host has crashed until then. If the host is
   * frozen, it runs when the freeze ends. It returns `IDLE` if no promise can go on because of it.
   */
  after(milliseconds: number, flow: Flow, run: () => unknown): void;
  /** Runs until the time, or until `isDone`, which is asked every `every` milliseconds. False: it was not done. */
  run(until: {
    readonly time: number;
    readonly every: number;
    readonly isDone: () => boolean;
  }): Promise<boolean>;
}

interface Waiting {
  readonly time: number;
  readonly order: number;
  readonly flow: Flow;
  readonly run: () => unknown;
}

/** What a step returns that did nothing. Waiting for promises would take longer than the step. */
export const IDLE = Symbol('idle');

const MAX_STEPS = 100_000;

export function createScheduler(): Scheduler {
  const heap: Waiting[] = [];
  const noFlow: Flow = { key: 0, host: null, calls: 0 };
  let now = 0;
  let tick = 0;
  let order = 0;
  let current = noFlow;
  return {
    now: () => now,
    tick: () => tick,
    flow: () => current,
    after(milliseconds, flow, run) {
      order += 1;
      push(heap, { time: now + milliseconds, order, flow, run });
    },
    async run({ time, every, isDone }) {
      await settled();
      let askAt = now + every;
      for (;;) {
        const next = heap[0];
        if (next === undefined || next.time > askAt) {
          now = askAt;
          if (isDone()) return true;
          if (now >= time) return false;
          askAt = now + every;
          continue;
        }
        pop(heap);
        const { host } = next.flow;
        if (host !== null && !host.isAlive) continue;
        if (host?.frozenUntil !== undefined && host.frozenUntil > next.time) {
          // What was due first runs first.
          order += 1;
          push(heap, { ...next, time: host.frozenUntil, order });
          continue;
        }
        now = next.time;
        tick += 1;
        if (tick > MAX_STEPS) throw new Error(`still busy after ${MAX_STEPS} steps`);
        current = next.flow;
        if (next.run() !== IDLE) await settled();
        current = noFlow;
      }
    },
  };
}

/**
 * Resolves when no promise is left that can go on. Node runs `nextTick` only after every microtask, those too that
 * microtasks add.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.time < other.time || (one.time === other.time && one.order < other.order);
}

function push(heap: Waiting[], added: Waiting): void {
  let place = heap.length;
  heap.push(added);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above] as Waiting;
    if (!isBefore(added, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = added;
}

function pop(heap: Waiting[]): void {
  const moved = heap.pop() as Waiting;
  if (heap.length === 0) return;
  let place = 0;
  for (;;) {
    let below = 2 * place + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Waiting, heap[below] as Waiting)) below += 1;
    const child = heap[below] as Waiting;
    if (!isBefore(child, moved)) break;
    heap[place] = child;
    place = below;
  }
  heap[place] = moved;
}
