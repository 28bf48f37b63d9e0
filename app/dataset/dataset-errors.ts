import { DatasetError } from '#adapters/sql/maintenance/dataset.js';

/** Of further mistakes, only the number is reported. */
const MAX_REPORTED_MISTAKES = 10;

/** The mistakes in a dataset, in the order of its lines. Line, field and message are those of the first one. */
export class DatasetMistakes extends DatasetError {
  /** The first mistakes, one per line. */
  readonly reported: readonly DatasetError[];
  /** The number of further invalid lines. */
  readonly further: number;

  constructor(first: DatasetError, mistakes: Pick<DatasetMistakes, 'reported' | 'further'>) {
    super(first, first.message);
    this.reported = mistakes.reported;
    this.further = mistakes.further;
  }
}

/** Collects mistakes while the rest of a dataset is read. */
export class Mistakes {
  readonly #reported: DatasetError[] = [];
  #further = 0;

  get any(): boolean {
    return this.#reported.length > 0;
  }

  /** Adds a mistake. Throws any other error. */
  add(error: unknown): void {
    if (!(error instanceof DatasetError)) throw error;
    if (this.#reported.length < MAX_REPORTED_MISTAKES) this.#reported.push(error);
    else this.#further += 1;
  }

  /** Throws the mistakes, if there are any. */
  refuse(): void {
    const [first] = this.#reported;
    if (first !== undefined)
      throw new DatasetMistakes(first, { reported: this.#reported, further: this.#further });
  }
}
