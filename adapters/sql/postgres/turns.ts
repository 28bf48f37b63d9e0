/** Milliseconds after which whoever has the turn is not waited for any more: its server keeps it waiting. */
const LONGEST = 20;

/** So many at a time do a short piece of work; the others wait, in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Ends when the turn has come; what it gives ends the turn, and may be called again. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    let isOver = false;
    const end = (): void => {
      clearTimeout(late);
      if (isOver) return;
      isOver = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
    const late = setTimeout(end, LONGEST);
    return end;
  }
}
