/** A page of this size can be built and copied between other requests. */
const SMALL_BYTES = 262_144;
const SMALL_FOR_MS = 60_000;
/** Organizations that are remembered; more are taken for unknown. */
const MAX_REMEMBERED = 10_000;

/**
 * Remembers which organizations have had only small pages lately. Pages of the others may have long texts, so they are
 * not read where all other requests wait for them.
 */
export class PageSizes {
  readonly #smallUntil = new Map<number, number>();

  isSmall(organizationId: number): boolean {
    return (this.#smallUntil.get(organizationId) ?? 0) > performance.now();
  }

  add(organizationId: number, bytes: number): void {
    const [oldest] = this.#smallUntil.keys();
    if (bytes > SMALL_BYTES) this.#smallUntil.delete(organizationId);
    else if (!this.isSmall(organizationId)) {
      if (this.#smallUntil.size >= MAX_REMEMBERED && oldest !== undefined) this.#smallUntil.delete(oldest);
      this.#smallUntil.set(organizationId, performance.now() + SMALL_FOR_MS);
    }
  }
}
