/** A call that its caller can repeat with the same key. */
export interface IdempotentCall {
  /** The organization that calls. */
  readonly organizationId: number;
  /** What is called. The same key of another operation is another call. */
  readonly operation: string;
  /** Chosen by the caller. */
  readonly key: string;
}

/** A call as it begins. */
export interface NewIdempotentCall extends IdempotentCall {
  /** Differs for another request, such as a hash of it. */
  readonly fingerprint: string;
  /** A new UUID. It tells `finish` and `abandon` whose call it is. */
  readonly run: string;
  /** When the call begins. */
  readonly at: Date;
  /** A run that began before and has no answer yet was cut off. */
  readonly cutOffBefore: Date;
  /** A call that began before is forgotten. */
  readonly forgottenBefore: Date;
  /** The number of calls that may be kept for the organization. */
  readonly maxCalls: number;
  /** The length of the encrypted answers that may be kept for it, together. */
  readonly maxAnswerLength: number;
}

/**
 * `fresh`: the caller does the work now. `running`: another run does it. `other-request`: the key belongs to a call with
 * another fingerprint. `oldestAt`: there is no such call, and no room for another one; when the oldest that is kept began.
 * Otherwise the answer of the call, encrypted.
 */
export type BegunCall =
  | 'fresh'
  | 'running'
  | 'other-request'
  | 'unknown-organization'
  | { readonly oldestAt: Date }
  | { readonly encryptedAnswer: string };

/** The answer of a call, and the run that gives it. */
export interface KeptAnswer extends IdempotentCall {
  /** The run to which the call belongs. */
  readonly run: string;
  /** The answer as `Secrets.encrypt` encrypted it for the organization. */
  readonly encryptedAnswer: string;
}

/** The calls that can be repeated, with their answers. */
export interface IdempotencyKeys {
  /**
   * `fresh` if there is no such call, if it is forgotten, or if its run was cut off and had the same fingerprint. The
   * call then belongs to this run. Of several callers at once, one gets `fresh`.
   *
   * Nothing new begins while the calls of the organization that are not forgotten, or their answers, reach a limit. What
   * began or ended at the same time may go beyond it, and what another process has kept may count ten seconds late.
   */
  begin(call: NewIdempotentCall): Promise<BegunCall>;
  /** Keeps the answer. False, with nothing changed: the call does not belong to this run, or has an answer. */
  finish(answer: KeptAnswer): Promise<boolean>;
  /** Forgets the call, so that its key can be used again. Does nothing if it belongs to another run or has an answer. */
  abandon(call: IdempotentCall & { readonly run: string }): Promise<void>;
}
