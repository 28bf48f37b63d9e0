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

/** Limits the work that this process does for each organization at once, so that none is in the way of the others. */
export class OrganizationSlots {
  readonly #options: OrganizationSlotsOptions;
  readonly #organizations = new Map<number, Slots>();

  constructor(options: OrganizationSlotsOptions) {
    this.#options = options;
  }

  /**
   * Waits up to `waitMs` for a slot of the organization, and returns a function that releases it. A second call of that
   * function does nothing. Rejects when no slot becomes free in time, and at once when too many callers wait.
   */
  async take(organizationId: number, waitMs: number): Promise<() => void> {
    const own = this.#organizations.get(organizationId) ?? { taken: 0, waiting: [] };
    this.#organizations.set(organizationId, own);
    if (own.taken >= this.#options.slots) await this.#wait(own, waitMs);
    else own.taken += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = own.waiting.shift();
      if (next !== undefined) return next();
      own.taken -= 1;
      if (own.taken === 0) this.#organizations.delete(organizationId);
    };
  }

  /** Resolves when another caller has passed on its slot. */
  #wait({ waiting }: Slots, waitMs: number): Promise<void> {
    const { maxWaiting, refuse } = this.#options;
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
}
