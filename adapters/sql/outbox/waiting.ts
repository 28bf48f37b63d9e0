/**
 * The organizations with waiting events, as far as this process knows. These are only hints: the database decides which
 * events wait and who takes them. A missing or wrong hint delays an event until the next scan of all organizations, but
 * never loses it.
 */
export interface Waiting {
  /** This delivery of the organization, or a later one, may be waiting. */
  add(organizationId: number, deliveryId: number): void;
  /** Takes the next organizations in turn. Return each by `settle` or `putBack`. */
  take(count: number): readonly WaitingPlace[];
  /** Reports the result of a claim. An organization without waiting events is forgotten. */
  settle(organizationId: number, found: FoundWaiting): void;
  /** Returns organizations that did not get their turn. They come first next time. */
  putBack(organizationIds: readonly number[]): void;
  /** One more delivery of the organization may be sent. */
  free(organizationId: number): void;
}

export interface WaitingPlace {
  readonly organizationId: number;
  /** No delivery up to this one waits. */
  readonly after: number;
  /** A stored timestamp: every delivery that was claimed before it has ended. Null when no such time is known. */
  readonly since: string | null;
}

export interface FoundWaiting {
  readonly after: number;
  readonly since: string | null;
  readonly isEmpty: boolean;
  /** The organization has no free slot until one of its deliveries ends. */
  readonly isFull: boolean;
}

interface Place {
  readonly organizationId: number;
  after: number;
  since: string | null;
  /** The lowest delivery that was added since a claim took the place. */
  added: number | null;
  /** A time of `performance.now()`. */
  restsUntil: number;
  isTaken: boolean;
  /** Whether a delivery has ended since a claim took the place. */
  isFreed: boolean;
}

/** A full organization is checked again after this time, because another process may have ended its deliveries. */
const REST_MS = 1000;
/** Organizations without waiting events for which `since` is remembered. */
const MAX_REMEMBERED = 20_000;

const untouched = { added: null, isTaken: false, isFreed: false };

export function createWaiting(): Waiting {
  const places = new Map<number, Place>();
  /** The places that wait for their turn: all that are not taken, full or forgotten. */
  const line: Place[] = [];
  const resting = new Set<Place>();
  const remembered = new Map<number, string>();

  function remember(organizationId: number, since: string): void {
    remembered.delete(organizationId);
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.set(organizationId, since);
  }

  function wakeRested(): void {
    const now = performance.now();
    for (const place of resting) if (place.restsUntil <= now) rejoin(place);
  }

  function rejoin(place: Place): void {
    resting.delete(place);
    line.push(place);
  }

  return {
    add(organizationId, deliveryId) {
      const place = places.get(organizationId);
      if (place !== undefined) {
        if (place.isTaken) place.added = Math.min(place.added ?? deliveryId, deliveryId);
        else place.after = Math.min(place.after, deliveryId - 1);
        return;
      }
      const since = remembered.get(organizationId) ?? null;
      const fresh = { organizationId, after: deliveryId - 1, since, ...untouched, restsUntil: 0 };
      places.set(organizationId, fresh);
      line.push(fresh);
    },

    take(count) {
      wakeRested();
      const taken = line.splice(0, count);
      for (const place of taken) Object.assign(place, { isTaken: true, isFreed: false });
      return taken.map(({ organizationId, after, since }) => ({ organizationId, after, since }));
    },

    settle(organizationId, { after, since, isEmpty, isFull }) {
      const place = places.get(organizationId);
      if (place === undefined) return;
      const { added, isFreed } = place;
      const lowest = added === null ? after : Math.min(after, added - 1);
      Object.assign(place, { after: lowest, since, ...untouched });
      if (isEmpty && added === null) {
        places.delete(organizationId);
        if (since !== null) remember(organizationId, since);
      } else if (isFull && !isFreed) {
        place.restsUntil = performance.now() + REST_MS;
        resting.add(place);
      } else line.push(place);
    },

    putBack(organizationIds) {
      const back: Place[] = [];
      for (const id of organizationIds) {
        const place = places.get(id);
        if (place === undefined) continue;
        if (place.added !== null) place.after = Math.min(place.after, place.added - 1);
        Object.assign(place, untouched);
        back.push(place);
      }
      line.unshift(...back);
    },

    free(organizationId) {
      const place = places.get(organizationId);
      if (place === undefined) return;
      place.isFreed = true;
      if (resting.has(place)) rejoin(place);
    },
  };
}
