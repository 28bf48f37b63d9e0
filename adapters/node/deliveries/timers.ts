/** How the dispatcher measures time and repeats itself. A simulation has its own. */
export interface Timers {
  /** Milliseconds since any fixed moment; never goes back. */
  now(): number;
  /** Calls `run` at this interval until the returned function is called. */
  every(milliseconds: number, run: () => void): () => void;
}

export const processTimers: Timers = {
  now: () => performance.now(),
  every(milliseconds, run) {
    const timer = setInterval(run, milliseconds);
    return () => clearInterval(timer);
  },
};
