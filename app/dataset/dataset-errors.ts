import { DatasetError } from '@rollcall/sql/maintenance';

/** Of further errors, only the number is reported. */
const MAX_REPORTED = 10;

/** The errors in a dataset, in the order of its lines. Line, field and message are those of the first one. */
export class DatasetErrors extends DatasetError {
  /** The first errors, one per line. */
  readonly reported: readonly DatasetError[];
  /** The number of further invalid lines. */
  readonly further: number;

  constructor(first: DatasetError, errors: Pick<DatasetErrors, 'reported' | 'further'>) {
    super(first, first.message);
    this.reported = errors.reported;
    this.further = errors.further;
  }
}

/** Collects errors while the rest of a dataset is read. */
export class ErrorCollector {
  readonly #reported: DatasetError[] = [];
  #further = 0;

  get hasAny(): boolean {
    return this.#reported.length > 0;
  }

  /** Adds a `DatasetError`. Throws any other error. */
  add(error: unknown): void {
    if (!(error instanceof DatasetError)) throw error;
    if (this.#reported.length < MAX_REPORTED) this.#reported.push(error);
    else this.#further += 1;
  }

  /** Throws the errors, if there are any. */
  throwIfAny(): void {
    const [first] = this.#reported;
    if (first !== undefined)
      throw new DatasetErrors(first, { reported: this.#reported, further: this.#further });
  }
}
