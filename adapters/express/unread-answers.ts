/** Bytes of answers that clients have not read yet: for each subject, such as an organization. */
const MAX_BYTES = 8 * 1024 * 1024;
/** When all together have more, each may have only a fair share. */
const MAX_BYTES_OF_ALL = 32 * 1024 * 1024;
const FAIR_BYTES = 1024 * 1024;

/** Counts what is kept in memory for clients that read slowly or not at all. */
export class UnreadAnswers {
  readonly #bytes = new Map<string, number>();
  #total = 0;

  /** Adds bytes of the subject's answers. Call the result once when they are read, or given up. */
  add(subject: string, bytes: number): () => void {
    this.#change(subject, bytes);
    return () => this.#change(subject, -bytes);
  }

  /** Whether clients of the subject have to read before more answers are prepared. */
  isTooMuch(subject: string): boolean {
    // Almost always, everything has been read.
    if (this.#total === 0) return false;
    const own = this.#bytes.get(subject) ?? 0;
    return own > MAX_BYTES || (this.#total > MAX_BYTES_OF_ALL && own > FAIR_BYTES);
  }

  #change(subject: string, bytes: number): void {
    const own = (this.#bytes.get(subject) ?? 0) + bytes;
    this.#total += bytes;
    if (own === 0) this.#bytes.delete(subject);
    else this.#bytes.set(subject, own);
  }
}
