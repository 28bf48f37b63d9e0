import { eventName } from '#core/testing/subscribe.js';

/** A webhook as it is configured, which gets events at this URL. */
export function webhookAt(url: string) {
  return { url, enabled: true, events: [eventName] };
}
