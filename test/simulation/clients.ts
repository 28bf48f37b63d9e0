import { Refusal, Unavailable } from '@rollcall/core';
import { mix } from './chance.js';
import type { Details, History, Op, OpKind } from './history.js';
import { type Action, organizations, type Plan } from './plan.js';
import type { Authorized, Service } from './service.js';
import { tellEnd, tellStart } from './story.js';

/** Where clients act: in the simulation, or on real instances. */
export interface ClientsContext {
  readonly plan: Pick<Plan, 'seed' | 'webhooks'>;
  readonly history: History;
  /** `tick` orders what happens; `now` is in milliseconds. */
  readonly scheduler: { tick(): number; now(): number };
  /** The service is asked directly, not through an instance. */
  readonly isCalm: boolean;
  tell(text: () => string): void;
}

/** An instance, as clients reach it. */
export interface Reachable {
  call<Value>(
    request: { readonly key: number; readonly timeLimit: number },
    run: (service: Service) => Promise<Value>,
  ): Promise<Answer<Value>>;
}

/** What a client gets: an answer, an error, no answer, or no connection. */
export type Answer<Value> =
  | { readonly is: 'answer'; readonly value: Value }
  | { readonly is: 'error'; readonly error: unknown }
  | { readonly is: 'lost' }
  | { readonly is: 'unreachable' };

/** What the clients use, apart from the service. */
export interface Habits {
  emailOf(name: string): string;
  /** A URL for the webhook; `number` chooses among a few, if there are not more. */
  urlOf(org: number, number: number): string;
  /** Whether a program registers people. If not, they are invited and accept. */
  readonly registersPeople: boolean;
  /** Every number gives another password. */
  passwordOf(number: number): string;
}

const simulatedHabits: Habits = {
  emailOf: (name) => `${name}@people.test`,
  urlOf: (org, number) => `https://org-${org}.test/hook-${number}`,
  registersPeople: true,
  passwordOf: (number) => `password ${number}`,
};

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
export function createClients(
  context: ClientsContext,
  instances: readonly Reachable[],
  habits: Habits = simulatedHabits,
) {
  const { scheduler, history } = context;
  const people: readonly PersonsKnowledge[] = names.map(([firstName, lastName]) => ({
    email: habits.emailOf(firstName.toLowerCase()),
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
      timeLimit,
    }: { readonly instance: number; readonly key: number; readonly timeLimit: number },
    run: (service: Service) => Promise<Partial<Details[Kind]>>,
  ): Promise<Op<Kind>> {
    const op = start(did, details, instance);
    if (!context.isCalm) context.tell(() => tellStart(op as unknown as Op));
    const answer: Answer<Partial<Details[Kind]>> = context.isCalm
      ? await run(calmService()).then((value) => ({ is: 'answer', value }))
      : await (instances[instance] as Reachable).call({ key, timeLimit }, run);
    settle(op, answer);
    if (!context.isCalm) context.tell(() => tellEnd(op as unknown as Op));
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

  let calm: Service | null = null;
  function calmService(): Service {
    if (calm === null) throw new Error('There is no service for calm calls');
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
        key: mix(mix(context.plan.seed, action.id), number),
        timeLimit: action.timeLimit,
      };
    };
    const first = await perform(action, place);
    if (!action.repeats || first === null) return;
    if (first.outcome !== 'unknown' && first.outcome !== 'unreachable') return;
    const instance = (action.instance + 1) % instances.length;
    await perform({ ...action, instance }, () => ({ ...place(), instance }));
  }

  type Place = () => { readonly instance: number; readonly key: number; readonly timeLimit: number };

  /** A request of an organization's program: with a token, and with a new one if that is refused. */
  async function asProgram<Kind extends OpKind>(
    org: number,
    place: Place,
    did: Kind,
    details: Details[Kind],
    run: (service: Service, by: Authorized) => Promise<Partial<Details[Kind]>>,
  ): Promise<Op<Kind> | null> {
    for (let round = 0; round < 2; round += 1) {
      const { tokens } = organizationOf(org);
      const token = newest(tokens);
      if (token === undefined) return null;
      const request = place();
      const done = await attempt(did, { ...details }, request, async (service) => {
        const call = start('call', { org, key: token.key }, request.instance);
        const authorized = await service.authorize({ token: token.token, org }).catch((error: unknown) => {
          settle(call, { is: 'error', error });
          throw error;
        });
        if (service.authorizesFirst) {
          settle(call, { is: 'answer', value: {} });
          return run(service, authorized);
        }
        return run(service, authorized).then(
          (value) => {
            settle(call, { is: 'answer', value: {} });
            return value;
          },
          (error: unknown) => {
            if (error instanceof Refusal) settle(call, authorizationOf(error));
            throw error;
          },
        );
      });
      if (done.code !== 'unauthorized-access') return done;
      const again = await authenticate(org, 0, place);
      if (again?.outcome !== 'ok') return done;
    }
    return null;
  }

  /** Records that a request begins. Takes the details as its own. */
  function start<Kind extends OpKind>(did: Kind, details: Details[Kind], instance: number): Op<Kind> {
    // The details become the operation: copying them would be the largest part of a run's own work.
    const op = details as unknown as { -readonly [Field in keyof Op]: Op[Field] };
    op.did = did;
    op.start = scheduler.tick();
    op.end = Number.POSITIVE_INFINITY;
    op.startedAt = scheduler.now();
    op.endedAt = Number.POSITIVE_INFINITY;
    op.outcome = 'unknown';
    op.code = null;
    op.instance = instance;
    history.ops.push(op as Op);
    return op as unknown as Op<Kind>;
  }

  /** What the refusal of a whole request says about the token: only one code refuses it. */
  function authorizationOf(error: Refusal): Answer<object> {
    if (error.code === 'unauthorized-access') return { is: 'error', error };
    return { is: 'answer', value: {} };
  }

  async function authenticate(org: number, pick: number, place: Place): Promise<Op<'authenticate'> | null> {
    const own = organizationOf(org);
    const key = newest(own.keys, pick);
    if (key === undefined) return null;
    const done = await attempt('authenticate', { org, key, token: null }, place(), async (service) => ({
      token: await service.authenticate(key),
    }));
    if (done.token !== null) own.tokens.unshift({ token: done.token, key });
    return done;
  }

  async function perform(action: Action, place: Place): Promise<Op | null> {
    switch (action.do) {
      case 'invite': {
        const { org } = action;
        const { email, firstName, lastName } = person(action);
        const details = { org, email, uuid: null, token: null };
        const done = await asProgram(org, place, 'invite', details, (service, by) =>
          service.invite(by, { email, firstName, lastName }),
        );
        if (done?.uuid && done.token !== null) learnInvitation(org, email, done.uuid, done.token);
        return done;
      }
      case 'register': {
        const { org } = action;
        const { email, firstName, lastName } = person(action);
        if (!habits.registersPeople) {
          await perform({ ...action, do: 'invite' }, place);
          return accept({ ...action, do: 'accept', pick: 0 }, place);
        }
        const details = { org, email, token: null, password: null, session: null, uuid: null };
        const done = await attempt('join', details, place(), async (service) => ({
          uuid: await service.register({ org, email, firstName, lastName }),
        }));
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
          return asProgram(org, place, 'revoke', { org, email, uuid }, async (service, by) => {
            await service.revoke(by, uuid);
            return {};
          });
        }
        const details = { org, email, uuid, token: null };
        const done = await asProgram(org, place, 'renew', details, async (service, by) => ({
          token: await service.renew(by, uuid),
        }));
        if (done !== null && done.token !== null) learnInvitation(org, email, uuid, done.token);
        return done;
      }
      case 'remove': {
        const { org } = action;
        const { email } = person(action);
        const uuid = newest(membershipOf(org, email).uuids);
        if (uuid === undefined) return null;
        return asProgram(org, place, 'remove', { org, email }, async (service, by) => {
          await service.remove(by, uuid);
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
        const done = await asProgram(org, place, 'link', details, async (service, by) => ({
          token: await service.issueLink(by, uuid),
        }));
        if (done !== null && done.token !== null) own.links.unshift(done.token);
        return done;
      }
      case 'redeem': {
        const { org } = action;
        const someone = person(action);
        const token = newest(membershipOf(org, someone.email).links, action.pick);
        if (token === undefined) return null;
        const details = { org, email: someone.email, token, session: null };
        const done = await attempt('redeem', details, place(), async (service) => ({
          session: await service.redeem(token),
        }));
        if (done.session !== null) someone.sessions.unshift(done.session);
        return done;
      }
      case 'visit': {
        const { org } = action;
        const { email, sessions } = person(action);
        const session = newest(sessions, action.pick);
        if (session === undefined) return null;
        return attempt('visit', { org, email, session }, place(), async (service) => {
          await service.visit({ session, org });
          return {};
        });
      }
      case 'sign-in': {
        const someone = person(action);
        const { email } = someone;
        const password = newest(someone.passwords);
        if (password === undefined) return null;
        const done = await attempt(
          'signIn',
          { email, password, session: null },
          place(),
          async (service) => ({
            session: await service.signIn({ email, password }),
          }),
        );
        if (done.session !== null) someone.sessions.unshift(done.session);
        return done;
      }
      case 'sign-out': {
        const { email, sessions } = person(action);
        const session = newest(sessions, action.pick);
        if (session === undefined) return null;
        return attempt('signOut', { email, session }, place(), async (service) => {
          await service.signOut(session);
          return {};
        });
      }
      case 'change-password':
        return changePassword(action, place);
      case 'erase': {
        const { email } = person(action);
        return attempt('erase', { email }, place(), async (service) => {
          await service.erase(email);
          return {};
        });
      }
      case 'guess': {
        const { email } = person(action);
        return attempt('guess', { email }, place(), async (service) => {
          await service.signIn({ email, password: 'a wrong guess' });
          return {};
        });
      }
      case 'replace-key': {
        const { org, keepsOld } = action;
        const done = await attempt('replaceKey', { org, keepsOld, key: null }, place(), async (service) => ({
          key: await service.replaceKey({ org, keepsOld }),
        }));
        if (done.key !== null) organizationOf(org).keys.unshift(done.key);
        return done;
      }
      case 'authenticate':
        return authenticate(action.org, action.pick, place);
      case 'call': {
        const { org } = action;
        const token = newest(organizationOf(org).tokens, action.pick);
        if (token === undefined) return null;
        const request = place();
        return attempt('call', { org, key: token.key }, request, async (service) => {
          const by = await service.authorize({ token: token.token, org });
          if (!service.authorizesFirst) await readWebhook(org, service, by, request.instance);
          return {};
        });
      }
      case 'configure': {
        const { org, enabled } = action;
        const url = habits.urlOf(org, action.url);
        const details = {
          org,
          enabled,
          url,
          rotates: false,
          overlap: false,
          idempotencyKey: null,
          secret: null,
        };
        return asProgram(org, place, 'configure', details, async (service, by) => ({
          secret: await service.configure(by, { url, enabled }),
        }));
      }
      case 'rotate':
        return rotate(action, place);
      case 'finish-rotation': {
        const { org } = action;
        return asProgram(org, place, 'finishRotation', { org }, async (service, by) => {
          await service.finishRotation(by);
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
        return asProgram(org, place, 'read', { ...details }, async (service, by) => {
          const { bodies, hasMore } = await service.read(by, { order: 'desc', limit: 1000 });
          return { bodies, hasMore };
        });
      }
      case 'redeliver':
        return redeliver(action, place);
      case 'redeliver-failed': {
        const { org } = action;
        const details = { org, count: null };
        return asProgram(org, place, 'redeliverFailed', details, async (service, by) => ({
          count: await service.redeliverFailed(by),
        }));
      }
      case 'test': {
        const { org } = action;
        const details = { org, eventId: null, state: null };
        return asProgram(org, place, 'test', details, (service, by) => service.test(by));
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
    const chosen = habits.passwordOf(passwords);
    const join = async (password: string, is: 'new' | 'known'): Promise<Op<'join'>> => {
      const { email, firstName, lastName } = someone;
      const details = { org, email, token, password, session: null, uuid: null };
      const done = await attempt('join', details, place(), async (service) => {
        const named = is === 'new' ? { email, firstName, lastName } : null;
        const session = await service.accept({ token, person: named, password });
        return { session, uuid: invitation.uuid };
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
    const to = habits.passwordOf(passwords);
    const details = { email, from, to, session: null };
    const done = await attempt('changePassword', details, place(), async (service) => ({
      session: await service.changePassword({ session, from, to }),
    }));
    if (done.outcome === 'ok' || done.outcome === 'unknown') someone.passwords.unshift(to);
    if (done.session !== null) someone.sessions.unshift(done.session);
    return done;
  }

  async function rotate(action: Action & { readonly do: 'rotate' }, place: Place): Promise<Op | null> {
    const { org, overlap, idempotencyKey } = action;
    const details = { org, enabled: true, url: null, rotates: true, overlap, idempotencyKey, secret: null };
    return asProgram(org, place, 'configure', details, async (service, by) => ({
      secret: await service.rotate(by, { overlap, idempotencyKey }),
    }));
  }

  /** A call with the token that shows the webhook too. */
  async function readWebhook(org: number, service: Service, by: Authorized, instance: number): Promise<void> {
    const op = start('readWebhook', { org, url: null, enabled: null }, instance);
    try {
      settle(op, { is: 'answer', value: await service.readWebhook(by) });
    } catch (error) {
      if (error instanceof Refusal) settle(op, { is: 'error', error });
      throw error;
    }
  }

  async function read(action: Action & { readonly do: 'read' }, place: Place): Promise<Op | null> {
    const { org, reader, limit } = action;
    const { cursors } = organizationOf(org);
    const isFirst = !cursors.has(reader);
    const after = cursors.get(reader);
    const details = { org, reader, order: 'asc', isFirst, bodies: [], hasMore: true } as const;
    return asProgram(org, place, 'read', { ...details }, (service, by) =>
      service.read(by, { after, order: 'asc', limit }),
    ).then((done) => {
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
    const details = { org, eventId, idempotencyKey };
    return asProgram(org, place, 'redeliver', details, async (service, by) => {
      await service.redeliver(by, { eventId, idempotencyKey });
      return {};
    });
  }

  return {
    act,
    people,
    /** What exists before the first action, made by the same calls while it is calm. */
    async prepare(service: Service): Promise<void> {
      calm = service;
      const place = (): { instance: number; key: number; timeLimit: number } => ({
        instance: 0,
        key: 0,
        timeLimit: 0,
      });
      for (const org of organizations) {
        await perform({ do: 'replace-key', org, keepsOld: false } as Action, place);
        await authenticate(org, 0, place);
        const webhook = context.plan.webhooks[org - 1];
        if (webhook !== 'none')
          await perform({ do: 'configure', org, enabled: webhook === 'on', url: 0 } as Action, place);
      }
      calm = null;
    },
    /**
     * The same without calm: each organization knows one access key, and asks until it has a token and its webhook.
     * `pause` waits between two tries.
     */
    async prepareWith(keys: ReadonlyMap<number, string>, pause: () => Promise<boolean>): Promise<void> {
      const place = (): ReturnType<Place> => ({ instance: 0, key: 0, timeLimit: 10_000 });
      const untilDone = async (ask: () => Promise<Op | null>): Promise<void> => {
        while ((await ask())?.outcome !== 'ok') if (!(await pause())) return;
      };
      for (const org of organizations) {
        const key = keys.get(org) ?? null;
        const made = start('replaceKey', { org, keepsOld: false, key }, 0);
        settle(made, { is: 'answer', value: {} });
        if (key !== null) organizationOf(org).keys.unshift(key);
        await untilDone(() => authenticate(org, 0, place));
        const webhook = context.plan.webhooks[org - 1];
        const action = { do: 'configure', org, enabled: webhook === 'on', url: 0 } as Action;
        if (webhook !== 'none') await untilDone(() => perform(action, place));
      }
    },
    cursorsOf: (org: number): ReadonlyMap<string, string | undefined> => organizationOf(org).cursors,
  };
}
