import { Refusal } from '@rollcall/core';

/** Exports of one organization at a time: its slow readers leave places to the others (decision 150). */
export const MAX_EXPORTS_OF_ONE = 3;
/** Further ones that wait for a place of their organization. */
const MAX_WAITING = 8;
/** Seconds after which asking again makes sense: a place is free when one of the organization's own exports ends. */
const RETRY_AFTER = 10;

/** Of a caller's patience: the rest is for the database, so that both together are not much more than one. */
const WAITING_PART = 0.2;

interface OfOne {
  running: number;
  /** In the order in which they came. */
  readonly waiting: (() => void)[];
}

/** Who of each organization may read a full export, in this process. */
export class ExportPlaces {
  readonly #waitMs: number;
  readonly #organizations = new Map<number, OfOne>();

  /** `patience` is how many milliseconds a caller waits for the database. */
  constructor(patience: number) {
    this.#waitMs = WAITING_PART * patience;
  }

  /**
   * Waits for a place of the organization. What it gives leaves the place, and may be called again. Refuses with
   * `too-many-requests` when none becomes free in time, and at once where many wait already.
   */
  async take(organizationId: number): Promise<() => void> {
    const own = this.#organizations.get(organizationId) ?? { running: 0, waiting: [] };
    this.#organizations.set(organizationId, own);
    if (own.running >= MAX_EXPORTS_OF_ONE) await this.#turn(own);
    else own.running += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = own.waiting.shift();
      if (next !== undefined) return next();
      own.running -= 1;
      if (own.running === 0) this.#organizations.delete(organizationId);
    };
  }

  /** Ends when one that runs has left its place to this one. */
  #turn({ waiting }: OfOne): Promise<void> {
    if (waiting.length >= MAX_WAITING) throw tooMany();
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(late);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(tooMany());
      };
      const late = setTimeout(giveUp, this.#waitMs);
      waiting.push(go);
    });
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'too-many-requests',
    `At most ${MAX_EXPORTS_OF_ONE} exports of an organization run at the same time: try again when one has ended`,
    RETRY_AFTER,
  );
}
