/**
 * A proxy in front of several instances probes `/readyz` of each. Before the service stops listening, it fails these
 * probes for a short time, so that the proxy sends no more requests.
 */
export interface ReadinessDrain {
  /** Call it at each probe of `/readyz`. False once `drain` was called. */
  isServing(): boolean;
  /** Fails every probe from now on. Resolves when the proxy has noticed: within 5 s, or at once if no proxy probes. */
  drain(): Promise<void>;
}

/** A proxy that has not probed for this long counts as gone. */
const WATCH_TIMEOUT_MS = 30_000;
/** Probes during less than this time may come from a person instead of a proxy. */
const MIN_WATCH_MS = 1000;
/** Failed probes after which most proxies send no more requests. */
const REFUSALS_UNTIL_KNOWN = 3;
/** Leaves time for requests that the proxy sent before it noticed. */
const LAST_REQUESTS_MS = 300;
const MAX_DRAIN_MS = 5000;

export function createReadinessDrain({
  now = () => performance.now(),
  maxDrainMs = MAX_DRAIN_MS,
}: {
  /** Milliseconds since any fixed time. */
  readonly now?: () => number;
  readonly maxDrainMs?: number;
} = {}): ReadinessDrain {
  /** The times of the first and the latest of the consecutive probes. */
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
