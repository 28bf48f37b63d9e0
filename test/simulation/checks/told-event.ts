/** What an event tells. */
interface ToldEvent {
  readonly event_id: string;
  readonly organization: { readonly id: number; readonly name: string };
  /** `email`: null if the person was erased. */
  readonly user: { readonly email: string | null };
}

/** The bodies that were read last. Each is asked for many times. */
const toldEvents = new Map<string, ToldEvent>();
const MAX_TOLD_EVENTS = 200;

export function eventIn(body: string): ToldEvent {
  const known = toldEvents.get(body);
  if (known !== undefined) return known;
  const told = JSON.parse(body) as ToldEvent;
  if (toldEvents.size >= MAX_TOLD_EVENTS) toldEvents.clear();
  toldEvents.set(body, told);
  return told;
}

/** Null: the person was erased. */
export function emailIn(body: string): string | null {
  return eventIn(body).user.email;
}
