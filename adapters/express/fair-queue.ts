/** A queue of items for each organization. The organizations take turns. */
export class FairQueue<Item> {
  readonly #waiting = new Map<number, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of items of one organization. */
  sizeOf(organizationId: number): number {
    return this.#waiting.get(organizationId)?.length ?? 0;
  }

  add(organizationId: number, item: Item): void {
    const own = this.#waiting.get(organizationId);
    if (own === undefined) this.#waiting.set(organizationId, [item]);
    else own.push(item);
    this.#size += 1;
  }

  /** Takes the first item of the organization that has waited longest, of those that may go on. */
  take(mayGoOn: (organizationId: number) => boolean = () => true): Item | undefined {
    for (const [organizationId, own] of this.#waiting) {
      if (!mayGoOn(organizationId)) continue;
      const item = own.shift();
      // The next turn of this organization comes after that of the others.
      this.#waiting.delete(organizationId);
      if (own.length > 0) this.#waiting.set(organizationId, own);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  remove(organizationId: number, item: Item): void {
    const own = this.#waiting.get(organizationId) ?? [];
    const at = own.indexOf(item);
    if (at < 0) return;
    own.splice(at, 1);
    this.#size -= 1;
    if (own.length === 0) this.#waiting.delete(organizationId);
  }
}
