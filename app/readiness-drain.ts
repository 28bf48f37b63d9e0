/**
 * A proxy in front of several instances asks each again and again whether it is ready. Before the service stops
 * listening, it answers no for a moment, so that the proxy sends no more requests.
 */
export interface ReadinessDrain {
  /** To be called at each probe of `/readyz`. False once `drain` was called. */
  isServing(): boolean;
  /** From now on every probe is answered no. Ends when the proxy knows: at once where none is watching, else within 5 s. */
  drain(): Promise<void>;
}

/** A proxy that has not probed for this long does not watch any more. */
const WATCH_TIMEOUT_MS = 30_000;
/** Probes that all lie closer together come from a single curious person. */
const MIN_WATCH_MS = 1000;
/** How often most proxies must hear no until they believe it. */
const REFUSALS_UNTIL_KNOWN = 3;
/** Leaves time for requests that the proxy sent before it knew. */
const LAST_REQUESTS_MS = 300;
const MAX_DRAIN_MS = 5000;

export function createReadinessDrain({
  now = () => performance.now(),
  maxDrainMs = MAX_DRAIN_MS,
}: {
  /** Milliseconds, counted from any moment. */
  readonly now?: () => number;
  readonly maxDrainMs?: number;
} = {}): ReadinessDrain {
  /** The first and the latest of the probes that follow each other. */
  let first = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  let endDrain: (() => void) | null = null;

  return {
    isServing() {
      if (endDrain !== null) {
        refusals += 1;
        if (refusals === REFUSALS_UNTIL_KNOWN) setTimeout(endDrain, LAST_REQUESTS_MS);
        return false;
      }
      if (now() - latest > WATCH_TIMEOUT_MS) first = now();
      latest = now();
      return true;
    },
    drain() {
      const isWatched = latest - first >= MIN_WATCH_MS && now() - latest <= WATCH_TIMEOUT_MS;
      return new Promise((resolve) => {
        endDrain = resolve;
        setTimeout(resolve, isWatched ? maxDrainMs : 0);
      });
    },
  };
}
