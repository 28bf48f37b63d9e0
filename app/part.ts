/** A part of the service that runs in parallel with the others, from its start to its stop. */
export interface Part {
  start(): Promise<void>;
  /** Starts nothing new. Resolves when the current work has ended. */
  stop(): Promise<void>;
}
