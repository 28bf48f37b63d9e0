import type { NewEvent } from '@rollcall/core';
import { isSubscribed } from '@rollcall/core/adapters';
import type { State, StoredDelivery } from '#core/testing/memory/state.js';
import { addDelivery, recordEvent } from '#core/testing/memory/store-event.js';
import { countOutcome } from '#core/testing/memory/webhooks.js';
import { inPorts, type PlantedFault, type Tools } from './planted-fault.js';

function inState({ state }: Tools, wanted: StoredDelivery['state']): StoredDelivery[] {
  return [...state.deliveries.values()].filter((delivery) => delivery.state === wanted);
}

export const claimFaults: readonly PlantedFault[] = [
  inPorts('claims without a lock', 6, ({ outbox }, tools) => ({
    outbox: {
      async claim(request) {
        const pending = inState(tools, 'pending');
        await tools.step();
        for (const delivery of pending) delivery.state = 'pending';
        return outbox.claim(request);
      },
    },
  })),
  inPorts('claims what has been under way for five seconds', 21, ({ outbox }, tools) => ({
    outbox: {
      claim(request) {
        for (const delivery of inState(tools, 'sending'))
          if (request.at.getTime() - (delivery.claimedAt?.getTime() ?? 0) > 5_000) delivery.state = 'pending';
        return outbox.claim(request);
      },
    },
  })),
  inPorts('counts the deliveries of an organization for each instance alone', 5873, ({ outbox }) => ({
    outbox: { claim: (request) => outbox.claim({ ...request, perOrganization: 1_000 }) },
  })),
  inPorts('claims more than it returns', 24, ({ outbox }) => ({
    outbox: {
      async claim(request) {
        const claimed = await outbox.claim(request);
        return claimed.slice(0, 2);
      },
    },
  })),
  inPorts(
    'does not count claims, so that an event that ends a process does so for ever',
    164,
    ({ outbox }, tools) => ({
      outbox: {
        async claim(request) {
          const claimed = await outbox.claim(request);
          for (const { deliveryId } of claimed)
            Object.assign(tools.state.deliveries.get(deliveryId) ?? {}, { claims: 1 });
          return claimed;
        },
      },
    }),
  ),
  inPorts('claims what has failed once', 1, ({ outbox }, tools) => ({
    outbox: {
      claim(request) {
        for (const delivery of inState(tools, 'failed'))
          if (delivery.claims < 2 && delivery.attempts.length === 1) delivery.state = 'pending';
        return outbox.claim(request);
      },
    },
  })),
  inPorts('says of every claim that it is still held', 178, () => ({
    outbox: { renew: async () => true },
  })),
  inPorts('does not make a claim younger when it is renewed', 8121, ({ outbox }, { state }) => ({
    outbox: {
      async renew(request) {
        const claimedAt = state.deliveries.get(request.deliveryId)?.claimedAt ?? request.at;
        return outbox.renew({ ...request, at: claimedAt });
      },
    },
  })),
  { fault: 'times claims by the clocks of the instances', seed: 677, planted: { usesInstanceClocks: true } },
];

export const sweepFaults: readonly PlantedFault[] = [
  {
    fault: 'sweeps every claim, those of living instances too',
    seed: 38,
    planted: { dispatcher: { recoversOlderThanMs: null } },
  },
  {
    fault: 'sweeps claims after five seconds',
    seed: 38,
    planted: { dispatcher: { recoversOlderThanMs: 5_000 } },
  },
  {
    fault: 'sweeps as soon as the storage is back, before known outcomes are written',
    seed: 16571,
    planted: { dispatcher: { steadyAfterMs: 0 } },
  },
  inPorts('does not record the attempt that was cut off', 24, ({ outbox }, tools) => ({
    outbox: {
      async recoverStale(request) {
        const before = new Map(inState(tools, 'sending').map((delivery) => [delivery, delivery.attempts]));
        const recovered = await outbox.recoverStale(request);
        for (const [delivery, attempts] of before) delivery.attempts = attempts;
        return recovered;
      },
    },
  })),
  inPorts('never gives up', 164, ({ outbox }) => ({
    outbox: { recoverStale: (request) => outbox.recoverStale({ ...request, maxClaims: 1_000 }) },
  })),
  inPorts('gives up after one attempt that was cut off', 24, ({ outbox }) => ({
    outbox: { recoverStale: (request) => outbox.recoverStale({ ...request, maxClaims: 1 }) },
  })),
  inPorts(
    'sweeps what it has looked up before, although it was finished meanwhile',
    24,
    ({ outbox }, tools) => ({
      outbox: {
        async recoverStale(request) {
          const before = inState(tools, 'sending').map((delivery) => ({ ...delivery }));
          await tools.step();
          for (const old of before) {
            const age = request.at.getTime() - (old.claimedAt?.getTime() ?? 0);
            if (age > 1_000)
              Object.assign(tools.state.deliveries.get(old.id) ?? {}, { ...old, claimedAt: new Date(0) });
          }
          return outbox.recoverStale(request);
        },
      },
    }),
  ),
  inPorts('writes the body again when it sweeps', 24, ({ outbox }, tools) => ({
    outbox: {
      async recoverStale(request) {
        const before = inState(tools, 'sending');
        const recovered = await outbox.recoverStale(request);
        for (const delivery of before)
          if (delivery.state === 'pending')
            delivery.body = JSON.stringify({ ...JSON.parse(delivery.body), again: true });
        return recovered;
      },
    },
  })),
];

export const finishFaults: readonly PlantedFault[] = [
  inPorts('finishes for another claim', 3107, ({ outbox }, tools) => ({
    outbox: {
      finish(result) {
        const claim = tools.state.deliveries.get(result.deliveryId)?.claim ?? result.claim;
        return outbox.finish({ ...result, claim });
      },
    },
  })),
  inPorts('sends again by itself what failed', 1, ({ outbox }, tools) => ({
    outbox: {
      async finish(result) {
        const isHeld = await outbox.finish(result);
        const delivery = tools.state.deliveries.get(result.deliveryId);
        if (delivery?.state === 'failed' && delivery.attempts.length < 3) delivery.state = 'pending';
        return isHeld;
      },
    },
  })),
  inPorts('forgets the attempt of a failure', 1, ({ outbox }) => ({
    outbox: {
      finish: (result) => outbox.finish(result.state === 'failed' ? { ...result, attempt: null } : result),
    },
  })),
  inPorts('stores the state and, later, the attempt', 12, ({ outbox }, tools) => ({
    outbox: {
      async finish(result) {
        const isHeld = await outbox.finish({ ...result, attempt: null });
        void tools.step().then(() => {
          const delivery = tools.state.deliveries.get(result.deliveryId);
          if (isHeld && delivery !== undefined && result.attempt !== null)
            delivery.attempts = [...delivery.attempts, result.attempt];
        });
        return isHeld;
      },
    },
  })),
  inPorts('tells the caller that the outcome is stored before it is', 182, ({ outbox }, tools) => ({
    outbox: {
      async finish(result) {
        void tools.step().then(() => outbox.finish(result));
        return true;
      },
    },
  })),
];

export const countFaults: readonly PlantedFault[] = [
  inPorts('counts failures outside of the transaction, and loses some', 69, ({ outbox }, tools) => ({
    outbox: {
      async finish(result) {
        const { state, step } = tools;
        const organizationId = state.deliveries.get(result.deliveryId)?.organizationId ?? 0;
        const before = state.healths.get(organizationId);
        const isHeld = await outbox.finish(result);
        if (!isHeld) return false;
        const counted = state.healths.get(organizationId);
        if (before === undefined) state.healths.delete(organizationId);
        else state.healths.set(organizationId, before);
        void step().then(() => {
          if (counted !== undefined) state.healths.set(organizationId, counted);
        });
        return true;
      },
    },
  })),
  inPorts(
    'counts a finished delivery again for each time the outcome is written',
    397,
    ({ outbox }, tools) => ({
      outbox: {
        async finish(result) {
          const isHeld = await outbox.finish(result);
          const delivery = tools.state.deliveries.get(result.deliveryId);
          if (!isHeld && delivery !== undefined && result.state === 'failed')
            countOutcome(tools.state, delivery, result.at);
          return isHeld;
        },
      },
    }),
  ),
  inPorts('gives the same notice to two callers', 64, ({ webhooks }, tools) => ({
    webhooks: {
      async takeFailureNotice(request) {
        const before = tools.state.healths.get(request.organizationId);
        await tools.step();
        const after = tools.state.healths.get(request.organizationId);
        if (before !== undefined && after !== undefined)
          tools.state.healths.set(request.organizationId, { ...after, noticed: before.noticed });
        return webhooks.takeFailureNotice(request);
      },
    },
  })),
  inPorts('counts skipped deliveries as failures', 32, ({ outbox }, tools) => ({
    outbox: {
      async finish(result) {
        const isHeld = await outbox.finish(result);
        const delivery = tools.state.deliveries.get(result.deliveryId);
        if (isHeld && delivery?.state === 'skipped')
          countOutcome(tools.state, { ...delivery, state: 'failed' }, result.at);
        return isHeld;
      },
    },
  })),
  inPorts('lets everybody guess who asks at the same time', 5, ({ limits }, { step }) => {
    const counts = new Map<string, number>();
    return {
      limits: {
        async consume(limit, subject) {
          const name = `${limit.name}/${subject}`;
          const before = counts.get(name) ?? 0;
          await step();
          if (before >= limit.points) return 60;
          counts.set(name, before + 1);
          return limits.consume({ ...limit, points: 1_000 }, subject);
        },
        waitFor: async () => 0,
      },
    };
  }),
];

type Register = Parameters<NonNullable<PlantedFault['planted']['ports']>>[0]['members']['register'];

/** Registers without events in the transaction, and hands the events over. */
function eventless(register: Register, write: (event: NewEvent) => void | Promise<void>): Register {
  return async (entry, journal) => {
    let events: readonly NewEvent[] = [];
    const member = await register(entry, (registered) => {
      const entries = journal?.(registered) ?? [];
      events = entries.filter((one): one is NewEvent => 'body' in one);
      return entries.filter((one) => !('body' in one));
    });
    if (typeof member === 'object') for (const event of events) await write(event);
    return member;
  };
}

/** Whether the organization's webhook gets the event now. */
function isDelivered({ webhooks }: State, { organizationId, name }: NewEvent): boolean {
  return isSubscribed(webhooks.get(organizationId) ?? null, name);
}

export const eventFaults: readonly PlantedFault[] = [
  inPorts('records the event after the registration, not with it', 24, ({ members }, { state, step }) => ({
    members: {
      register: eventless(members.register, async (event) => {
        await step();
        recordEvent(state, event);
        if (isDelivered(state, event)) addDelivery(state, event);
      }),
    },
  })),
  inPorts('queues the event after the registration, not with it', 24, ({ members }, { state, step }) => ({
    members: {
      register: eventless(members.register, async (event) => {
        recordEvent(state, event);
        const isSent = isDelivered(state, event);
        await step();
        if (isSent) addDelivery(state, event);
      }),
    },
  })),
  inPorts('records the event of a registration that is then refused', 1, ({ members }, { state }) => ({
    members: {
      async register(entry, journal) {
        const member = await members.register(entry, journal);
        const organization = state.organizations.get(entry.organizationId);
        const known = [...state.users.values()].find(
          ({ email }) => 'email' in entry.user && email === entry.user.email,
        );
        if (typeof member === 'object' || organization === undefined || known === undefined) return member;
        const { organizationId, at } = entry;
        const role = entry.role ?? 'member';
        const told = { organizationId, user: known, uuid: known.uuid, role, idpId: null, joinedAt: at };
        for (const one of journal?.({ organization, member: told }) ?? [])
          if ('body' in one) recordEvent(state, one);
        return member;
      },
    },
  })),
  inPorts(
    'decides by an old configuration whether an event is sent',
    6,
    ({ members, webhooks }, { state, step }) => {
      const old = new Map<number, Awaited<ReturnType<typeof webhooks.of>>>();
      return {
        members: {
          async register(entry, journal) {
            const webhook = old.get(entry.organizationId) ?? (await webhooks.of(entry.organizationId));
            old.set(entry.organizationId, webhook);
            await step();
            const register = eventless(members.register, (event) => {
              recordEvent(state, event);
              if (isSubscribed(webhook, event.name)) addDelivery(state, event);
            });
            return register(entry, journal);
          },
        },
      };
    },
  ),
  inPorts('sends a test twice, because it is not claimed', 7, ({ outbox }, { state }) => ({
    outbox: {
      async startTest(test, journal) {
        const claimed = await outbox.startTest(test, journal);
        const delivery = state.deliveries.get(claimed?.deliveryId ?? 0);
        if (delivery !== undefined) delivery.state = 'pending';
        return claimed;
      },
    },
  })),
  inPorts('resends what is under way', 66, ({ deliveries }, { state }) => ({
    deliveries: {
      redeliver(key, journal) {
        const delivery = state.deliveries.get(key.deliveryId);
        if (delivery?.state === 'sending') delivery.state = 'failed';
        return deliveries.redeliver(key, journal);
      },
    },
  })),
  inPorts('resends everything instead of what failed', 7, ({ deliveries }) => ({
    deliveries: {
      redeliverMatching: (selection, journal) =>
        deliveries.redeliverMatching({ ...selection, states: ['failed', 'delivered'] }, journal),
    },
  })),
];

export const feedFaults: readonly PlantedFault[] = [
  inPorts(
    'numbers events when their transactions begin, not when they commit',
    24,
    ({ members, eventFeed }, { state, step }) => {
      let last = 0;
      const begun = new Map<string, number>();
      return {
        members: {
          async register(entry, journal) {
            last += 1;
            const number = last;
            if (number % 2 === 0) await step();
            return members.register(entry, (told) => {
              const entries = journal?.(told) ?? [];
              for (const one of entries) if ('body' in one) begun.set(one.id, number);
              return entries;
            });
          },
        },
        eventFeed: {
          async read(query) {
            const all = [...(state.events.get(query.organizationId) ?? [])]
              .map((event) => ({ ...event, position: begun.get(event.id) ?? 0 }))
              .sort((one, other) => one.position - other.position);
            if (query.order === 'desc') return eventFeed.read(query);
            const further = all.filter(({ position }) => position > (query.after?.position ?? 0));
            const events = further.slice(0, query.limit);
            const end = events.at(-1) ?? null;
            const next = { position: end?.position ?? query.after?.position ?? 0, eventId: end?.id ?? null };
            return { events, hasMore: further.length > events.length, next };
          },
        },
      };
    },
  ),
  inPorts('continues by the times of events', 24, ({ eventFeed }, { state }) => ({
    eventFeed: {
      async read(query) {
        if (query.order === 'desc') return eventFeed.read(query);
        const all = [...(state.events.get(query.organizationId) ?? [])].sort(
          (one, other) => one.createdAt.getTime() - other.createdAt.getTime(),
        );
        const further = all.filter(({ createdAt }) => createdAt.getTime() > (query.after?.position ?? 0));
        const events = further.slice(0, query.limit);
        const position = events.at(-1)?.createdAt.getTime() ?? query.after?.position ?? 0;
        return { events, hasMore: further.length > events.length, next: { position, eventId: null } };
      },
    },
  })),
  inPorts('continues at the end of the feed, not of the page', 27, ({ eventFeed }, { state }) => ({
    eventFeed: {
      async read(query) {
        const page = await eventFeed.read(query);
        const last = state.events.get(query.organizationId)?.at(-1);
        if ('oldest' in page || last === undefined || query.order === 'desc') return page;
        return { ...page, next: { position: last.position, eventId: last.id } };
      },
    },
  })),
  inPorts('begins the next page with the last event of this one', 22, ({ eventFeed }) => ({
    eventFeed: {
      async read(query) {
        const page = await eventFeed.read(query);
        const last = 'oldest' in page ? undefined : page.events.at(-1);
        if ('oldest' in page || last === undefined || last.position < 2) return page;
        return { ...page, next: { position: last.position - 1, eventId: null } };
      },
    },
  })),
  inPorts('reads from a copy that is two seconds behind', 3, ({ eventFeed }, { now }) => ({
    eventFeed: {
      async read(query) {
        const page = await eventFeed.read(query);
        if ('oldest' in page || query.order === 'desc') return page;
        const events = page.events.filter(({ createdAt }) => now().getTime() - createdAt.getTime() > 2_000);
        const last = events.at(-1);
        const next =
          last === undefined
            ? (query.after ?? { position: 0, eventId: null })
            : { position: last.position, eventId: last.id };
        return { events, hasMore: false, next };
      },
    },
  })),
];
