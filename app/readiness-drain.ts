import type { Readiness } from './readiness.js';

/**
 * A proxy in front of several instances probes `/readyz` of each. Before the service stops listening, it fails these
 * probes for a short time, so that the proxy sends no more requests.
 */
export type ReadinessDrain = ReturnType<typeof createReadinessDrain>;

/** A proxy that has not probed for this long counts as gone, or that has missed this many probes. */
const WATCH_TIMEOUT_MS = 30_000;
const MISSED_PROBES = 3;
/** Probes during less than this time may come from a person instead of a proxy. */
const MIN_WATCH_MS = 1000;
/** Failed probes after which most proxies send no more requests. */
const FAILURES_UNTIL_NOTICED = 3;
/** Leaves time for the last answer, and for requests that the proxy sent before it noticed, on a busy machine too. */
const LAST_REQUESTS_MS = 1000;
const MAX_DRAIN_MS = 5000;

export function createReadinessDrain({
  now = () => performance.now(),
  maxDrainMs = MAX_DRAIN_MS,
}: {
  /** Milliseconds since any fixed time. */
  readonly now?: () => number;
  readonly maxDrainMs?: number;
} = {}) {
  /** The times of the first and the latest of the consecutive probes. */
  let first = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  let probes = 0;
  let failures = 0;
  let endDrain: (() => void) | null = null;

  return {
    /** Records a probe of `/readyz`, and returns whether it succeeds: not once `drain` was called. */
    recordProbe(): boolean {
      if (endDrain !== null) {
        failures += 1;
        if (failures === FAILURES_UNTIL_NOTICED) setTimeout(endDrain, LAST_REQUESTS_MS);
        return false;
      }
      if (now() - latest > WATCH_TIMEOUT_MS) {
        first = now();
        probes = 0;
      }
      latest = now();
      probes += 1;
      return true;
    },
    /** Fails every probe from now on. Resolves when the proxy has noticed: within 5 s, or at once if no proxy probes any more. */
    drain(): Promise<void> {
      const missed = MISSED_PROBES * ((latest - first) / Math.max(1, probes - 1));
      const goneAfterMs = Math.min(WATCH_TIMEOUT_MS, Math.max(MIN_WATCH_MS, missed));
      const isWatched = latest - first >= MIN_WATCH_MS && now() - latest <= goneAfterMs;
      return new Promise((resolve) => {
        endDrain = resolve;
        setTimeout(resolve, isWatched ? maxDrainMs : 0);
      });
    },
  };
}

/**
 * Reports that the service is not ready as soon as it starts to stop. From then on a probe is answered at once, with what
 * the last check has found: three must be answered while the proxy still sends requests.
 */
export function readyUntilDrained(
  readiness: Readiness,
  { recordProbe }: Pick<ReadinessDrain, 'recordProbe'>,
): Readiness {
  let last = unchecked;
  return async () => {
    if (!recordProbe()) return [{ name: 'serving', state: 'failed' }, ...last];
    last = await readiness();
    return last;
  };
}

const unchecked: Awaited<ReturnType<Readiness>> = [
  { name: 'database', state: 'unknown' },
  { name: 'migrations', state: 'unknown' },
];
