/**
 * Whoever asks again and again whether the service is ready, such as the proxy in front of several instances:
 * before the service stops listening it says no for a moment, so that nobody is sent here any more.
 */
export interface ReadinessDrain {
  /** To be called at each look; true until the stop is told. */
  look(): boolean;
  /** From now on every look is told no. Ends when it is known: at once when nobody watches, else within 5 s. */
  tellStop(): Promise<void>;
}

/** Milliseconds after which somebody who has not looked again does not watch. */
const FORGOTTEN = 30_000;
/** Milliseconds; looks that all lie closer together are of one curious person. */
const WATCHED = 1000;
/** How often a proxy is told no until it believes it; few wait for more. */
const TOLD = 3;
/** Milliseconds for the requests that it had sent on their way until then. */
const LAST_REQUESTS = 300;
const LONGEST = 5000;

export function createReadinessDrain({
  now = () => performance.now(),
  longest = LONGEST,
}: {
  /** Milliseconds since whatever beginning. */
  readonly now?: () => number;
  /** Milliseconds that drain may take to look. */
  readonly longest?: number;
} = {}): ReadinessDrain {
  /** Of looks that follow each other. */
  let first = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  let told = 0;
  let known: (() => void) | null = null;

  return {
    look() {
      if (known !== null) {
        told += 1;
        if (told === TOLD) setTimeout(known, LAST_REQUESTS);
        return false;
      }
      if (now() - latest > FORGOTTEN) first = now();
      latest = now();
      return true;
    },
    tellStop() {
      const isWatched = latest - first >= WATCHED && now() - latest <= FORGOTTEN;
      return new Promise((resolve) => {
        known = resolve;
        setTimeout(resolve, isWatched ? longest : 0);
      });
    },
  };
}
