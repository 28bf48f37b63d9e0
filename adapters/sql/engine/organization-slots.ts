export interface OrganizationSlotsOptions {
  /** Slots of each organization. */
  readonly slots: number;
  /** Callers of one organization that may wait for a slot. Further ones are refused at once. */
  readonly maxWaiting: number;
  /** Makes the error for a caller that is refused. */
  readonly refuse: () => Error;
}

interface Slots {
  taken: number;
  /** In order of arrival. */
  readonly waiting: (() => void)[];
}

/**
 * Limits the work that this process does for each organization at once, so that none is in the way of the others. The result
 * waits up to `waitMs` for a slot of the organization, and returns a function that releases it. A second call of that
 * function does nothing. It rejects when no slot becomes free in time, and at once when too many callers wait.
 */
export function organizationSlots({ slots, maxWaiting, refuse }: OrganizationSlotsOptions) {
  const organizations = new Map<number, Slots>();

  /** Resolves when another caller has passed on its slot. */
  function wait({ waiting }: Slots, waitMs: number): Promise<void> {
    if (waiting.length >= maxWaiting) throw refuse();
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(refuse());
      };
      const timer = setTimeout(giveUp, waitMs);
      waiting.push(start);
    });
  }

  return async (organizationId: number, waitMs: number): Promise<() => void> => {
    const own = organizations.get(organizationId) ?? { taken: 0, waiting: [] };
    organizations.set(organizationId, own);
    if (own.taken >= slots) await wait(own, waitMs);
    else own.taken += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = own.waiting.shift();
      if (next !== undefined) return next();
      own.taken -= 1;
      if (own.taken === 0) organizations.delete(organizationId);
    };
  };
}
