import type { Webhook, WebhookSettings } from '@rollcall/core';
import { writeJournal } from '#core/testing/memory/journal.js';
import { newSession } from '#core/testing/memory/new-session.js';
import type { State } from '#core/testing/memory/state.js';
import { actOnOld, afterSteps, inPorts, type PlantedFault, remembered } from './planted-fault.js';

export const redeemFaults: readonly PlantedFault[] = [
  inPorts('redeems a link that was unused when it was looked up', 21, ({ loginLinks }, tools) => ({
    loginLinks: {
      async redeem(request, journal) {
        await actOnOld(tools, tools.state.loginLinks, [request.hash]);
        return loginLinks.redeem(request, journal);
      },
    },
  })),
  inPorts('does not mark a link as used', 13, ({ loginLinks }, { state }) => ({
    loginLinks: {
      async redeem(request, journal) {
        const link = state.loginLinks.get(request.hash);
        const isRedeemed = await loginLinks.redeem(request, journal);
        if (link !== undefined) state.loginLinks.set(request.hash, link);
        return isRedeemed;
      },
    },
  })),
  inPorts('stores links that work for an hour', 28, ({ loginLinks }) => ({
    loginLinks: {
      store: (link, journal) =>
        loginLinks.store({ ...link, expiresAt: new Date(link.createdAt.getTime() + 3_600_000) }, journal),
    },
  })),
  inPorts('keeps the links of a removed member', 1, ({ members }, { state }) => ({
    members: {
      async remove(key, journal) {
        const links = new Map(state.loginLinks);
        const removed = await members.remove(key, journal);
        for (const [hash, link] of links) state.loginLinks.set(hash, link);
        return removed;
      },
    },
  })),
  inPorts('keeps the sessions of a removed member', 138, ({ members }, { state }) => ({
    members: {
      async remove(key, journal) {
        const sessions = new Map(state.sessions);
        const removed = await members.remove(key, journal);
        for (const [hash, session] of sessions) state.sessions.set(hash, session);
        return removed;
      },
    },
  })),
  inPorts('remembers members for some seconds', 55, ({ members }, tools) => ({
    members: { byUserId: remembered(tools, 5_000, members.byUserId) },
  })),
];

export const sessionFaults: readonly PlantedFault[] = [
  inPorts(
    'starts a bound session of somebody who has just been removed',
    2332,
    ({ sessions }, { state }) => ({
      sessions: {
        async create({ passwordHash, ...session }) {
          if (await sessions.create({ passwordHash, ...session })) return true;
          if (session.boundTo === null || !state.users.has(session.userId)) return false;
          state.sessions.set(session.hash, newSession(session));
          return true;
        },
      },
    }),
  ),
  inPorts('remembers sessions for some seconds', 31, ({ sessions }, tools) => ({
    sessions: { find: remembered(tools, 5_000, sessions.find) },
  })),
  inPorts('ends a session after it was acknowledged', 5, ({ sessions }, { step }) => ({
    sessions: {
      async end(hash) {
        afterSteps(step, 12, () => sessions.end(hash));
        return true;
      },
    },
  })),
  inPorts('keeps sessions when the password changes', 20, ({ users }, { state }) => ({
    users: {
      async replacePasswordHash(change) {
        const sessions = new Map(state.sessions);
        const isReplaced = await users.replacePasswordHash(change);
        for (const [hash, session] of sessions)
          if (!state.sessions.has(hash)) state.sessions.set(hash, session);
        return isReplaced;
      },
    },
  })),
  inPorts(
    'replaces a password without comparing it with the one that was checked',
    251,
    ({ users }, { state }) => ({
      users: {
        replacePasswordHash(change) {
          const user = state.users.get(change.session.userId);
          return users.replacePasswordHash({ ...change, from: user?.passwordHash ?? change.from });
        },
      },
    }),
  ),
];

export const invitationFaults: readonly PlantedFault[] = [
  inPorts('invites twice if asked twice at once', 12, ({ invitations }, { state, step }) => ({
    invitations: {
      async findOrCreatePending(fresh, journal) {
        const before = new Set(state.invitations.keys());
        await step();
        const since = [...state.invitations].filter(([id]) => !before.has(id));
        for (const [id] of since) state.invitations.delete(id);
        const invited = invitations.findOrCreatePending(fresh, journal);
        for (const [id, invitation] of since) state.invitations.set(id, invitation);
        return invited;
      },
    },
  })),
  inPorts('lets a person accept twice at once', 3, ({ members }, { state, step }) => ({
    members: {
      async register(entry, journal) {
        const users = new Map(state.users);
        const { memberships } = state;
        const invitation = state.invitations.get(entry.invitationId ?? '');
        await step();
        const now = { users: new Map(state.users), memberships: state.memberships };
        replaceUsers(state, users);
        state.memberships = memberships;
        if (invitation !== undefined) state.invitations.set(invitation.id, invitation);
        const member = members.register(entry, journal);
        const added = state.memberships.filter((one) => !memberships.includes(one));
        for (const [id, user] of now.users) if (!state.users.has(id)) state.users.set(id, user);
        state.memberships = [...now.memberships, ...added];
        return member;
      },
    },
  })),
  inPorts('accepts an invitation that was revoked meanwhile', 3, ({ members }, tools) => ({
    members: {
      async register(entry, journal) {
        const { invitations } = tools.state;
        if (entry.invitationId !== null) await actOnOld(tools, invitations, [entry.invitationId]);
        return members.register(entry, journal);
      },
    },
  })),
  inPorts('leaves the old URL of a renewed invitation alive', 18, ({ invitations }, { state }) => ({
    invitations: {
      async renew(request, journal) {
        const old = state.invitations.get(request.invitationId);
        const renewed = await invitations.renew(request, journal);
        if (typeof renewed === 'object' && old !== undefined) state.invitations.set(old.id, old);
        return renewed;
      },
    },
  })),
  inPorts('revokes an invitation although it has just been accepted', 294, ({ invitations }, tools) => ({
    invitations: {
      async revoke(request, journal) {
        await actOnOld(tools, tools.state.invitations, [request.invitationId]);
        return invitations.revoke(request, journal);
      },
    },
  })),
  inPorts('removes a member after it was acknowledged', 5, ({ members }, { state, step }) => ({
    members: {
      async remove(key, journal) {
        const { memberships } = state;
        const removed = await members.remove(key, journal);
        if (typeof removed !== 'object') return removed;
        const left = state.memberships;
        state.memberships = memberships;
        afterSteps(step, 12, () => {
          state.memberships = state.memberships.filter(
            (one) => left.includes(one) || !memberships.includes(one),
          );
        });
        return removed;
      },
    },
  })),
];

export const eraseFaults: readonly PlantedFault[] = [
  inPorts('stores a login link for somebody who has just been erased', 232, ({ loginLinks }, { state }) => ({
    loginLinks: {
      async store({ hash, ...fresh }, journal) {
        if (await loginLinks.store({ hash, ...fresh }, journal)) return true;
        const link = { ...fresh, redeemedAt: null };
        state.loginLinks.set(hash, link);
        writeJournal(state, journal?.(link));
        return true;
      },
    },
  })),
  inPorts('starts a session of somebody who has just been erased', 260, ({ sessions }, { state }) => ({
    sessions: {
      async create({ passwordHash, ...session }) {
        if (await sessions.create({ passwordHash, ...session })) return true;
        if (passwordHash !== null) return false;
        state.sessions.set(session.hash, newSession(session));
        return true;
      },
    },
  })),
  inPorts('sends what waited when the person was erased', 118, ({ personalData }, { state }) => ({
    personalData: {
      async erase(request, journal) {
        const waiting = [...state.deliveries.values()]
          .filter((delivery) => delivery.state === 'pending' || delivery.state === 'sending')
          .map((delivery) => ({ ...delivery }));
        const erased = await personalData.erase(request, journal);
        for (const delivery of waiting) state.deliveries.set(delivery.id, delivery);
        return erased;
      },
    },
  })),
];

export const keyFaults: readonly PlantedFault[] = [
  inPorts('ends a key at once that is to be kept', 1, ({ organizations }) => ({
    organizations: {
      replaceAccessKey: ({ keepOldUntil, ...change }, journal) =>
        organizations.replaceAccessKey(change, journal),
    },
  })),
  inPorts('keeps every replaced key for a day', 1, ({ organizations }) => ({
    organizations: {
      replaceAccessKey: (change, journal) =>
        organizations.replaceAccessKey(
          { ...change, keepOldUntil: new Date(change.at.getTime() + 86_400_000) },
          journal,
        ),
    },
  })),
  inPorts('remembers organizations for some seconds', 2, ({ organizations }, tools) => ({
    organizations: { byId: remembered(tools, 5_000, organizations.byId) },
  })),
  inPorts('remembers access keys for some seconds', 3, ({ organizations }, tools) => ({
    organizations: { byAccessKeyHash: remembered(tools, 5_000, organizations.byAccessKeyHash) },
  })),
  inPorts('loses one of two keys that are replaced at once', 143, ({ organizations }, tools) => ({
    organizations: {
      async replaceAccessKey(change, journal) {
        await actOnOld(tools, tools.state.organizations, [change.organizationId]);
        return organizations.replaceAccessKey(change, journal);
      },
    },
  })),
];

export const rotationFaults: readonly PlantedFault[] = [
  storingSettings('drops the old signing secret at once', 7, (_current, settings) => ({
    ...settings,
    previousSecret: null,
  })),
  storingSettings(
    'forgets a rotation that is under way when the webhook is configured',
    7,
    (current, settings) =>
      current?.encryptedSecret === settings.encryptedSecret
        ? { ...settings, previousSecret: null }
        : settings,
  ),
  storingSettings('keeps the old signing secret after the rotation is finished', 12, (current, settings) =>
    current?.encryptedSecret === settings.encryptedSecret
      ? { ...settings, previousSecret: current.previousSecret }
      : settings,
  ),
  inPorts('decides about a configuration that has changed meanwhile', 122, ({ webhooks }, tools) => ({
    webhooks: {
      async configure(organizationId, decide, journal) {
        await actOnOld(tools, tools.state.webhooks, [organizationId]);
        return webhooks.configure(organizationId, decide, journal);
      },
    },
  })),
  inPorts('remembers webhooks for some seconds', 7, ({ webhooks }, tools) => ({
    webhooks: { of: remembered(tools, 5_000, webhooks.of) },
  })),
  inPorts('keeps the answer of a call after its transaction, not in it', 5880, ({ webhooks }) => ({
    webhooks: {
      configure: (organizationId, decide, journal) =>
        webhooks.configure(organizationId, decide, (done) =>
          (journal?.(done) ?? []).filter((entry) => !('encryptedAnswer' in entry)),
        ),
    },
  })),
  {
    fault: 'signs the new body with the old bytes',
    seed: 1,
    planted: {
      secrets(secrets) {
        let last = '';
        return {
          sign({ body, secret }) {
            const signed = last === '' ? body : last;
            last = body;
            return secrets.sign({ body: signed, secret });
          },
        };
      },
    },
  },
];

/** Stores other settings of a webhook than the use-case has decided. */
function storingSettings(
  fault: string,
  seed: number,
  change: (current: Webhook | null, settings: WebhookSettings) => WebhookSettings,
): PlantedFault {
  return inPorts(fault, seed, ({ webhooks }) => ({
    webhooks: {
      configure: (organizationId, decide, journal) =>
        webhooks.configure(organizationId, (current) => change(current, decide(current)), journal),
    },
  }));
}

function replaceUsers(state: State, users: State['users']): void {
  state.users.clear();
  for (const [id, user] of users) state.users.set(id, user);
}
