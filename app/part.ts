/** A part of the service that runs beside the others from its start to its stop. */
export interface Part {
  start(): Promise<void>;
  /** Ends what is under way, and starts nothing more. */
  stop(): Promise<void>;
}
