import type { Invitation, LoginLink, Member, Ports } from '@rollcall/core';
import type { HttpService } from '../../support/http/service.js';

/** A wrong behaviour of the product, as methods of ports that replace the right ones. */
interface PlantedFault {
  readonly fault: string;
  readonly plant: (ports: Ports) => Partial<{ readonly [Name in keyof Ports]: Partial<Ports[Name]> }>;
  /** A seed that finds it quickly. */
  readonly seed: number;
}

/** Puts the fault into a service. The returned function takes it out. */
export function plantIn(service: HttpService, { plant }: PlantedFault): () => void {
  // The methods of before, which the wrong ones call.
  const ports = Object.fromEntries(
    Object.entries(service.ports).map(([name, port]) => [name, { ...port }]),
  ) as unknown as Ports;
  const restores = Object.entries(plant(ports)).map(([name, methods]) =>
    service.replace(name as keyof Ports, methods as object),
  );
  return () => {
    for (const restore of restores) restore();
  };
}

const DAY_MS = 86_400_000;

export const plantedFaults: readonly PlantedFault[] = [
  {
    fault: 'tokens work for two days',
    seed: 2,
    plant: ({ tokens }) => ({
      tokens: {
        issue: (claims) =>
          tokens.issue({ ...claims, expiresAt: new Date(claims.expiresAt.getTime() + DAY_MS) }),
      },
    }),
  },
  {
    fault: 'a replaced key and its tokens work for an hour',
    seed: 3,
    plant: ({ organizations }) => ({
      organizations: {
        replaceAccessKey: (change, entries) => {
          const keepOldUntil = change.keepOldUntil ?? new Date(change.at.getTime() + 3_600_000);
          return organizations.replaceAccessKey({ ...change, keepOldUntil }, entries);
        },
      },
    }),
  },
  {
    fault: 'an invitation of another organization is found by its id',
    seed: 5,
    plant: ({ invitations }) => {
      const all = new Map<string, Invitation>();
      return {
        invitations: {
          findOrCreatePending: async (fresh, entries) => {
            const made = await invitations.findOrCreatePending(fresh, entries);
            if (typeof made === 'object') all.set(made.userUuid, made);
            return made;
          },
          byUserUuid: async (key) => (await invitations.byUserUuid(key)) ?? all.get(key.uuid) ?? null,
        },
      };
    },
  },
  {
    fault: 'a person is invited twice',
    seed: 2,
    plant: ({ invitations }) => ({
      invitations: {
        findOrCreatePending: async (fresh, entries) => {
          const made = await invitations.findOrCreatePending(fresh, entries);
          if (typeof made === 'string' || made.id === fresh.id) return made;
          const { organizationId, createdAt: at } = fresh;
          await invitations.revoke({ organizationId, invitationId: made.id, at });
          return invitations.findOrCreatePending(fresh, entries);
        },
      },
    }),
  },
  {
    fault: 'a renewed invitation keeps the misspelled name',
    seed: 2,
    plant: ({ invitations }) => ({
      invitations: {
        renew: ({ fresh: { firstName: _, ...fresh }, ...change }, entries) =>
          invitations.renew({ ...change, fresh }, entries),
      },
    }),
  },
  {
    fault: 'accepting does not give the idp_id of the invitation',
    seed: 4,
    plant: ({ members }) => ({
      members: {
        register: async (member, journal) => {
          const made = await members.register(member, journal);
          if (typeof made === 'string' || member.invitationId === null) return made;
          const { organizationId } = member;
          const changed = await members.setIdpId({ organizationId, userId: made.user.id, idpId: null });
          return changed as Member;
        },
      },
    }),
  },
  {
    fault: 'the filter by role is ignored',
    seed: 2,
    plant: ({ members }) => ({
      members: {
        listByEmail: (query) => {
          const { role: _, ...rest } = query as typeof query & { readonly role?: unknown };
          return members.listByEmail(rest);
        },
      },
    }),
  },
  {
    fault: 'an idempotency key is forgotten',
    seed: 2,
    plant: ({ idempotencyKeys }) => ({
      idempotencyKeys: {
        begin: (call) => idempotencyKeys.begin({ ...call, key: call.run }),
        finish: async () => true,
      },
    }),
  },
  {
    fault: 'an event is sent with the new secret during an overlap',
    seed: 4,
    plant: ({ webhooks }) => ({
      webhooks: {
        of: async (organizationId) => {
          const webhook = await webhooks.of(organizationId);
          return webhook === null ? null : { ...webhook, previousSecret: null };
        },
      },
    }),
  },
  {
    fault: 'events are sent to a disabled webhook',
    seed: 4,
    plant: ({ webhooks }) => ({
      webhooks: {
        of: async (organizationId) => {
          const webhook = await webhooks.of(organizationId);
          return webhook === null ? null : { ...webhook, enabled: webhook.url !== null };
        },
      },
    }),
  },
  {
    fault: 'deliveries of every organization are listed',
    seed: 2,
    plant: ({ deliveries }) => ({
      deliveries: { list: (query) => deliveries.list({ ...query, organizationId: null }) },
    }),
  },
  {
    fault: 'a change of a meeting comes late',
    seed: 2,
    plant: ({ meetings }) => ({
      meetings: {
        changes: async (request) => {
          const page = await meetings.changes(request);
          if (page === null || page.hasMore) return page;
          return { ...page, changes: page.changes.slice(0, -1) };
        },
      },
    }),
  },
  {
    fault: 'a login link works twice',
    seed: 3,
    plant: ({ loginLinks }) => ({
      loginLinks: {
        find: async (hash) => {
          const link = await loginLinks.find(hash);
          return link === null ? null : { ...link, redeemedAt: null };
        },
        redeem: async (use, entries) => {
          await loginLinks.redeem(use, entries);
          return true;
        },
      },
    }),
  },
  {
    fault: 'a login link works after the member was removed',
    seed: 3,
    plant: ({ loginLinks, members, sessions }) => {
      const links = new Map<string, LoginLink>();
      const people = new Map<string, Member>();
      return {
        loginLinks: {
          find: async (hash) => {
            const link = (await loginLinks.find(hash)) ?? links.get(hash) ?? null;
            if (link !== null) links.set(hash, link);
            return link;
          },
          store: async ({ hash, ...link }, entries) => {
            links.set(hash, { ...link, redeemedAt: null });
            return loginLinks.store({ hash, ...link }, entries);
          },
          redeem: async (use, entries) =>
            (await loginLinks.redeem(use, entries)) || (await loginLinks.find(use.hash)) === null,
        },
        sessions: {
          create: async (session) =>
            (await sessions.create(session)) || sessions.create({ ...session, boundTo: null }),
        },
        members: {
          byUuid: async (key) => {
            const member = await members.byUuid(key);
            if (member !== null) people.set(`${key.organizationId} ${member.user.id}`, member);
            return member;
          },
          byUserId: async (key) => {
            const isOfLink = 'expiresAt' in key;
            const removed = isOfLink ? people.get(`${key.organizationId} ${key.userId}`) : undefined;
            return (await members.byUserId(key)) ?? removed ?? null;
          },
        },
      };
    },
  },
  {
    fault: 'the first user after a cursor is skipped',
    seed: 2,
    plant: ({ members }) => ({
      members: {
        listByEmail: async (query) => {
          if (query.after === null) return members.listByEmail(query);
          return (await members.listByEmail({ ...query, limit: query.limit + 1 })).slice(1);
        },
      },
    }),
  },
  {
    fault: 'the first event after a cursor is skipped',
    seed: 3,
    plant: ({ eventFeed }) => ({
      eventFeed: {
        read: async (query) => {
          const page = await eventFeed.read(query);
          return query.after === null || !('events' in page)
            ? page
            : { ...page, events: page.events.slice(1) };
        },
      },
    }),
  },
];
