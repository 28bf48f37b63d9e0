/** The time limits of an attempt, in milliseconds. */
export interface TimeLimits {
  /** For the lookup, TCP and TLS together. */
  readonly connect: number;
  /** From the last byte of the request to the last byte of the answer. */
  readonly answer: number;
  /** For the whole attempt. */
  readonly total: number;
}

/** The maximum time for an attempt (specification 6.4): 5 s to connect, 10 s to answer, 16 s in all. */
export const TIME_LIMITS: TimeLimits = { connect: 5_000, answer: 10_000, total: 16_000 };
