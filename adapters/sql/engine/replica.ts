/** `behind` and `away`: the primary serves. */
export type ReplicaState = 'serving' | 'behind' | 'away';

/** A read-only copy that follows the database, for long reads. */
export interface Replica {
  state(): ReplicaState;
}

export interface ReplicaOptions {
  readonly url: string;
  /** How much older than the primary's data its data may be. */
  readonly maxLagMs: number;
  /** Called when it starts or stops serving, with the reason when it is away. */
  readonly onChange?: (state: ReplicaState, reason: unknown) => void;
}
