import { DatasetError } from '#adapters/sql/maintenance/dataset.js';

/** How many are told; of those beyond only the number. */
const TOLD = 10;

/** What is wrong with the lines of a dataset, in their order; line, field and message are those of the first one. */
export class DatasetMistakes extends DatasetError {
  /** The first ones, one a line. */
  readonly told: readonly DatasetError[];
  /** How many further lines are wrong. */
  readonly further: number;

  constructor(first: DatasetError, mistakes: Pick<DatasetMistakes, 'told' | 'further'>) {
    super(first, first.message);
    this.told = mistakes.told;
    this.further = mistakes.further;
  }
}

/** Collects mistakes while the rest of a dataset is read. */
export class Mistakes {
  readonly #told: DatasetError[] = [];
  #further = 0;

  get any(): boolean {
    return this.#told.length > 0;
  }

  /** Throws what is none. */
  add(error: unknown): void {
    if (!(error instanceof DatasetError)) throw error;
    if (this.#told.length < TOLD) this.#told.push(error);
    else this.#further += 1;
  }

  /** Throws them, if there is any. */
  refuse(): void {
    const [first] = this.#told;
    if (first !== undefined) throw new DatasetMistakes(first, { told: this.#told, further: this.#further });
  }
}
