/** At most `points` uses in the `seconds` after the first one, such as wrong passwords or requests; 0 points: no limit. */
export interface Limit {
  /** Tells counters apart: limits of different names do not share uses. */
  readonly name: string;
  /** The number of uses that are allowed in one window; 0: no limit. */
  readonly points: number;
  /** The length of the window, which begins with the first use. */
  readonly seconds: number;
}

/** Counts uses for all instances together. */
export interface Limits {
  /**
   * Seconds until the subject may try again; 0 while it has uses left. Counts nothing and writes nothing. A use that
   * another instance counted may show up one second late.
   */
  waitFor(limit: Limit, subject: string): Promise<number>;
  /**
   * Counts one use and returns 0. With no use left, it counts nothing, writes nothing and returns the seconds until the
   * subject may try again. Of several callers at once, no more get 0 than there were uses left.
   */
  consume(limit: Limit, subject: string): Promise<number>;
  /** Takes one counted use back, if its window is not over. */
  forgive(limit: Limit, subject: string): Promise<void>;
  /**
   * Forgets every use of the subject that this limit has counted. The next one begins a new window. Another instance
   * may let the subject wait for one second more.
   */
  clear(limit: Limit, subject: string): Promise<void>;
}
