import { Refusal } from '@rollcall/core';

/** Exports of one organization at the same time: its slow readers leave slots to other organizations (decision 150). */
const MAX_EXPORTS_PER_ORGANIZATION = 3;
/** Exports of one organization that may wait for a slot. */
const MAX_WAITING = 8;
/** Seconds. A slot becomes free when another export of the same organization ends. */
const RETRY_AFTER_SECONDS = 10;

/** The part of the timeout for waiting here. The rest is for the database, so that the two together stay near the timeout. */
const WAITING_SHARE = 0.2;

interface OrganizationSlots {
  running: number;
  /** In order of arrival. */
  readonly waiting: (() => void)[];
}

/** The full exports of each organization that this process may run. */
export class ExportSlots {
  readonly #waitMs: number;
  readonly #organizations = new Map<number, OrganizationSlots>();

  /** `timeoutMs` is how long a caller waits for the database. */
  constructor(timeoutMs: number) {
    this.#waitMs = WAITING_SHARE * timeoutMs;
  }

  /**
   * Waits for a slot of the organization, and returns a function that releases it. A second call of that function does
   * nothing. Refuses with `too-many-requests` when no slot becomes free in time, and at once when many already wait.
   */
  async take(organizationId: number): Promise<() => void> {
    const own = this.#organizations.get(organizationId) ?? { running: 0, waiting: [] };
    this.#organizations.set(organizationId, own);
    if (own.running >= MAX_EXPORTS_PER_ORGANIZATION) await this.#wait(own);
    else own.running += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = own.waiting.shift();
      if (next !== undefined) return next();
      own.running -= 1;
      if (own.running === 0) this.#organizations.delete(organizationId);
    };
  }

  /** Resolves when a running export has passed on its slot. */
  #wait({ waiting }: OrganizationSlots): Promise<void> {
    if (waiting.length >= MAX_WAITING) throw tooManyExports();
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(tooManyExports());
      };
      const timer = setTimeout(giveUp, this.#waitMs);
      waiting.push(start);
    });
  }
}

function tooManyExports(): Refusal {
  return new Refusal(
    'too-many-requests',
    `At most ${MAX_EXPORTS_PER_ORGANIZATION} exports of an organization run at the same time: try again when one has ended`,
    RETRY_AFTER_SECONDS,
  );
}
