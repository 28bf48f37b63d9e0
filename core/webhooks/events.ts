/** Every event that a webhook can subscribe to. `user.registered`: a person has become a member. */
export const availableEvents = ['user.registered'] as const;

/** What an event tells. */
export type EventName = (typeof availableEvents)[number];

/** An event with the exact text that is signed and sent. */
export interface NewEvent {
  /** UUID. */
  readonly id: string;
  /** Tells receivers what happened. */
  readonly name: EventName;
  /** The organization whose webhook gets the event. */
  readonly organizationId: number;
  /** The JSON text that is signed and sent, byte for byte. */
  readonly body: string;
  /** When it happened. */
  readonly createdAt: Date;
  /** Whom the body names, so that it can be found and erased. Left out: nobody who is stored. */
  readonly about?: EventPerson | undefined;
}

/** The person of an event, as they were when it happened. */
export interface EventPerson {
  /** The user's id, the same in every organization. */
  readonly id: number;
  /** The UUID that the organization knows. */
  readonly uuid: string;
  /** The address at that time. */
  readonly email: string;
}
