import type { Core, Delivery, RecordedEvent, WebhookHealth } from '@rollcall/core';

/** What one organization has in the end, as the API shows it. */
export interface Final {
  /** As the history names it. */
  readonly org: number;
  readonly organization: { readonly id: number; readonly name: string };
  readonly events: readonly RecordedEvent[];
  readonly deliveries: readonly Delivery[];
  /** The addresses of the members. */
  readonly members: readonly string[];
  readonly health: WebhookHealth;
  /** What each reader of the feed gets from its cursor to the end. */
  readonly rest: ReadonlyMap<string, readonly string[]>;
}

export async function lookAt(
  core: Core,
  { org, organization }: Pick<Final, 'org' | 'organization'>,
  cursors: ReadonlyMap<string, string | undefined>,
): Promise<Final> {
  const { events } = await core.readEvents({ organization, limit: 1_000 });
  const { deliveries } = await core.listDeliveries({ organization, limit: 1_000 });
  const { items } = await core.listUsers({ organization, limit: 100 });
  const rest = new Map<string, readonly string[]>();
  for (const [reader, after] of cursors) {
    const page = await core.readEvents({ organization, after, limit: 1_000 });
    rest.set(
      reader,
      page.events.map(({ body }) => body),
    );
  }
  const health = await core.readWebhookHealth({ organization });
  const members = items.map(({ user }) => user.email);
  return { org, organization, events, deliveries, members, health, rest };
}
