/** Starts the sending of events. */
export interface Dispatcher {
  /** Asks for new deliveries to be sent soon. A lost call delays an event, but never loses one. */
  wake(): void;
}
