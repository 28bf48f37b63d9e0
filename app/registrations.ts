import type { components } from '@rollcall/contracts';
import type { Member, RegistrationEvent, StoragePorts } from '@rollcall/core';
import type { Logger } from '@rollcall/node';

type WebhookEvent = components['schemas']['UserRegisteredEvent'];

/** What a program that embeds the service can listen to, by the name of the event. */
export interface EventListeners {
  /**
   * Called with the event of the webhook after someone has joined an organization through this process, by a page, the API
   * or the core. Registrations in imported records are not told, and no event is told again: `core.readEvents` has all.
   */
  readonly 'user.registered'?: ((event: WebhookEvent) => unknown) | undefined;
}

/** The same storage, which tells the listener of each registration after its commit. */
export function toldRegistrations(
  storage: StoragePorts,
  { listener, log }: { readonly listener: (event: WebhookEvent) => unknown; readonly log: Logger },
): StoragePorts {
  const { members } = storage;
  return {
    ...storage,
    members: {
      ...members,
      async register(member, buildEvent, buildEntries) {
        // A transaction that is repeated builds its event again.
        const built: (RegistrationEvent | null)[] = [];
        const registered = await members.register(
          member,
          (stored) => {
            const event = buildEvent(stored);
            built.push(event);
            return event;
          },
          buildEntries,
        );
        const event = built.at(-1) ?? null;
        if (event !== null && isMember(registered)) tell(event);
        return registered;
      },
    },
  };

  function tell({ body }: RegistrationEvent): void {
    new Promise((resolve) => resolve(listener(JSON.parse(body) as WebhookEvent))).catch((error: unknown) =>
      log.error({ error }, 'The listener of user.registered has failed'),
    );
  }
}

function isMember(registered: Member | string): registered is Member {
  return typeof registered === 'object';
}
