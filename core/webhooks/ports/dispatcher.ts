import type { NewEvent } from '../events.js';

/** Starts the sending of events. */
export interface Dispatcher {
  /**
   * Asks for deliveries that wait to be sent soon. `events`: what the caller has just stored, whether or not the webhook
   * is subscribed to it; left out: nothing new. A lost call delays an event, but never loses one.
   */
  wake(events?: readonly NewEvent[]): void;
}
