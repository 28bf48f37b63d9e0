/**
 * Text that must not be seen: it prints `***` wherever it is printed, joined or encoded.
 * `reveal()` is the one way to the text, so that a search for it finds every place where a secret comes out.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}
