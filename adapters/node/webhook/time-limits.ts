/** The time limits of an attempt, in milliseconds. */
export interface TimeLimits {
  /** For the lookup, TCP and TLS together. */
  readonly connect: number;
  /** From the last byte of the request to the last byte of the answer. */
  readonly answer: number;
  /** For the whole attempt. */
  readonly total: number;
}

/**
 * The limits of one attempt: 5 s to connect, 10 s to answer, 16 s in all, as the specification promises to receivers.
 * A stopping process (`app/shutdown.ts`) and the check for overdue deliveries (`deliveries/running-deliveries.ts`) wait
 * longer than `total`; keep it so. A claim is taken over only after a minute, and its attempt begins within 30 s
 * (`core/webhooks/prepare-attempt.ts`): `total` must stay below the difference.
 */
export const TIME_LIMITS: TimeLimits = { connect: 5_000, answer: 10_000, total: 16_000 };
