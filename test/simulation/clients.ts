import { type Core, type Organization, Refusal, Secret, Unavailable } from '@rollcall/core';
import { mix } from './chance.js';
import type { Details, Op, OpKind } from './history.js';
import type { Answer, Instance } from './instance.js';
import { type Action, organizations } from './plan.js';
import { tellEnd, tellStart } from './story.js';
import type { World } from './world.js';

const address = '192.0.2.1';

/** What a person knows. The newest comes first in each list. */
interface PersonsKnowledge {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  passwords: string[];
  sessions: string[];
}

/** What an organization's program and its people know about one person. */
interface Membership {
  invitations: { readonly token: string; readonly uuid: string }[];
  uuids: string[];
  links: string[];
}

interface OrganizationsKnowledge {
  keys: string[];
  tokens: { readonly token: string; readonly key: string }[];
  readonly members: Map<string, Membership>;
  readonly cursors: Map<string, string | undefined>;
}

const names: readonly (readonly [string, string])[] = [
  ['Ann', 'Archer'],
  ['Ben', 'Baker'],
  ['Cleo', 'Carter'],
  ['Dan', 'Dyer'],
  ['Eve', 'Ellis'],
];

/** The people and programs outside. They know only what they were told. */
export function createClients(world: World, instances: readonly Instance[]) {
  const { scheduler, history } = world;
  const people: readonly PersonsKnowledge[] = names.map(([firstName, lastName]) => ({
    email: `${firstName.toLowerCase()}@people.test`,
    firstName,
    lastName,
    passwords: [],
    sessions: [],
  }));
  const known = new Map<number, OrganizationsKnowledge>(
    organizations.map((org) => [org, { keys: [], tokens: [], members: new Map(), cursors: new Map() }]),
  );
  let passwords = 0;

  /** Makes one request and records what it was and what came back. */
  async function attempt<Kind extends OpKind>(
    did: Kind,
    details: Details[Kind],
    {
      instance,
      key,
      patience,
    }: { readonly instance: number; readonly key: number; readonly patience: number },
    run: (core: Core) => Promise<Partial<Details[Kind]>>,
  ): Promise<Op<Kind>> {
    const op = {
      did,
      ...details,
      start: scheduler.tick(),
      end: Number.POSITIVE_INFINITY,
      startedAt: scheduler.now(),
      endedAt: Number.POSITIVE_INFINITY,
      outcome: 'unknown' as Op['outcome'],
      code: null as string | null,
      instance,
    };
    history.ops.push(op as unknown as Op);
    if (!world.isCalm) world.tell(() => tellStart(op as unknown as Op));
    const answer: Answer<Partial<Details[Kind]>> = world.isCalm
      ? await run(calmCore()).then((value) => ({ is: 'answer', value }))
      : await (instances[instance] as Instance).call({ key, patience }, run);
    settle(op, answer);
    if (!world.isCalm) world.tell(() => tellEnd(op as unknown as Op));
    return op as unknown as Op<Kind>;
  }

  function settle(op: Pick<Op, 'end' | 'endedAt' | 'outcome' | 'code'>, answer: Answer<object>): void {
    if (answer.is === 'unreachable') op.outcome = 'unreachable';
    if (answer.is === 'lost' || answer.is === 'unreachable') return;
    if (answer.is === 'error' && answer.error instanceof Unavailable) return;
    op.end = scheduler.tick();
    op.endedAt = scheduler.now();
    if (answer.is === 'answer') {
      op.outcome = 'ok';
      Object.assign(op, answer.value);
    } else if (answer.error instanceof Refusal) {
      op.outcome = 'refused';
      op.code = answer.error.code;
    } else {
      history.bugs.push(answer.error instanceof Error ? (answer.error.stack ?? '') : String(answer.error));
    }
  }

  let calm: Core | null = null;
  function calmCore(): Core {
    if (calm === null) throw new Error('There is no core for a calm world');
    return calm;
  }

  const organizationOf = (org: number): OrganizationsKnowledge => known.get(org) as OrganizationsKnowledge;
  const membershipOf = (org: number, email: string): Membership => {
    const { members } = organizationOf(org);
    const found = members.get(email) ?? { invitations: [], uuids: [], links: [] };
    members.set(email, found);
    return found;
  };
  const newest = <Item>(items: readonly Item[], place = 0): Item | undefined =>
    items[Math.min(place, items.length - 1)];

  /** One action. `number` counts the requests of the action. */
  async function act(action: Action): Promise<void> {
    let number = 0;
    const place = () => {
      number += 1;
      return {
        instance: action.instance,
        key: mix(mix(world.plan.seed, action.id), number),
        patience: action.patience,
      };
    };
    const first = await perform(action, place);
    if (!action.repeats || first === null) return;
    if (first.outcome !== 'unknown' && first.outcome !== 'unreachable') return;
    const instance = (action.instance + 1) % instances.length;
    await perform({ ...action, instance }, () => ({ ...place(), instance }));
  }

  type Place = () => { readonly instance: number; readonly key: number; readonly patience: number };

  /** A request of an organization's program: with a token, and with a new one if that is refused. */
  async function asProgram<Kind extends OpKind>(
    org: number,
    place: Place,
    did: Kind,
    details: Details[Kind],
    run: (core: Core, organization: Organization) => Promise<Partial<Details[Kind]>>,
  ): Promise<Op<Kind> | null> {
    for (let round = 0; round < 2; round += 1) {
      const { tokens } = organizationOf(org);
      const token = newest(tokens);
      if (token === undefined) return null;
      const authorized: { by: Op<'call'> | null } = { by: null };
      const request = place();
      const done = await attempt(did, { ...details }, request, async (core) => {
        const call = startCall(org, token.key, request.instance);
        authorized.by = call;
        const organization = await core
          .authorize({ token: token.token, organizationId: String(org) })
          .catch((error: unknown) => {
            settle(call, { is: 'error', error });
            throw error;
          });
        settle(call, { is: 'answer', value: {} });
        return run(core, organization);
      });
      if (done.code !== 'unauthorized-access') return done;
      const again = await authenticate(org, 0, place);
      if (again?.outcome !== 'ok') return done;
    }
    return null;
  }

  function startCall(org: number, key: string, instance: number): Op<'call'> {
    const call: Op<'call'> = {
      did: 'call',
      org,
      key,
      start: scheduler.tick(),
      end: Number.POSITIVE_INFINITY,
      startedAt: scheduler.now(),
      endedAt: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
      code: null,
      instance,
    };
    history.ops.push(call);
    return call;
  }

  async function authenticate(org: number, pick: number, place: Place): Promise<Op<'authenticate'> | null> {
    const own = organizationOf(org);
    const key = newest(own.keys, pick);
    if (key === undefined) return null;
    const done = await attempt('authenticate', { org, key, token: null }, place(), async (core) => {
      const { token } = await core.authenticate({ accessKey: key, address });
      return { token: token.reveal() };
    });
    if (done.token !== null) own.tokens.unshift({ token: done.token, key });
    return done;
  }

  async function perform(action: Action, place: Place): Promise<Op | null> {
    switch (action.do) {
      case 'invite': {
        const { org } = action;
        const { email, firstName, lastName } = person(action);
        const details = { org, email, uuid: null, token: null };
        const done = await asProgram(org, place, 'invite', details, async (core, organization) => {
          const invited = await core.inviteUser({ organization, email, firstName, lastName });
          return { uuid: invited.uuid, token: invited.invitationUrl };
        });
        if (done?.uuid && done.token !== null) learnInvitation(org, email, done.uuid, done.token);
        return done;
      }
      case 'register': {
        const { org } = action;
        const { email, firstName, lastName } = person(action);
        const details = { org, email, token: null, password: null, session: null, uuid: null };
        const done = await attempt('join', details, place(), async (core) => {
          const member = await core.registerUser({ organizationId: org, email, firstName, lastName });
          return { uuid: member.uuid };
        });
        if (done.uuid !== null) membershipOf(org, email).uuids.unshift(done.uuid);
        return done;
      }
      case 'accept':
        return accept(action, place);
      case 'revoke':
      case 'renew': {
        const { org } = action;
        const { email } = person(action);
        const uuid = newest(membershipOf(org, email).invitations)?.uuid;
        if (uuid === undefined) return null;
        if (action.do === 'revoke') {
          return asProgram(org, place, 'revoke', { org, email, uuid }, async (core, organization) => {
            await core.revokeInvitation({ organization, uuid });
            return {};
          });
        }
        const details = { org, email, uuid, token: null };
        const done = await asProgram(org, place, 'renew', details, async (core, organization) => {
          const renewed = await core.renewInvitation({ organization, uuid });
          return { token: renewed.invitationUrl };
        });
        if (done !== null && done.token !== null) learnInvitation(org, email, uuid, done.token);
        return done;
      }
      case 'remove': {
        const { org } = action;
        const { email } = person(action);
        const uuid = newest(membershipOf(org, email).uuids);
        if (uuid === undefined) return null;
        return asProgram(org, place, 'remove', { org, email }, async (core, organization) => {
          await core.removeUser({ organization, uuid });
          return {};
        });
      }
      case 'link': {
        const { org } = action;
        const { email } = person(action);
        const own = membershipOf(org, email);
        const uuid = newest(own.uuids);
        if (uuid === undefined) return null;
        const details = { org, email, token: null };
        const done = await asProgram(org, place, 'link', details, async (core, organization) => {
          const { url } = await core.issueLoginLink({ organization, uuid });
          return { token: url };
        });
        if (done !== null && done.token !== null) own.links.unshift(done.token);
        return done;
      }
      case 'redeem': {
        const { org } = action;
        const someone = person(action);
        const token = newest(membershipOf(org, someone.email).links, action.pick);
        if (token === undefined) return null;
        const details = { org, email: someone.email, token, session: null };
        const done = await attempt('redeem', details, place(), async (core) => {
          const { session } = await core.redeemLoginLink({ token, address });
          return { session: session.reveal() };
        });
        if (done.session !== null) someone.sessions.unshift(done.session);
        return done;
      }
      case 'visit': {
        const { org } = action;
        const { email, sessions } = person(action);
        const session = newest(sessions, action.pick);
        if (session === undefined) return null;
        return attempt('visit', { org, email, session }, place(), async (core) => {
          const resumed = await core.resumeSession({ session });
          if (resumed === null) throw new Refusal('sign-in-required', 'The session has ended');
          await core.authorizeMember({ session: resumed, organizationId: org, role: 'member' });
          return {};
        });
      }
      case 'sign-in': {
        const someone = person(action);
        const { email } = someone;
        const password = newest(someone.passwords);
        if (password === undefined) return null;
        const done = await attempt('signIn', { email, password, session: null }, place(), async (core) => {
          const { session } = await core.signIn({ email, password: new Secret(password), address });
          return { session: session.reveal() };
        });
        if (done.session !== null) someone.sessions.unshift(done.session);
        return done;
      }
      case 'sign-out': {
        const { email, sessions } = person(action);
        const session = newest(sessions, action.pick);
        if (session === undefined) return null;
        return attempt('signOut', { email, session }, place(), async (core) => {
          await core.signOut({ session });
          return {};
        });
      }
      case 'change-password':
        return changePassword(action, place);
      case 'erase': {
        const { email } = person(action);
        return attempt('erase', { email }, place(), async (core) => {
          await core.eraseUser({ email, force: true });
          return {};
        });
      }
      case 'guess': {
        const { email } = person(action);
        return attempt('guess', { email }, place(), async (core) => {
          await core.signIn({ email, password: new Secret('a wrong guess'), address });
          return {};
        });
      }
      case 'replace-key': {
        const { org, keepsOld } = action;
        const done = await attempt('replaceKey', { org, keepsOld, key: null }, place(), async (core) => {
          const { accessKey } = await core.generateAccessKey({
            organizationId: org,
            keepOldForHours: keepsOld ? 24 : 0,
          });
          return { key: accessKey.reveal() };
        });
        if (done.key !== null) organizationOf(org).keys.unshift(done.key);
        return done;
      }
      case 'authenticate':
        return authenticate(action.org, action.pick, place);
      case 'call': {
        const { org } = action;
        const token = newest(organizationOf(org).tokens, action.pick);
        if (token === undefined) return null;
        return attempt('call', { org, key: token.key }, place(), async (core) => {
          await core.authorize({ token: token.token, organizationId: String(org) });
          return {};
        });
      }
      case 'configure': {
        const { org, enabled } = action;
        const url = `https://org-${org}.test/hook-${action.url}`;
        const details = {
          org,
          enabled,
          url,
          rotates: false,
          overlap: false,
          idempotencyKey: null,
          secret: null,
        };
        return asProgram(org, place, 'configure', details, async (core, organization) => {
          const webhook = { url, enabled, events: ['user.registered'] };
          const view = await core.configureWebhook({ organization, how: 'set', webhook });
          return { secret: view.secret === null ? null : view.secret.reveal() };
        });
      }
      case 'rotate':
        return rotate(action, place);
      case 'finish-rotation': {
        const { org } = action;
        return asProgram(org, place, 'finishRotation', { org }, async (core, organization) => {
          await core.finishRotation({ organization });
          return {};
        });
      }
      case 'read':
        return read(action, place);
      case 'read-newest': {
        const { org } = action;
        const details = {
          org,
          reader: 'newest',
          order: 'desc',
          isFirst: true,
          bodies: [],
          hasMore: true,
        } as const;
        return asProgram(org, place, 'read', { ...details }, async (core, organization) => {
          const { events, hasMore } = await core.readEvents({ organization, order: 'desc', limit: 1000 });
          return { bodies: events.map(({ body }) => body), hasMore };
        });
      }
      case 'redeliver':
        return redeliver(action, place);
      case 'redeliver-failed': {
        const { org } = action;
        const details = { org, count: null };
        return asProgram(org, place, 'redeliverFailed', details, async (core, organization) => ({
          count: await core.redeliverFailed({ organization, since: new Date(0) }),
        }));
      }
      case 'test': {
        const { org } = action;
        const details = { org, eventId: null, state: null };
        return asProgram(org, place, 'test', details, async (core, organization) => {
          const { eventId, state } = await core.testWebhook({ organization });
          return { eventId, state };
        });
      }
    }
  }

  function person(action: { readonly person: number }): PersonsKnowledge {
    return people[action.person] as PersonsKnowledge;
  }

  function learnInvitation(org: number, email: string, uuid: string, token: string): void {
    const own = membershipOf(org, email);
    if (own.invitations[0]?.token !== token) own.invitations.unshift({ token, uuid });
    if (own.uuids[0] !== uuid) own.uuids.unshift(uuid);
  }

  /** A person tries as a new one first. One who has an account gives its password. */
  async function accept(action: Action & { readonly do: 'accept' }, place: Place): Promise<Op | null> {
    const { org } = action;
    const someone = person(action);
    const invitation = newest(membershipOf(org, someone.email).invitations, action.pick);
    if (invitation === undefined) return null;
    const { token } = invitation;
    passwords += 1;
    const chosen = `password ${passwords}`;
    const join = async (password: string, is: 'new' | 'known'): Promise<Op<'join'>> => {
      const { email, firstName, lastName } = someone;
      const details = { org, email, token, password, session: null, uuid: null };
      const done = await attempt('join', details, place(), async (core) => {
        const secret = new Secret(password);
        const who = is === 'new' ? { is, firstName, lastName, password: secret } : { is, password: secret };
        const { session } = await core.acceptInvitation({ token, person: who, address });
        return { session: session.reveal(), uuid: invitation.uuid };
      });
      if (done.session !== null) someone.sessions.unshift(done.session);
      if (is === 'new' && (done.outcome === 'ok' || done.outcome === 'unknown'))
        someone.passwords.unshift(password);
      return done;
    };
    const first = await join(chosen, 'new');
    if (first.code !== 'sign-in-required') return first;
    for (const password of [...someone.passwords].slice(0, 3)) {
      const done = await join(password, 'known');
      if (done.code !== 'wrong-credentials') return done;
    }
    return null;
  }

  async function changePassword(action: { readonly person: number }, place: Place): Promise<Op | null> {
    const someone = person(action);
    const { email } = someone;
    const session = newest(someone.sessions);
    const from = newest(someone.passwords);
    if (session === undefined || from === undefined) return null;
    passwords += 1;
    const to = `password ${passwords}`;
    const details = { email, from, to, session: null };
    const done = await attempt('changePassword', details, place(), async (core) => {
      const changed = await core.changePassword({
        session,
        currentPassword: new Secret(from),
        newPassword: new Secret(to),
        address,
      });
      return { session: changed.session.reveal() };
    });
    if (done.outcome === 'ok' || done.outcome === 'unknown') someone.passwords.unshift(to);
    if (done.session !== null) someone.sessions.unshift(done.session);
    return done;
  }

  async function rotate(action: Action & { readonly do: 'rotate' }, place: Place): Promise<Op | null> {
    const { org, overlap, idempotencyKey } = action;
    const details = { org, enabled: true, url: null, rotates: true, overlap, idempotencyKey, secret: null };
    const request = {
      how: 'change',
      webhook: { enabled: true },
      regenerateSecret: '1',
      ...(overlap ? { overlapHours: 24 } : {}),
    } as const;
    return asProgram(org, place, 'configure', details, async (core, organization) => {
      if (idempotencyKey === null) {
        const { secret } = await core.configureWebhook({ organization, ...request });
        return { secret: secret === null ? null : secret.reveal() };
      }
      const answer = await core.answerOnce({
        organization,
        operation: 'configure-webhook',
        key: idempotencyKey,
        fingerprint: String(overlap),
        async work(keep) {
          const { secret } = await core.configureWebhook({
            organization,
            ...request,
            keep: (view) => keep(view.secret === null ? '' : view.secret.reveal()),
          });
          return secret === null ? '' : secret.reveal();
        },
      });
      return { secret: answer === '' ? null : answer };
    });
  }

  async function read(action: Action & { readonly do: 'read' }, place: Place): Promise<Op | null> {
    const { org, reader, limit } = action;
    const { cursors } = organizationOf(org);
    const isFirst = !cursors.has(reader);
    const after = cursors.get(reader);
    const details = { org, reader, order: 'asc', isFirst, bodies: [], hasMore: true } as const;
    return asProgram(org, place, 'read', { ...details }, async (core, organization) => {
      const page = await core.readEvents({ organization, after, limit });
      return { bodies: page.events.map(({ body }) => body), hasMore: page.hasMore, next: page.next };
    }).then((done) => {
      const next = (done as { readonly next?: string } | null)?.next;
      // Another page of the same reader may have come first.
      if (done?.outcome === 'ok' && cursors.get(reader) === after) cursors.set(reader, next);
      else if (done !== null && done.outcome === 'ok') history.ops.splice(history.ops.indexOf(done), 1);
      return done;
    });
  }

  async function redeliver(action: Action & { readonly do: 'redeliver' }, place: Place): Promise<Op | null> {
    const { org, idempotencyKey } = action;
    const sent = history.sends.filter(({ url }) => url.includes(`org-${org}.`));
    const eventId = sent.at(-1 - action.pick)?.eventId;
    if (eventId === undefined) return null;
    const deliveryId = history.claims.find((claim) => claim.eventId === eventId)?.deliveryId;
    if (deliveryId === undefined) return null;
    const details = { org, eventId, idempotencyKey };
    return asProgram(org, place, 'redeliver', details, async (core, organization) => {
      if (idempotencyKey === null) {
        await core.redeliver({ organization, deliveryId });
        return {};
      }
      await core.answerOnce({
        organization,
        operation: 'redeliver',
        key: idempotencyKey,
        fingerprint: String(deliveryId),
        async work(keep) {
          await core.redeliver({ organization, deliveryId, keep: () => keep('done') });
          return 'done';
        },
      });
      return {};
    });
  }

  return {
    act,
    people,
    /** What exists before the first action, made by the same calls in a calm world. */
    async prepare(core: Core): Promise<void> {
      calm = core;
      const place = (): { instance: number; key: number; patience: number } => ({
        instance: 0,
        key: 0,
        patience: 0,
      });
      for (const org of organizations) {
        await perform({ do: 'replace-key', org, keepsOld: false } as Action, place);
        await authenticate(org, 0, place);
        const webhook = world.plan.webhooks[org - 1];
        if (webhook !== 'none')
          await perform({ do: 'configure', org, enabled: webhook === 'on', url: 0 } as Action, place);
      }
      calm = null;
    },
    cursorsOf: (org: number): ReadonlyMap<string, string | undefined> => organizationOf(org).cursors,
  };
}
