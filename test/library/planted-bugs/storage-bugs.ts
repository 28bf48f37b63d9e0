import { setImmediate as turn } from 'node:timers/promises';
import {
  CallLost,
  type DirectoryEntry,
  type DirectoryKey,
  type LoginLink,
  type Meetings,
  type NewOwnersMail,
  type StoragePorts,
} from '@rollcall/core';
import { type Dataset, memoryStorage, type StartStorage, testUuid } from '@rollcall/core/testing';
import { suitesByPort } from '#core/testing/storage-suites.js';
import type { PlantedBug } from './planted-bug.js';

/** A port that is changed; `storage` has the right ports. */
function portBug<Port extends keyof StoragePorts>(
  port: Port,
  bug: string,
  change: (right: StoragePorts[Port], storage: StoragePorts) => Partial<StoragePorts[Port]>,
): PlantedBug {
  const start: StartStorage = async () => {
    const { load, ...storage } = memoryStorage();
    const changed = { ...storage[port], ...change(storage[port], storage) };
    return { storage: { ...storage, [port]: changed }, load, stop: async () => {} };
  };
  return { bug: `${port}: ${bug}`, suite: suitesByPort[port](start) };
}

/** Changes of meetings; `change` gets each page of the right port. */
function changesBug(
  bug: string,
  change: (
    right: Meetings['changes'],
    request: Parameters<Meetings['changes']>[0],
    storage: StoragePorts,
  ) => ReturnType<Meetings['changes']>,
): PlantedBug {
  return portBug('meetings', bug, ({ changes }, storage) => ({
    changes: (request) => change(changes, request, storage),
  }));
}

/** A storage that adds other mails to owners than the action tells it to. */
function ownersMailBug(bug: string, change: (right: NewOwnersMail) => NewOwnersMail): PlantedBug {
  const start: StartStorage = async () => {
    const { load, organizations, ...storage } = memoryStorage();
    const setTimeZone: typeof organizations.setTimeZone = (request, journal) =>
      organizations.setTimeZone(request, (done) =>
        (journal?.(done) ?? []).map((entry) => ('ownersOf' in entry ? change(entry) : entry)),
      );
    const changed = { ...organizations, setTimeZone };
    return { storage: { ...storage, organizations: changed }, load, stop: async () => {} };
  };
  return { bug: `mails: ${bug}`, suite: suitesByPort.mails(start) };
}

type Load = (dataset: Dataset) => Promise<void>;

/** A storage whose program stores meetings wrongly. */
function loadBug(bug: string, change: (right: Load) => Load): PlantedBug {
  const start: StartStorage = async () => {
    const { load, ...storage } = memoryStorage();
    return { storage, load: change(load), stop: async () => {} };
  };
  return { bug: `meetings: ${bug}`, suite: suitesByPort.meetings(start) };
}

const changes: readonly PlantedBug[] = [
  changesBug('deletions are not among the changes', async (right, request) => {
    const page = await right(request);
    return page && { ...page, changes: page.changes.filter(({ row }) => row !== null) };
  }),
  changesBug('the deletion of a meeting still has its row', async (right, request) => {
    const page = await right(request);
    return page && { ...page, changes: page.changes.map((one) => ({ ...one, row: one.row ?? '{}' })) };
  }),
  changesBug('the changes of one time are in any order', async (right, request) => {
    const page = await right(request);
    const reversed = page && [...page.changes].reverse();
    return (
      page && {
        ...page,
        changes: reversed?.sort((one, other) => Number(one.changedAt) - Number(other.changedAt)) ?? [],
      }
    );
  }),
  changesBug('the next page skips the changes of the same time', async (right, request) => {
    const page = await right(request);
    return page && { ...page, next: { ...page.next, meetingId: Number.MAX_SAFE_INTEGER } };
  }),
  changesBug('the next page begins with the last change', async (right, request) => {
    const { after } = request;
    if (after === null) return right(request);
    return right({ ...request, after: { ...after, meetingId: after.meetingId - 1 } });
  }),
  changesBug('a page that is exactly full says that there is more', async (right, request) => {
    const page = await right(request);
    return page && { ...page, hasMore: page.changes.length === request.limit };
  }),
  changesBug('a place after the newest change is accepted', async (right, request) => {
    const page = await right(request);
    return page ?? right({ ...request, after: null });
  }),
  changesBug('the place of a reader without changes stays where it is', async (right, request) => {
    const page = await right(request);
    return page?.changes.length === 0 && request.after !== null ? { ...page, next: request.after } : page;
  }),
  changesBug('the columns are in the documented order', async (right, { columns, ...request }) =>
    right({ ...request, columns: [...columns].sort((one, other) => one.key.localeCompare(other.key)) }),
  ),
  loadBug('a meeting that is stored again counts as changed', (load) => (dataset) => {
    const { meetings = [], changedMeetings = [], ...rest } = dataset;
    return load({ ...rest, meetings: [...meetings, ...changedMeetings] });
  }),
  loadBug('a removed tie is not noticed', (load) => {
    const ties = new Map<number, readonly number[]>();
    return ({ changedMeetings = [], ...rest }) =>
      load({
        ...rest,
        changedMeetings: changedMeetings.map((meeting) => {
          const eapOrganizationIds = [...(ties.get(meeting.id) ?? []), ...meeting.eapOrganizationIds];
          ties.set(meeting.id, eapOrganizationIds);
          return { ...meeting, eapOrganizationIds };
        }),
      });
  }),
];

const people: readonly PlantedBug[] = [
  portBug('organizations', 'the replaced access key still works', ({ replaceAccessKey, byAccessKeyHash }) => {
    const known = new Map<string, number>();
    return {
      async replaceAccessKey(change, journal) {
        known.set(change.hash, change.organizationId);
        return replaceAccessKey(change, journal);
      },
      async byAccessKeyHash(hashes) {
        const holder = await byAccessKeyHash(hashes);
        const organizationId = known.get(hashes[0] ?? '');
        const current = [...known].findLast(([, id]) => id === organizationId)?.[0] ?? '';
        return holder ?? byAccessKeyHash([current]);
      },
    };
  }),
  portBug(
    'organizations',
    'a lookup for several callers gives one the kept key of another',
    ({ byAccessKeyHash }) => {
      let asked: string[] = [];
      let waiting = 0;
      return {
        async byAccessKeyHash(hashes) {
          asked.push(...hashes);
          waiting += 1;
          await turn();
          const found = await Promise.all(asked.map((hash) => byAccessKeyHash([hash])));
          waiting -= 1;
          if (waiting === 0) asked = [];
          const kept = found.find((one) => one !== null && one.keyGeneration !== one.accessKeyGeneration);
          return (await byAccessKeyHash(hashes)) ?? kept ?? null;
        },
      };
    },
  ),
  portBug('sessions', 'a password alone starts a session beside a second factor', ({ create }) => ({
    create: (session) => create({ ...session, hasSecondFactor: true }),
  })),
  portBug('sessions', 'a second factor is looked up before a session is made', ({ create }, storage) => ({
    async create(session) {
      const has = async () => {
        const { passkeys, code } = await storage.secondFactors.of(session.userId);
        return passkeys.length > 0 || code !== null;
      };
      if (session.passwordHash !== null && (await has())) return create(session);
      await turn();
      return create({ ...session, hasSecondFactor: await has() });
    },
  })),
  portBug('sessions', 'sessions that end the others at once end each other', ({ find, end, ofUser }) => ({
    async endOthers(hash, journal) {
      const own = await find(hash);
      if (own === null) return false;
      const [createdAfter, seenAfter] = [new Date(0), new Date(0)];
      const all = await ofUser({ userId: own.user.id, createdAfter, seenAfter, limit: 99 });
      const others = all.filter((session) => session.hash !== hash);
      await turn();
      for (const session of others) await end(session.hash, (ended) => journal?.([ended]) ?? []);
      return true;
    },
  })),
  portBug('sessions', 'a session is bound to an organization that the user has left', ({ create, find }) => {
    const created = new Map<string, number>();
    return {
      async create(session) {
        const isBound = session.boundTo === 1 && session.userId === 1;
        const isCreated = await create(isBound ? { ...session, boundTo: null } : session);
        if (isBound && isCreated) created.set(session.hash, 1);
        return isCreated;
      },
      async find(hash) {
        const session = await find(hash);
        return session === null ? null : { ...session, boundTo: created.get(hash) ?? session.boundTo };
      },
    };
  }),
  portBug('sessions', 'the password is not compared again', ({ create }) => ({
    create: (session) => create({ ...session, passwordHash: null }),
  })),
  portBug('passwordResets', 'an expired link works', ({ redeem }) => ({
    redeem: (use) => redeem({ ...use, at: new Date(0) }),
  })),
  portBug('passwordResets', 'a link is checked first and redeemed later', ({ find, redeem }) => ({
    async redeem(use) {
      const reset = await find(use.hash);
      if (reset === null || reset.expiresAt <= use.at) return false;
      await turn();
      await redeem(use);
      return true;
    },
  })),
  portBug('passwordResets', 'the mails are forgotten', ({ redeem }) => ({
    redeem: (use) => redeem({ ...use, mails: [] }),
  })),
  portBug('mails', 'a claimed mail stays due', ({ claim }) => ({
    claim: (request) => claim({ ...request, until: request.at }),
  })),
  portBug('mails', 'a claimed mail is lost with its process', ({ claim, finish }) => ({
    async claim(request) {
      const claimed = await claim(request);
      for (const mail of claimed) await finish(mail);
      return claimed;
    },
  })),
  portBug('mails', 'a mail can be finished by any claim', ({ claim, finish }) => {
    const claims = new Map<number, string>();
    return {
      async claim(request) {
        const claimed = await claim(request);
        for (const mail of claimed) claims.set(mail.id, mail.claim);
        return claimed;
      },
      finish: ({ id }) => finish({ id, claim: claims.get(id) ?? '' }),
    };
  }),
  ownersMailBug('a mail to owners is added beside those that wait', ({ replaces: _, ...mail }) => mail),
  ownersMailBug('a mail to owners replaces every mail that waits', ({ replaces = [], ...mail }) => ({
    ...mail,
    replaces: replaces.length === 0 ? [] : [...replaces, 'access-key-replaced'],
  })),
  portBug('mails', 'a postponed mail is due when its claim ends', () => ({
    postpone: async () => true,
  })),
  portBug('loginLinks', 'an expired link works', ({ redeem }) => ({
    redeem: (use, journal) => redeem({ ...use, at: new Date(0) }, journal),
  })),
  portBug('loginLinks', 'a link for a former member is stored', ({ find, store }) => {
    const stored = new Map<string, LoginLink>();
    return {
      async store({ hash, ...link }, journal) {
        if (link.userId > 2 || link.organizationId > 2) return false;
        await store({ hash, ...link }, journal);
        stored.set(hash, { ...link, redeemedAt: null });
        return true;
      },
      find: async (hash) => (await find(hash)) ?? stored.get(hash) ?? null,
    };
  }),
  portBug('loginLinks', 'a link is checked first and redeemed later', ({ find, redeem }) => ({
    async redeem(use, journal) {
      const link = await find(use.hash);
      if (link === null || link.redeemedAt !== null || link.expiresAt <= use.at) return false;
      await turn();
      await redeem(use, journal);
      return true;
    },
  })),
  portBug('members', 'another organization’s members are found', ({ byUserId }) => ({
    byUserId: async (key) => (await byUserId(key)) ?? byUserId({ ...key, organizationId: 2 }),
  })),
  portBug('members', 'the total is the number of rows on the page', ({ list }) => ({
    async list(query) {
      const { members, counts } = await list(query);
      return { total: members.length, counts, members };
    },
  })),
  portBug('members', 'roles are counted without the words', ({ list }) => ({
    async list({ words, ...query }) {
      const { counts } = await list(query);
      return { ...(await list({ ...query, words })), counts };
    },
  })),
  portBug('members', 'a list has members with every role', ({ list }) => ({
    list: ({ role, ...query }) => list(query),
  })),
  portBug('members', 'a list of members has one order', ({ list }) => ({
    list: ({ order, ...query }) => list(query),
  })),
  portBug('members', 'words are compared with upper and lower case', ({ list }) => ({
    async list(query) {
      const { words = [], ...rest } = query;
      const { members, counts } = await list({ ...rest, offset: 0, limit: 10_000 });
      const found = members.filter(({ user }) =>
        words.every((word) => `${user.firstName} ${user.lastName} ${user.email}`.includes(word)),
      );
      return { total: found.length, counts, members: found.slice(query.offset, query.offset + query.limit) };
    },
  })),
  portBug('members', 'accents count in a search', ({ list }) => ({
    async list({ words = [], ...rest }) {
      const { members, counts } = await list({ ...rest, offset: 0, limit: 10_000 });
      const found = members.filter(({ user, idpId }) => {
        const text = `${user.firstName} ${user.lastName} ${user.email} ${idpId}`.toLowerCase();
        return words.every((word) => text.includes(word.toLowerCase()));
      });
      return { total: found.length, counts, members: found.slice(rest.offset, rest.offset + rest.limit) };
    },
  })),
  portBug(
    'members',
    'the last member of one part of a list is also the first of the next',
    ({ listByEmail }) => ({
      listByEmail: ({ after, ...query }) =>
        listByEmail({ ...query, after: after === null ? null : after.slice(0, -1) }),
    }),
  ),
  portBug('members', 'two members get one idpId', ({ setIdpId, byUserId }) => ({
    async setIdpId(change, journal) {
      const changed = await setIdpId(change, journal);
      if (changed !== 'idp-id-of-member') return changed;
      const member = await byUserId(change);
      return member === null ? 'not-a-member' : { ...member, idpId: change.idpId };
    },
  })),
  portBug('members', 'setIdpId ignores `replaces`', ({ setIdpId }) => ({
    setIdpId: ({ replaces, ...change }, journal) => setIdpId(change, journal),
  })),
  portBug('members', 'a member gets the idpId of a pending invitation', ({ setIdpId, byUserId }) => ({
    async setIdpId(change, journal) {
      const changed = await setIdpId(change, journal);
      if (changed !== 'idp-id-of-invitation') return changed;
      const member = await byUserId(change);
      return member === null ? 'not-a-member' : { ...member, idpId: change.idpId };
    },
  })),
  portBug('organizations', 'setTimeZone ignores `replaces`', ({ setTimeZone }) => ({
    setTimeZone: ({ replaces, ...change }, journal) => setTimeZone(change, journal),
  })),
  portBug('organizations', 'rename ignores `replaces`', ({ rename }) => ({
    rename: ({ replaces, ...change }, journal) => rename(change, journal),
  })),
  portBug('organizations', 'rename tells the new name as the earlier one', ({ rename }) => ({
    rename: (change, journal) =>
      rename(change, journal && ((done) => journal({ ...done, before: done.organization }))),
  })),
  portBug('organizations', 'a key of any generation is named', ({ nameAccessKey, byId }) => ({
    async nameAccessKey(change, journal) {
      const generation = (await byId(change.organizationId))?.accessKeyGeneration ?? 0;
      return nameAccessKey({ ...change, generation }, journal);
    },
  })),
  portBug('organizations', 'a new key has no last digits', ({ replaceAccessKey }) => ({
    replaceAccessKey: ({ lastDigits, ...change }, journal) => replaceAccessKey(change, journal),
  })),
  portBug('apiCalls', 'fewer calls stay', ({ latest }) => ({
    latest: async (organizationId) => (await latest(organizationId)).slice(0, 199),
  })),
  portBug('apiCalls', 'calls are listed in the order in which they were added', ({ latest }) => ({
    latest: async (organizationId) => (await latest(organizationId)).toReversed(),
  })),
  portBug('apiCalls', 'calls of all organizations are listed', ({ latest }) => ({
    latest: async (organizationId) => [...(await latest(organizationId)), ...(await latest(2))],
  })),
  portBug('members', 'changeRole ignores `replaces`', ({ changeRole }) => ({
    changeRole: ({ replaces, ...change }, journal) => changeRole(change, journal),
  })),
  portBug('members', 'keepsOwners is ignored', ({ remove }) => ({
    remove: ({ keepsOwners, ...change }, journal) => remove(change, journal),
  })),
  portBug(
    'members',
    'a person who joins gets another UUID than that of their invitation',
    ({ register }) => ({
      register(member, journal) {
        const { user, invitationId } = member;
        if (invitationId !== null) return register(member, journal);
        const uuid = member.uuid ?? ('uuid' in user ? user.uuid : testUuid(user.id));
        return register({ ...member, uuid }, journal);
      },
    }),
  ),
  portBug('members', 'a member is kept although the event cannot be built', ({ register }) => ({
    register: (member, journal) =>
      register(member, (registered) => {
        try {
          return journal?.(registered) ?? [];
        } catch {
          return [];
        }
      }),
  })),
  portBug('invitations', 'each caller gets its own invitation', ({ findOrCreatePending }) => ({
    async findOrCreatePending(fresh, journal) {
      const stored = await findOrCreatePending(fresh, journal);
      return typeof stored === 'object' ? { ...stored, id: fresh.id, userUuid: fresh.userUuid } : stored;
    },
  })),
  portBug('invitations', 'a list is oldest first', ({ list }) => ({
    async list(query) {
      const { invitations, ...found } = await list(query);
      return { ...found, invitations: [...invitations].reverse() };
    },
  })),
  portBug('invitations', 'states are counted without the words', ({ list }) => ({
    async list({ words, ...query }) {
      const { counts } = await list(query);
      return { ...(await list({ ...query, words })), counts };
    },
  })),
  portBug('invitations', 'every invitation of an address is found', ({ find }) => ({
    find: ({ isNewest, ...query }) => find(query),
  })),
  portBug('invitations', 'an invitation never expires', () => ({
    revokeExpired: async () => undefined,
  })),
  portBug('invitations', 'all pending invitations that can expire have expired', ({ revokeExpired }) => ({
    revokeExpired: ({ organizationId }) =>
      revokeExpired({ organizationId, at: new Date('2099-01-01T00:00:00.000Z') }),
  })),
  portBug('invitations', 'a list has what is stored, though it has expired', ({ list }) => ({
    list: ({ at, ...query }) => list(query),
  })),
  portBug('invitations', 'what has expired is found as it is stored', ({ find }) => ({
    find: ({ at, ...query }) => find(query),
  })),
  portBug('invitations', 'a renewed invitation does not expire', ({ renew }) => ({
    renew: ({ fresh, ...change }, journal) =>
      renew({ ...change, fresh: { expiresAt: null, ...fresh } }, journal),
  })),
  portBug('invitations', 'an inviter who owns another organization is an owner', ({ inviter }) => ({
    inviter: ({ invitedBy }) => inviter({ organizationId: 2, invitedBy }),
  })),
  portBug('members', 'an invitation gives no role', ({ register }) => ({
    register: (member, journal) => register({ ...member, role: member.role ?? 'member' }, journal),
  })),
  portBug('sessions', 'an organization ends the sessions of other ones', ({ endAll }) => ({
    endAll: ({ onlyOf, ...whose }, journal) => endAll(whose, journal),
  })),
  portBug('sessions', 'the last sign-in may be a link', ({ create, lastSignIn }) => {
    const links = new Map<number, Date>();
    return {
      async create(session) {
        const created = await create(session);
        if (created) links.set(session.userId, session.createdAt);
        return created;
      },
      lastSignIn: async (userId) => links.get(userId) ?? lastSignIn(userId),
    };
  }),
  portBug('invitations', 'a list of invitations has one order', ({ list }) => ({
    list: ({ order, ...query }) => list(query),
  })),
  portBug('invitations', 'a list of invitations ignores the words', ({ list }) => ({
    list: ({ words, ...query }) => list(query),
  })),
  portBug('invitations', 'the idpId is not kept', ({ findOrCreatePending }) => ({
    findOrCreatePending: (fresh, journal) => findOrCreatePending({ ...fresh, idpId: null }, journal),
  })),
  portBug('invitations', 'two pending invitations have one idpId', ({ findOrCreatePending }) => ({
    async findOrCreatePending(fresh, journal) {
      const stored = await findOrCreatePending(fresh, journal);
      if (stored !== 'idp-id-of-invitation') return stored;
      const other = await findOrCreatePending({ ...fresh, idpId: null }, journal);
      return typeof other === 'object' ? { ...other, idpId: fresh.idpId } : other;
    },
  })),
  portBug('invitations', 'the idpId of a member is accepted', ({ findOrCreatePending }) => ({
    async findOrCreatePending(fresh, journal) {
      const stored = await findOrCreatePending(fresh, journal);
      return stored === 'idp-id-of-member' ? findOrCreatePending({ ...fresh, idpId: null }, journal) : stored;
    },
  })),
  portBug('invitations', 'renewing corrects nothing', ({ renew }) => ({
    renew({ fresh: { id, keyId, createdAt, invitedBy }, ...change }, journal) {
      return renew({ ...change, fresh: { id, keyId, createdAt, invitedBy } }, journal);
    },
  })),
  portBug('invitations', 'renew ignores `replaces`', ({ renew }) => ({
    renew: ({ replaces, ...change }, journal) => renew(change, journal),
  })),
  portBug('invitations', 'a revoked invitation is not renewed', ({ renew, byId }) => ({
    async renew(change, journal) {
      const stored = await byId(change.invitationId);
      return stored?.revokedAt ? 'replaced' : renew(change, journal);
    },
  })),
  portBug('invitations', 'a part of the list begins with the last one of the part before', ({ find }) => ({
    async find({ after, limit, ...query }) {
      const all = await find({ ...query, limit: 1000 });
      const first = after === undefined ? 0 : all.findIndex(({ id }) => id === after.id);
      return all.slice(Math.max(0, first), Math.max(0, first) + limit);
    },
  })),
  portBug('invitations', 'invitations without the words are found', ({ find }) => ({
    find: ({ words, ...query }) => find(query),
  })),
  portBug('invitations', 'invitations of all addresses are found', ({ find }) => ({
    find: ({ email, ...query }) => find(query),
  })),
  portBug('invitations', 'invitations with any idpId are found', ({ find }) => ({
    find: ({ idpId, ...query }) => find(query),
  })),
  portBug('auditTrail', 'entries of the same time are in the order of recording', ({ list }) => ({
    async list(query) {
      const { total, entries } = await list(query);
      return { total, entries: [...entries].sort((a, b) => b.at.getTime() - a.at.getTime() || a.id - b.id) };
    },
  })),
  ...(['who', 'actions', 'since', 'until', 'words'] as const).map((filter) =>
    portBug('auditTrail', `the filter ${filter} is ignored`, ({ list }) => ({
      list: ({ [filter]: _, ...query }) => list(query),
    })),
  ),
  portBug('auditTrail', 'listAfter begins with the entry itself', ({ listAfter }) => ({
    listAfter: ({ after, ...query }) =>
      listAfter({ ...query, after: after && { ...after, id: after.id + 1 } }),
  })),
  portBug('auditTrail', 'an entry concerns someone who is no member', ({ list }, { users }) => ({
    async list(query) {
      const { total, entries } = await list(query);
      const about = await users.byEmail('user-3@example.test');
      return { total, entries: entries.map((entry) => ({ ...entry, about: entry.about ?? about })) };
    },
  })),
  portBug('auditTrail', 'an entry with another action counts as the one that is asked for', ({ list }) => ({
    lastOf: async ({ organizationId }) =>
      (await list({ organizationId, offset: 0, limit: 1 })).entries[0] ?? null,
  })),
  portBug('auditTrail', 'what everyone did is returned as what one user did', ({ lastOf }) => ({
    lastOf: ({ userId, ...query }) => lastOf(query),
  })),
  portBug('auditTrail', 'an entry of another organization counts too', ({ lastOf }) => ({
    lastOf: async ({ actions }) =>
      (await lastOf({ organizationId: 1, actions })) ?? lastOf({ organizationId: 2, actions }),
  })),
  portBug('auditTrail', 'the first of the actions that was recorded counts as the last', ({ list }) => ({
    async lastOf({ organizationId, actions }) {
      const { entries } = await list({ organizationId, offset: 0, limit: 100 });
      return entries.findLast(({ action }) => actions.includes(action)) ?? null;
    },
  })),
  portBug('idempotencyKeys', 'a run that was taken over can finish', ({ begin, finish }) => {
    let owner = '';
    return {
      async begin(call) {
        const begun = await begin(call);
        if (begun === 'fresh') owner = call.run;
        return begun;
      },
      finish: (call) => finish({ ...call, run: owner }),
    };
  }),
  portBug('webhooks', 'the answer of a call is not kept in the transaction', ({ configure }) => ({
    configure: (organizationId, decide) => configure(organizationId, decide),
  })),
  portBug('deliveries', 'a redelivery is done although its call was taken over', ({ redeliver }) => ({
    async redeliver(key, journal) {
      try {
        return await redeliver(key, journal);
      } catch (error) {
        if (error instanceof CallLost) return redeliver(key);
        throw error;
      }
    },
  })),
  portBug(
    'deliveries',
    'the answer of a call is not kept if the delivery is pending already',
    ({ redeliver }) => ({
      redeliver: (key, journal) => redeliver(key, (done) => (done.isChanged ? (journal?.(done) ?? []) : [])),
    }),
  ),
  portBug('idempotencyKeys', 'another request gets the answer', ({ begin }) => ({
    begin: (call) => begin({ ...call, fingerprint: 'one' }),
  })),
  portBug('idempotencyKeys', 'an organization can use the key of another one', ({ begin, finish }) => ({
    begin: (call) => begin({ ...call, organizationId: Math.min(call.organizationId, 1) }),
    finish,
  })),
  portBug('idempotencyKeys', 'of several callers at once, each gets the call', ({ begin }) => {
    const begun = new Map<string, ReturnType<typeof begin>>();
    return {
      async begin(call) {
        const name = `${call.key} ${call.at.getTime()} ${call.fingerprint}`;
        begun.set(name, begun.get(name) ?? begin(call));
        return begun.get(name) ?? 'fresh';
      },
    };
  }),
  portBug('personalData', 'a person is found by the address only', ({ read }) => ({
    read: async (person) => ('email' in person ? read(person) : null),
  })),
  portBug('personalData', 'a record of nothing is empty', ({ read }) => ({
    read: async (person) => (await read(person)) ?? read({ email: 'user-2@example.test' }),
  })),
  portBug('personalData', 'sessions are left out of the record', ({ read }) => ({
    async read(person) {
      const record = await read(person);
      return record && { ...record, sessions: [] };
    },
  })),
  portBug('personalData', 'an organization can erase the people of others', ({ erase }) => ({
    erase: ({ onlyOf, ...request }, journal) => erase(request, journal),
  })),
  portBug('personalData', 'the last owner is erased', ({ erase }) => ({
    erase: (request, journal) => erase({ ...request, mayLeaveNoOwner: true }, journal),
  })),
  portBug('personalData', 'the audit entry is left out', ({ erase }) => ({
    erase: (request) => erase(request),
  })),
  portBug('personalData', 'only the membership ends', ({ erase, read }, { members }) => ({
    async erase(request, journal) {
      const record = await read(request.person);
      const userId = record?.account?.id;
      if (record === null || userId === undefined) return erase(request, journal);
      for (const { organizationId } of record.memberships)
        await members.remove({ organizationId, userId, at: request.at });
      return { organizationIds: record.organizations.map(({ id }) => id), withoutOwner: [] };
    },
  })),
  portBug('personalData', 'seats in the past are counted for the present', ({ erase }) => ({
    erase: (request, journal) => erase({ ...request, at: new Date(8.64e15) }, journal),
  })),
  portBug('calendarFeeds', 'a replaced feed can still be read', ({ create, find }) => {
    const known = new Map<string, Awaited<ReturnType<typeof find>>>();
    return {
      async create(feed) {
        const { hash, ...rest } = feed;
        known.set(hash, rest);
        return create(feed);
      },
      find: async (hash) => (await find(hash)) ?? known.get(hash) ?? null,
    };
  }),
];

const signOn: readonly PlantedBug[] = [
  portBug('signOns', 'the settings are read first and changed later', ({ of, save }) => ({
    async save(organizationId, decide, journal) {
      const current = await of(organizationId);
      await turn();
      return save(organizationId, () => decide(current), journal);
    },
  })),
  portBug('signOns', 'the journal is written after the change', ({ save }) => ({
    async save(organizationId, decide, journal) {
      const saved = await save(organizationId, decide);
      if (saved !== null) await save(organizationId, () => saved, journal);
      return saved;
    },
  })),
  portBug('signOns', 'identities move to the new issuer', ({ save }, { identities }) => ({
    async save(organizationId, decide, journal) {
      const linked = [1, 2].map((userId) => identities.of({ organizationId, userId }));
      const before = (await Promise.all(linked)).filter((identity) => identity !== null);
      const saved = await save(organizationId, decide, journal);
      for (const { usedAt, ...identity } of before)
        if (saved !== null) await identities.link({ ...identity, issuer: saved.issuer });
      return saved;
    },
  })),
  portBug('signOns', 'sign-on is required although it is off', ({ of, opens }) => ({
    async opens(member) {
      const required = (await of(member.organizationId))?.isRequired;
      return required ? 'sign-on' : opens(member);
    },
  })),
  portBug('signOns', 'turned off, sign-on is not needed any more', ({ of, opens }) => ({
    opens: async (member) => ((await of(member.organizationId))?.isOn ? opens(member) : 'any'),
  })),
  portBug('identities', 'a second identity replaces the first', ({ link, unlink }) => ({
    async link(identity, journal) {
      const linked = await link(identity, journal);
      if (linked !== 'member-linked') return linked;
      await unlink(identity);
      return link(identity, journal);
    },
  })),
  portBug('identities', 'whether someone is linked is looked up first', ({ link, unlink, of }) => ({
    async link(identity, journal) {
      const isFree = (await of(identity)) === null;
      await turn();
      if (isFree) await unlink(identity);
      return link(identity, journal);
    },
  })),
  portBug('identities', 'the same person links again and again', ({ link, unlink }) => ({
    async link(identity, journal) {
      const linked = await link(identity);
      if (typeof linked === 'string') return linked;
      await unlink(identity);
      return link(identity, journal);
    },
  })),
  portBug('identities', 'subjects are compared without their case', ({ bySubject }) => ({
    bySubject: (key) => bySubject({ ...key, subject: key.subject.toLowerCase() }),
  })),
  portBug('identities', 'the issuer is not compared', ({ bySubject }, { signOns }) => ({
    async bySubject(key) {
      const issuer = (await signOns.of(key.organizationId))?.issuer;
      return bySubject({ ...key, issuer: issuer ?? key.issuer });
    },
  })),
  portBug('identities', 'an identity of another organization is found', ({ bySubject }) => ({
    async bySubject(key) {
      return (await bySubject(key)) ?? bySubject({ ...key, organizationId: 3 - key.organizationId });
    },
  })),
  portBug('identities', 'people are linked while sign-on is off', ({ link }, { signOns }) => ({
    async link(identity, journal) {
      const current = await signOns.of(identity.organizationId);
      if (current !== null) await signOns.save(identity.organizationId, () => ({ ...current, isOn: true }));
      return link(identity, journal);
    },
  })),
  portBug('identities', 'a sign-on restores an ended identity', ({ link, touch }) => {
    const known = new Map<string, Parameters<typeof link>[0]>();
    return {
      link(identity, journal) {
        known.set(identity.subject, identity);
        return link(identity, journal);
      },
      async touch(use) {
        const identity = known.get(use.subject);
        if (identity !== undefined) await link(identity);
        return touch(use);
      },
    };
  }),
  portBug('sessions', 'sign-on starts sessions while it is off', ({ create }) => ({
    create: ({ startedBy, ...session }) => create(session),
  })),
  portBug('sessions', 'a sign-out at the provider reaches another organization', ({ endSignedOn }) => ({
    async endSignedOn(which) {
      for (const organizationId of [1, 2]) await endSignedOn({ ...which, organizationId });
    },
  })),
  portBug('sessions', 'a sign-out at the provider ends every session of the user', ({ endSignedOn }) => ({
    endSignedOn: (which) => endSignedOn(which.userId === null ? which : { ...which, sid: null }),
  })),
];

const setupLinks: readonly PlantedBug[] = [
  portBug('setupLinks', 'the link before goes on working', ({ store, byHash, open }) => {
    const all = new Map<string, Parameters<typeof store>[0]>();
    return {
      async store(link, journal) {
        all.set(link.hash, link);
        return store(link, journal);
      },
      async byHash(hash) {
        const known = all.get(hash);
        return (await byHash(hash)) ?? (known === undefined ? null : { ...known, openedAt: null });
      },
      open,
    };
  }),
  portBug('setupLinks', 'it can be opened once', ({ open, byHash }) => ({
    open: async (use, journal) => (await byHash(use.hash))?.openedAt === null && open(use, journal),
  })),
];

const inOther = <Key extends { readonly organizationId: number }>(key: Key): Key => ({
  ...key,
  organizationId: 3 - key.organizationId,
});

const directory: readonly PlantedBug[] = [
  portBug('directory', 'a person of another organization is found', ({ byUuid, byUserName }) => ({
    byUuid: async (key) => (await byUuid(key)) ?? byUuid(inOther(key)),
    byUserName: async (key) => (await byUserName(key)) ?? byUserName(inOther(key)),
  })),
  portBug('directory', 'externalIds are compared without their case', ({ byExternalId }) => ({
    byExternalId: (key) => byExternalId({ ...key, externalId: key.externalId.toLowerCase() }),
  })),
  portBug('directory', 'removed people are listed', ({ list, remove }) => {
    let removed = 0;
    return {
      async remove(key, journal) {
        const person = await remove(key, journal);
        if (typeof person === 'object') removed += 1;
        return person;
      },
      async list(rows) {
        const listed = await list(rows);
        return { ...listed, total: listed.total + removed };
      },
    };
  }),
  portBug('directory', 'a password opens what it has made', ({ create }, { members }) => ({
    async create(fresh, journal) {
      const person = await create(fresh, journal);
      if (typeof person === 'string' || person.member === null) return person;
      const { user, uuid, idpId, role } = person.member;
      const key = { organizationId: fresh.organizationId, userId: user.id };
      if (role !== 'member' || uuid !== fresh.ids.uuid) return person;
      await members.remove({ ...key, at: fresh.at });
      const again = { organizationId: fresh.organizationId, user: { id: user.id }, uuid, role, idpId };
      await members.register({ ...again, invitationId: null, at: fresh.at });
      return person;
    },
  })),
  portBug('directory', 'what others have is looked up first', ({ create, byUserName }) => ({
    async create(fresh, journal) {
      const { organizationId, entry } = fresh;
      const known = await byUserName({ organizationId, userName: entry.userName });
      await turn();
      const { uuid } = fresh.ids;
      const userName = known === null ? `${entry.userName} ${uuid}` : entry.userName;
      return create({ ...fresh, entry: { ...entry, userName } }, journal);
    },
  })),
  portBug('directory', 'a person is read first and changed later', ({ byUuid, change }) => ({
    async change(key, decide, journal) {
      const current = await byUuid(key);
      await turn();
      return change(key, (now) => decide(current ?? now), journal);
    },
  })),
  portBug('directory', 'who was deactivated comes back as a member', ({ byUuid, change }, { members }) => ({
    async change(key, decide, journal) {
      const before = await byUuid(key);
      const changed = await change(key, decide, journal);
      if (typeof changed === 'string' || changed.member === null) return changed;
      const { organizationId, user, role } = changed.member;
      if (before?.isActive === false && role === 'admin')
        await members.changeRole({ organizationId, userId: user.id, role: 'member' });
      return changed;
    },
  })),
  portBug('directory', 'the last owner keeps the sessions', ({ change }, { sessions }) => ({
    async change(key, decide, journal) {
      const before = await sessions.find('account 1');
      const changed = await change(key, decide, journal);
      if (changed === 'last-owner' && before !== null)
        await sessions.create({ ...before, hash: 'account 1', userId: 1, boundTo: null, passwordHash: null });
      return changed;
    },
  })),
  portBug('directory', 'an admin whom it has never written is deactivated', ({ change }) => ({
    async change(key, decide, journal) {
      const changed = await change(key, decide, journal);
      if (changed !== 'not-written') return changed;
      await change(key, (current) => ({ ...decide(current), entry: { ...current, isActive: true } }));
      return change(key, decide, journal);
    },
  })),
  portBug('directory', 'a change that changes nothing is recorded', ({ change }, { organizations }) => ({
    async change(key, decide, journal) {
      let isRecorded = false;
      const person = await change(key, decide, (facts) => {
        isRecorded = true;
        return journal?.(facts) ?? [];
      });
      const organization = await organizations.byId(key.organizationId);
      const nothing = { registered: null, ended: null, invited: null, revoked: null, account: null };
      if (!isRecorded && typeof person === 'object' && organization !== null)
        journal?.({ organization, before: person, person, ...nothing, signedOut: null });
      return person;
    },
  })),
  portBug('directory', 'people who came back are listed as inactive', ({ change, listInactive }) => {
    const left = new Map<string, DirectoryEntry & DirectoryKey>();
    return {
      async change(key, decide, journal) {
        const changed = await change(key, decide, journal);
        for (const one of await listInactive({ organizationId: key.organizationId, limit: 9 }))
          left.set(one.uuid, one);
        return changed;
      },
      listInactive: async ({ organizationId, limit }) =>
        [...left.values()].filter((one) => one.organizationId === organizationId).slice(0, limit),
    };
  }),
  portBug('directory', 'all requests are kept', ({ record, requests }) => {
    const all: Parameters<typeof record>[0][] = [];
    return {
      async record(request) {
        all.unshift(request);
        await record(request);
      },
      requests: async ({ organizationId, limit }) =>
        (await requests({ organizationId, limit })).length === 0
          ? []
          : all.filter((one) => one.organizationId === organizationId).slice(0, limit),
    };
  }),
];

const directoryTokens: readonly PlantedBug[] = [
  portBug('directoryTokens', 'the token before never ends', ({ of }) => ({
    of: async (organizationId) => (await of(organizationId)).map((token) => ({ ...token, endsAt: null })),
  })),
  portBug('directoryTokens', 'the current token is looked up first', ({ of, add }) => ({
    async add({ replaces, ...fresh }, journal) {
      const [current] = await of(fresh.organizationId);
      await turn();
      const isSeen = replaces === undefined || current?.createdAt.getTime() === replaces?.getTime();
      return isSeen ? add(fresh, journal) : 'outdated';
    },
  })),
  portBug('directoryTokens', 'a use goes back in time', ({ byHash, touch }) => {
    const used = new Map<string, Date>();
    return {
      async touch(use) {
        used.set(use.hash, use.at);
        await touch(use);
      },
      async byHash(hash) {
        const token = await byHash(hash);
        return token && { ...token, usedAt: used.get(hash) ?? null };
      },
    };
  }),
  portBug('directoryTokens', 'the tokens of every organization end', ({ end }) => ({
    async end(which, journal) {
      await end(inOther(which));
      return end(which, journal);
    },
  })),
];

const secondFactors: readonly PlantedBug[] = [
  portBug('secondFactors', 'codes work again', ({ of }) => ({
    useCode: async ({ userId }) => (await of(userId)).code?.confirmedAt != null,
  })),
  portBug('secondFactors', 'only the last code is remembered', ({ of }) => {
    const last = new Map<number, number>();
    return {
      async useCode({ userId, step }) {
        if ((await of(userId)).code?.confirmedAt == null || last.get(userId) === step) return false;
        last.set(userId, step);
        return step !== 100;
      },
    };
  }),
  portBug('secondFactors', 'the last code is looked up first', ({ of }) => {
    const last = new Map<number, number>();
    return {
      async useCode({ userId, step }) {
        const before = last.get(userId) ?? 100;
        await of(userId);
        await turn();
        if ((await of(userId)).code?.confirmedAt == null || before >= step) return false;
        last.set(userId, step);
        return true;
      },
    };
  }),
  portBug('secondFactors', 'a secret counts before it is confirmed', ({ of, useCode }) => ({
    async useCode(use) {
      const { code } = await of(use.userId);
      return code !== null && code.confirmedAt === null ? true : useCode(use);
    },
  })),
  portBug('secondFactors', 'another secret than the one that waits is confirmed', ({ of, confirmCode }) => ({
    async confirmCode(added, journal) {
      const { code } = await of(added.userId);
      return confirmCode({ ...added, encryptedSecret: code?.encryptedSecret ?? '' }, journal);
    },
  })),
  portBug('secondFactors', 'a confirmed secret is replaced', ({ of, remove, setCode }) => ({
    async setCode(secret) {
      if ((await of(secret.userId)).code !== null) await remove({ userId: secret.userId, factor: 'code' });
      return setCode(secret);
    },
  })),
  portBug('secondFactors', 'the count of a passkey is not compared', ({ of }) => ({
    usePasskey: async ({ userId, credentialId }) =>
      (await of(userId)).passkeys.some((one) => one.credentialId === credentialId),
  })),
  portBug('users', 'a password is replaced whatever second factor there is', ({ replacePasswordHash }) => {
    const replace = ({ session, ...change }: Parameters<typeof replacePasswordHash>[0], isProved: boolean) =>
      replacePasswordHash({ ...change, session: { ...session, hasSecondFactor: isProved } });
    return { replacePasswordHash: async (it) => (await replace(it, false)) || replace(it, true) };
  }),
  portBug('secondFactors', 'a question to a passkey is answered again', ({ usePasskey }) => ({
    usePasskey: (use) => usePasskey({ ...use, askedAt: new Date(8.64e15) }),
  })),
  portBug('secondFactors', 'a passkey without a count works once', ({ of, usePasskey }) => ({
    async usePasskey(use) {
      const passkey = (await of(use.userId)).passkeys.find((one) => one.credentialId === use.credentialId);
      return passkey?.usedAt != null && use.counter === 0 ? false : usePasskey(use);
    },
  })),
  portBug('secondFactors', 'the passkey of anyone proves a sign-in', ({ usePasskey }) => ({
    async usePasskey(use) {
      return (await usePasskey(use)) || usePasskey({ ...use, userId: 3 - use.userId });
    },
  })),
  portBug('secondFactors', 'anyone renames a passkey', ({ namePasskey }) => ({
    namePasskey: async (change) =>
      (await namePasskey(change)) || namePasskey({ ...change, userId: 3 - change.userId }),
  })),
  portBug('secondFactors', 'a recovery code works again', ({ of }) => ({
    useRecoveryCode: async ({ userId, hashes }) =>
      (await of(userId)).recoveryCodes > 0 && hashes.some((hash) => hash.startsWith(`recovery ${userId}`)),
  })),
  portBug('secondFactors', 'a recovery code of anyone works', ({ useRecoveryCode }) => ({
    useRecoveryCode: async ({ userId, hashes }) =>
      (await useRecoveryCode({ userId, hashes })) || useRecoveryCode({ userId: 3 - userId, hashes }),
  })),
  portBug('secondFactors', 'recovery codes alone can be had', ({ setRecoveryCodes }) => ({
    setRecoveryCodes: async (codes) => (await setRecoveryCodes(codes)) || true,
  })),
  portBug('secondFactors', 'every further one counts as the first', ({ addPasskey }) => ({
    async addPasskey(fresh, journal) {
      const added = await addPasskey(fresh, (change) => journal?.({ ...change, isOnly: true }) ?? []);
      return typeof added === 'string' ? added : { ...added, isOnly: true };
    },
  })),
  portBug('secondFactors', 'an organization requires it of others only', ({ require }) => ({
    async require(change, journal) {
      const done = await require(change, journal);
      return done === 'no-second-factor' ? 'done' : done;
    },
  })),
  portBug('secondFactors', 'what is required already is recorded again', ({ require }) => ({
    async require(change, journal) {
      await require({ ...change, isRequired: !change.isRequired });
      return require(change, journal);
    },
  })),
  portBug('secondFactors', 'sessions stay when everything is removed', ({ of, remove }) => ({
    async remove({ userId, factor }, journal) {
      if (factor !== 'everything') return remove({ userId, factor }, journal);
      const { passkeys } = await of(userId);
      for (const { credentialId } of passkeys) await remove({ userId, factor: { credentialId } });
      return remove({ userId, factor: 'code' }, journal);
    },
  })),
  portBug('secondFactors', 'recovery codes outlive the last one', ({ of, remove }) => {
    const left = new Map<number, number>();
    return {
      async remove(which, journal) {
        left.set(which.userId, (await of(which.userId)).recoveryCodes);
        return remove(which, journal);
      },
      of: async (userId) => ({
        ...(await of(userId)),
        recoveryCodes: left.get(userId) ?? (await of(userId)).recoveryCodes,
      }),
    };
  }),
];

const webhooks: readonly PlantedBug[] = [
  portBug('webhooks', 'a configuration is read first and changed later', ({ of, configure }) => ({
    async configure(organizationId, decide, journal) {
      const current = await of(organizationId);
      await turn();
      return configure(organizationId, () => decide(current), journal);
    },
  })),
  portBug('webhooks', 'failures after the last notice are not counted', ({ health, takeFailureNotice }) => {
    let last = 0;
    return {
      async takeFailureNotice(request) {
        last = Math.max(0, ...request.steps);
        return takeFailureNotice(request);
      },
      async health(organizationId) {
        const { failuresInRow, ...rest } = await health(organizationId);
        return { ...rest, failuresInRow: last > 0 ? Math.min(failuresInRow, last) : failuresInRow };
      },
    };
  }),
  portBug('webhooks', 'the mails of a notice are forgotten', ({ takeFailureNotice }) => ({
    takeFailureNotice: (request) => takeFailureNotice(request),
  })),
  portBug('outbox', 'an organization may have any number of deliveries under way', ({ claim }) => ({
    claim: (request) => claim({ ...request, perOrganization: 1_000 }),
  })),
  portBug('outbox', 'any caller can finish a delivery', ({ claim, finish }) => {
    const claims = new Map<number, string>();
    return {
      async claim(request) {
        const claimed = await claim(request);
        for (const { deliveryId } of claimed) claims.set(deliveryId, request.claim);
        return claimed;
      },
      finish: (result) => finish({ ...result, claim: claims.get(result.deliveryId) ?? result.claim }),
    };
  }),
  portBug('outbox', 'a claim that was lost can be renewed', () => ({ renew: async () => true })),
  portBug('outbox', 'the claim of another caller can be renewed', ({ claim, renew }) => {
    const claims = new Map<number, string>();
    return {
      async claim(request) {
        const claimed = await claim(request);
        for (const { deliveryId } of claimed) claims.set(deliveryId, request.claim);
        return claimed;
      },
      renew: (request) => renew({ ...request, claim: claims.get(request.deliveryId) ?? request.claim }),
    };
  }),
  portBug('outbox', 'a renewed claim stays as old as it is', ({ renew }) => ({
    renew: (request) => renew({ ...request, at: new Date(0) }),
  })),
  portBug('outbox', 'a claim that is renewed counts twice', ({ claim, renew, recoverStale }) => ({
    async renew(request) {
      if (!(await renew(request))) return false;
      await recoverStale({ olderThanMs: null, maxClaims: 1_000, at: request.at });
      await claim({ limit: 1, perOrganization: 1_000, claim: request.claim, at: request.at });
      return true;
    },
  })),
  portBug('outbox', 'a delivery that interrupts every process is tried for ever', ({ recoverStale }) => ({
    recoverStale: (request) => recoverStale({ ...request, maxClaims: 1_000 }),
  })),
  portBug('deliveries', 'the time of the event is left out of the selection', ({ list }) => ({
    list: ({ since: _since, until: _until, ...query }) => list(query),
  })),
  portBug('deliveries', 'all attempts are read where the last one is asked for', ({ find }) => ({
    find: ({ onlyLastAttempt, ...key }) => find(key),
  })),
  portBug('deliveries', 'a delivery of any organization is found', ({ find, list }) => ({
    async find(key) {
      const all = await list({ organizationId: null, limit: 1_000 });
      const other = all.find(({ id }) => id === key.deliveryId);
      const organizationId = other?.organizationId ?? key.organizationId;
      return find({ ...key, organizationId });
    },
  })),
  portBug('deliveries', 'without an organization, a delivery of the first one is found', ({ find }) => ({
    find: ({ organizationId, deliveryId }) => find({ organizationId: organizationId ?? 1, deliveryId }),
  })),
  portBug('deliveries', 'lists contain requests and responses', ({ find, list }) => ({
    async list(query) {
      const found = (await list(query)).map(({ id: deliveryId, organizationId }) =>
        find({ deliveryId, organizationId }),
      );
      return (await Promise.all(found)).filter((delivery) => delivery !== null);
    },
  })),
  portBug('deliveries', 'only the attempts that are found are counted', ({ find }) => ({
    async find(key) {
      const found = await find(key);
      return found && { ...found, attemptCount: found.attempts.length };
    },
  })),
  portBug('outbox', 'the response of an attempt is lost', ({ finish }) => ({
    finish: (result) =>
      finish({ ...result, attempt: result.attempt && { ...result.attempt, response: null } }),
  })),
  portBug('outbox', 'characters that SQL cannot store are left out of a response', ({ finish }) => ({
    finish({ attempt, ...result }) {
      const response = attempt?.response ?? null;
      const body = response?.body.replaceAll('\u0000', '') ?? '';
      return finish({
        ...result,
        attempt: attempt && { ...attempt, response: response && { ...response, body } },
      });
    },
  })),
  portBug('eventFeed', 'only delivered events are recorded', ({ read }, { deliveries }) => ({
    async read(query) {
      const page = await read(query);
      if ('oldest' in page) return page;
      const { organizationId } = query;
      const delivered = await deliveries.list({ organizationId, limit: 1_000 });
      return {
        ...page,
        events: page.events.filter(({ id }) => delivered.some(({ eventId }) => eventId === id)),
      };
    },
  })),
  portBug('eventFeed', 'a place of another feed is taken for one of this feed', ({ read }) => ({
    async read(query) {
      const page = await read(query);
      if (!('oldest' in page) || query.after === null) return page;
      return { events: [], hasMore: false, next: query.after };
    },
  })),
  portBug('eventFeed', 'a page that is exactly full says that there is more', ({ read }) => ({
    async read(query) {
      const page = await read(query);
      return 'oldest' in page ? page : { ...page, hasMore: page.events.length === query.limit };
    },
  })),
  portBug('eventFeed', 'the next page begins with the last event', ({ read }) => ({
    async read(query) {
      const { after } = query;
      if (after === null || query.order === 'desc' || after.position === 0) return read(query);
      return read({ ...query, after: { position: after.position - 1, eventId: null } });
    },
  })),
];

type Export = Meetings['export'];

/** `change` gets the whole text of an export. */
function textBug(bug: string, change: (text: string) => string): PlantedBug {
  return portBug('meetings', bug, ({ export: right }) => ({
    async export(request) {
      const { total, chunks } = await right(request);
      return { total, chunks: chunksOf(change((await readAll(chunks)).toString())) };
    },
  }));
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 50_000) yield Buffer.from(text.slice(at, at + 50_000));
}

/** An adapter whose exports hold one of a few connections until `release` is called. */
function connectionBug(
  bug: string,
  {
    isReleasedByReader,
    blocksWriters = false,
  }: { readonly isReleasedByReader: boolean; readonly blocksWriters?: boolean },
): PlantedBug {
  const start: StartStorage = async () => {
    const { load, ...storage } = memoryStorage();
    let open = 0;
    const held =
      (right: Export): Export =>
      async (request) => {
        const { total, chunks } = await right(request);
        if (open >= 8) throw new Error('no connection is free');
        return { total, chunks: heldChunks(chunks) };
      };
    async function* heldChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      open += 1;
      let isComplete = false;
      try {
        yield* chunks;
        isComplete = true;
      } finally {
        if (isComplete || isReleasedByReader) open -= 1;
      }
    }
    return {
      storage: { ...storage, meetings: { ...storage.meetings, export: held(storage.meetings.export) } },
      async load(dataset) {
        if (blocksWriters && open > 0) throw new Error('the database is locked');
        await load(dataset);
      },
      stop: async () => {},
    };
  };
  return { bug: `meetings: ${bug}`, suite: suitesByPort.meetings(start) };
}

const meetings: readonly PlantedBug[] = [
  portBug('meetings', 'each chunk of an export is read anew', ({ export: right }) => ({
    async export(request) {
      if (request.page !== null || request.form !== 'json') return right(request);
      async function* pages(): AsyncGenerator<Uint8Array> {
        for (let offset = 0; ; offset += 500) {
          const { chunks } = await right({ ...request, page: { offset, limit: 500 } });
          const rows = await readAll(chunks);
          if (rows.length === 0) return;
          yield offset === 0 ? rows : Buffer.concat([Buffer.from(','), rows]);
        }
      }
      return { total: null, chunks: pages() };
    },
  })),
  portBug('meetings', 'the rows of a page are read later than its total', ({ export: right }) => ({
    async export(request) {
      const { total } = await right(request);
      async function* later(): AsyncGenerator<Uint8Array> {
        yield* (await right(request)).chunks;
      }
      return { total, chunks: later() };
    },
  })),
  portBug('meetings', 'an export is collected in memory', ({ export: right }) => ({
    async export(request) {
      const { total, chunks } = await right(request);
      async function* once(): AsyncGenerator<Uint8Array> {
        const all = await readAll(chunks);
        if (all.length > 0) yield all;
      }
      return { total, chunks: once() };
    },
  })),
  connectionBug('the snapshot of an abandoned export is never released', { isReleasedByReader: false }),
  connectionBug('nothing can be written during an export', { isReleasedByReader: true, blocksWriters: true }),
  textBug('a null price is exported as null', (text) => text.replaceAll('"price":0,', '"price":null,')),
  textBug('formulas are exported as they are', (text) => text.replaceAll(`"'`, '"')),
  textBug('rows of CSV end with a line feed only', (text) => text.replaceAll('\r\n', '\n')),
  portBug('meetings', 'an export ignores updatedSince', ({ export: right }) => ({
    export: (request) => right({ ...request, selection: { ...request.selection, updatedSince: null } }),
  })),
  portBug('meetings', 'the total is that of the page', ({ export: right }) => ({
    async export(request) {
      const { total, chunks } = await right(request);
      return { total: total === null ? null : Math.min(total, request.page?.limit ?? total), chunks };
    },
  })),
  portBug('meetings', 'the latest meetings of a list are those of the first page', ({ list }) => ({
    async list(request) {
      const { meetings, ...numbers } = await list({ ...request, order: 'earliest' });
      return { meetings: request.order === 'latest' ? meetings.toReversed() : meetings, ...numbers };
    },
  })),
  portBug('meetings', 'a search is forgotten by the number of meetings', ({ list }) => ({
    async list({ words, ...request }) {
      return { ...(await list({ ...request, words })), total: (await list(request)).total };
    },
  })),
  portBug('meetings', 'a search is forgotten by the number of canceled meetings', ({ list }) => ({
    async list({ words, ...request }) {
      return { ...(await list({ ...request, words })), canceled: (await list(request)).canceled };
    },
  })),
  portBug('meetings', 'canceled meetings are counted on the page alone', ({ list }) => ({
    async list(request) {
      const found = await list(request);
      return { ...found, canceled: found.meetings.filter(({ status }) => status === 'cancel').length };
    },
  })),
  portBug('meetings', 'every organization finds the meetings of the service', ({ find }) => ({
    find: (meeting) => find({ ...meeting, withServiceMeetings: true }),
  })),
  portBug('meetings', 'people are counted on the page alone', ({ attendees }) => ({
    async attendees(request) {
      const { attendees: page } = await attendees(request);
      const seated = page.filter(({ registeredAt }) => registeredAt !== null).length;
      return { attendees: page, total: page.length, seated };
    },
  })),
  portBug('meetings', 'a range includes its end', ({ summarize }) => ({
    summarize: ({ ranges, ...request }) =>
      summarize({
        ...request,
        ranges: ranges.map(({ from, before }) => ({ from, before: new Date(before.getTime() + 1) })),
      }),
  })),
  portBug('meetings', 'the group leader counts as an attendee', ({ details }) => ({
    async details(request) {
      const found = await details(request);
      return found.map((meeting) => ({
        ...meeting,
        registeredAttendees: meeting.registeredAttendees + (meeting.groupLeader === null ? 0 : 1),
      }));
    },
  })),
];

export const storageBugs: readonly PlantedBug[] = [
  ...people,
  ...signOn,
  ...setupLinks,
  ...directory,
  ...directoryTokens,
  ...secondFactors,
  ...webhooks,
  ...meetings,
  ...changes,
];
