/** In the states `behind` and `away`, the primary serves instead. */
export type ReplicaState = 'serving' | 'behind' | 'away';

/** A read-only copy that follows the database, for long reads. */
export interface Replica {
  state(): ReplicaState;
}

export interface ReplicaOptions {
  readonly url: string;
  /** How much older its data may be than the primary's. */
  readonly maxLagMs: number;
  /** Called when it starts or stops serving, with the reason when it is away. */
  readonly onChange?: (state: ReplicaState, reason: unknown) => void;
}
