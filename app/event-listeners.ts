import type { WebhookEvent } from '@rollcall/contracts';
import type { Dispatcher, EventName } from '@rollcall/core';
import type { Logger } from '@rollcall/node';

/**
 * What a program that embeds the service can listen to, by the name of the event. A listener is called with the event of
 * the webhook after it has happened through this process, by a page, the API or the core. Events of imported records are not
 * told, and no event is told again: `core.readEvents` has all.
 */
export type EventListeners = {
  readonly [Name in EventName]?: ((event: Extract<WebhookEvent, { event: Name }>) => unknown) | undefined;
};

/** The same dispatcher, which tells the listeners of each event that is stored. */
export function tellingListeners<Told extends Dispatcher>(
  dispatcher: Told,
  { listeners, log }: { readonly listeners: EventListeners; readonly log: Logger },
): Told {
  return {
    ...dispatcher,
    wake(events = []) {
      dispatcher.wake(events);
      for (const { name, body } of events) {
        const listener = listeners[name] as ((event: WebhookEvent) => unknown) | undefined;
        new Promise((resolve) => resolve(listener?.(JSON.parse(body)))).catch((error: unknown) =>
          log.error({ error }, `The listener of ${name} has failed`),
        );
      }
    },
  };
}
