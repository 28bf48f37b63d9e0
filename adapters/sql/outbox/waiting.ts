/**
 * The organizations with waiting events, as far as this process knows. These are only hints: the database decides which
 * events wait and who takes them. A missing or wrong hint delays an event until the next scan of all organizations, but
 * never loses it.
 */
export interface Waiting {
  /** This delivery of the organization, or a later one, may be waiting. */
  add(organizationId: number, deliveryId: number): void;
  /** Takes the next organizations in turn. Return each by `settle` or `putBack`. */
  take(count: number): readonly WaitingOrganization[];
  /** Reports the result of a claim. An organization without waiting events is forgotten. */
  settle(organizationId: number, found: FoundWaiting): void;
  /** Returns organizations that did not get their turn. They come first next time. */
  putBack(organizationIds: readonly number[]): void;
  /** One more delivery of the organization may be sent. */
  free(organizationId: number): void;
  /** Whether this process sends what it adds: it has taken organizations lately. */
  areTaken(): boolean;
}

export interface WaitingOrganization {
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

interface QueuedOrganization {
  readonly organizationId: number;
  after: number;
  since: string | null;
  /** The lowest delivery that was added since a claim took the organization. */
  added: number | null;
  /** A time of `performance.now()`. */
  restsUntil: number;
  isTaken: boolean;
  /** Whether a delivery has ended since a claim took the organization. */
  isFreed: boolean;
}

/** A full organization is checked again after this time, because another process may have ended its deliveries. */
const REST_MS = 1000;
/** A process that sends takes organizations at least once a second, unless all its slots are filled. */
const TAKING_MS = 1500;
/** Organizations without waiting events for which `since` is remembered. */
const MAX_REMEMBERED = 20_000;

const untouched = { added: null, isTaken: false, isFreed: false };

export function createWaiting(): Waiting {
  const organizations = new Map<number, QueuedOrganization>();
  /** The organizations that wait for their turn: all that are not taken, full or forgotten. */
  const queue: QueuedOrganization[] = [];
  const resting = new Set<QueuedOrganization>();
  const remembered = new Map<number, string>();
  let takenAt = Number.NEGATIVE_INFINITY;

  function remember(organizationId: number, since: string): void {
    remembered.delete(organizationId);
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.set(organizationId, since);
  }

  function wakeRested(): void {
    const now = performance.now();
    for (const organization of resting) if (organization.restsUntil <= now) rejoin(organization);
  }

  function rejoin(organization: QueuedOrganization): void {
    resting.delete(organization);
    queue.push(organization);
  }

  return {
    add(organizationId, deliveryId) {
      const organization = organizations.get(organizationId);
      if (organization !== undefined) {
        if (organization.isTaken) organization.added = Math.min(organization.added ?? deliveryId, deliveryId);
        else organization.after = Math.min(organization.after, deliveryId - 1);
        return;
      }
      const since = remembered.get(organizationId) ?? null;
      const fresh = { organizationId, after: deliveryId - 1, since, ...untouched, restsUntil: 0 };
      organizations.set(organizationId, fresh);
      queue.push(fresh);
    },

    take(count) {
      takenAt = performance.now();
      wakeRested();
      const taken = queue.splice(0, count);
      for (const organization of taken) Object.assign(organization, { isTaken: true, isFreed: false });
      return taken.map(({ organizationId, after, since }) => ({ organizationId, after, since }));
    },

    settle(organizationId, { after, since, isEmpty, isFull }) {
      const organization = organizations.get(organizationId);
      if (organization === undefined) return;
      const { added, isFreed } = organization;
      const lowest = added === null ? after : Math.min(after, added - 1);
      Object.assign(organization, { after: lowest, since, ...untouched });
      if (isEmpty && added === null) {
        organizations.delete(organizationId);
        if (since !== null) remember(organizationId, since);
      } else if (isFull && !isFreed) {
        organization.restsUntil = performance.now() + REST_MS;
        resting.add(organization);
      } else queue.push(organization);
    },

    putBack(organizationIds) {
      const back: QueuedOrganization[] = [];
      for (const id of organizationIds) {
        const organization = organizations.get(id);
        if (organization === undefined) continue;
        if (organization.added !== null)
          organization.after = Math.min(organization.after, organization.added - 1);
        Object.assign(organization, untouched);
        back.push(organization);
      }
      queue.unshift(...back);
    },

    free(organizationId) {
      const organization = organizations.get(organizationId);
      if (organization === undefined) return;
      organization.isFreed = true;
      if (resting.has(organization)) rejoin(organization);
    },

    areTaken: () => performance.now() - takenAt < TAKING_MS,
  };
}
