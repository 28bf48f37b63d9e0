import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fraction, mix } from '../simulation/chance.js';
import { check, type Evidence } from '../simulation/checker.js';
import { type Answer, createClients, type Habits } from '../simulation/clients.js';
import type { Final } from '../simulation/final.js';
import { type History, ofKind, type Send, type Signatures, UNKNOWN_INSTANCE } from '../simulation/history.js';
import { type Action, organizations, type Plan } from '../simulation/plan.js';
import type { Service } from '../simulation/service.js';
import type { Disturbance } from './disturbances.js';
import { Lost, Unreachable } from './exchange.js';
import { observe, type Received } from './observed-deliveries.js';

/** What a plan needs of the instances. */
export interface PlanSurroundings {
  readonly size: number;
  readonly plan: Plan;
  /** Each action begins when the one before has ended, not at its time. */
  readonly inTurn: boolean;
  readonly receiverUrl: string;
  /** Milliseconds since the beginning of the run. */
  readonly now: () => number;
  readonly keys: ReadonlyMap<number, string>;
  serviceOf(instance: number, timeoutMs: number): Service;
}

/** One plan of the simulation, carried out by clients of real instances. Its organizations and people are its own. */
export interface PlanRun {
  readonly number: number;
  readonly history: History;
  /** Does everything, and ends when every action has. */
  run(): Promise<void>;
  /** Receives a request for one of the plan's organizations. */
  receive(request: IncomingMessage, response: ServerResponse, body: string): void;
  cursorsOf(org: number): ReadonlyMap<string, string | undefined>;
  /** What is known in the end. */
  evidence(known: {
    readonly finals: readonly Final[];
    readonly storedText: string;
    readonly isSettled: boolean;
    readonly disturbances: readonly Disturbance[];
    readonly timeOf: (date: Date) => number;
    readonly slownessMs: number;
  }): { readonly evidence: Evidence; readonly broken: readonly string[] };
}

/** An organization without a token or a webhook by then goes on without. */
const MAX_PREPARATION_MS = 30_000;
/** A receiver answers this late, most of the time. */
const USUAL_ANSWER_MS = 60;
const SLOW_ANSWER_MS = 1_500;

export function createPlanRun(number: number, surroundings: PlanSurroundings): PlanRun {
  const { size, plan, inTurn, receiverUrl, now, keys, serviceOf } = surroundings;
  const { seed } = plan;
  const history: History = { ops: [], sends: [], claims: [], notices: [], bugs: [] };
  const received = new Map<number, Received[]>(organizations.map((org) => [org, []]));
  let urls = 0;
  const habits: Habits = {
    emailOf: (name) => `${name}.${number}@people.test`,
    // Each is used once, so that a lost configuration shows.
    urlOf(org) {
      urls += 1;
      return `${receiverUrl}/plan-${number}/org-${org}./hook-${urls}`;
    },
    registersPeople: false,
    passwordOf: (count) => `quartz-${seed}-lantern-${count}`,
  };
  const context = {
    plan,
    history,
    scheduler: { tick: now, now },
    isCalm: false,
    tell: () => undefined,
  };
  const instances = Array.from({ length: size }, (_, instance) => ({
    async call<Value>(
      { timeLimit }: { readonly timeLimit: number },
      run: (service: Service) => Promise<Value>,
    ): Promise<Answer<Value>> {
      try {
        return { is: 'answer', value: await run(serviceOf(instance, timeLimit)) };
      } catch (error) {
        if (error instanceof Lost) return { is: 'lost' };
        if (error instanceof Unreachable) return { is: 'unreachable' };
        return { is: 'error', error };
      }
    },
  }));
  const clients = createClients(context, instances, habits);
  let requests = 0;

  return {
    number,
    history,
    cursorsOf: clients.cursorsOf,
    async run() {
      const last = now() + MAX_PREPARATION_MS;
      await clients.prepareWith(keys, async () => {
        await pause(300);
        return now() < last;
      });
      const act = (action: Action): Promise<unknown> =>
        clients
          .act({ ...action, instance: mix(seed, action.id) % size })
          .catch((error: Error) => history.bugs.push(error.stack ?? String(error)));
      if (inTurn) {
        for (const action of plan.actions) await act(action);
        return;
      }
      const begun = now();
      await Promise.all(
        plan.actions.map(async (action) => {
          await pause(Math.max(begun + action.at - now(), 0));
          await act(action);
        }),
      );
    },
    receive(request, response, body) {
      const at = now();
      const org = Number(/\/org-(\d+)\./.exec(request.url ?? '')?.[1] ?? 0);
      const headers = headersOf(request);
      const url = `${receiverUrl}${request.url}`;
      const eventId = headers['X-Service-Event-Id'] ?? '';
      const seen: Received = {
        eventId,
        url,
        headers,
        body,
        at,
        status: null,
        endedAt: Number.POSITIVE_INFINITY,
      };
      received.get(org)?.push(seen);
      // Clients ask for what has arrived to be sent again.
      history.sends.push(asSend(seen));
      response.once('close', () => {
        seen.endedAt = now();
      });
      requests += 1;
      const { fails, stalls } = plan.receivers[org - 1] ?? { fails: 0, stalls: 0 };
      const key = mix(seed, requests);
      const drawn = fraction(key, 1) * 100;
      if (drawn < stalls) return;
      const wait = key % 8 === 0 ? SLOW_ANSWER_MS : USUAL_ANSWER_MS;
      setTimeout(() => {
        if (response.destroyed) return;
        seen.status = drawn < stalls + fails ? 500 : 200;
        response.writeHead(seen.status).end();
      }, fraction(key, 2) * wait);
    },
    evidence({ finals, storedText, isSettled, disturbances, timeOf, slownessMs }) {
      const observed = finals.map(({ org, deliveries }) =>
        observe({
          org,
          deliveries,
          received: received.get(org) ?? [],
          disturbances,
          timeOf,
          end: now(),
          slownessMs,
        }),
      );
      const complete: History = {
        ...history,
        sends: observed.flatMap(({ sends }) => sends),
        claims: observed.flatMap(({ claims }) => claims),
      };
      const evidence: Evidence = {
        clocks: [0],
        history: complete,
        finals,
        storedText,
        isSettled,
        signaturesOf: (send) => signaturesOf(complete, send),
      };
      return { evidence, broken: [...observed.flatMap(({ problems }) => problems), ...check(evidence)] };
    },
  };
}

function asSend({ eventId, url, headers, body, at }: Received): Send {
  return {
    eventId,
    url,
    headers,
    body,
    process: { instance: UNKNOWN_INSTANCE, diedAt: Number.POSITIVE_INFINITY, freezes: [] },
    start: at,
    startedAt: at,
    arrived: at,
    ended: null,
    isDelivered: false,
  };
}

function headersOf({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers[rawHeaders[index] ?? ''] = rawHeaders[index + 1] ?? '';
  return headers;
}

/** No secret that a client was told, or a signature of something else. */
const UNKNOWN = 'unknown secret';

/** Finds the secrets by trying those that the organization was told. */
function signaturesOf(history: History, { url, eventId, headers, body }: Send): Signatures {
  const org = Number(/\/org-(\d+)\./.exec(url)?.[1] ?? 0);
  const secrets = ofKind(history, 'configure').flatMap((op) =>
    op.org === org && op.secret !== null ? [op.secret] : [],
  );
  const text = `${eventId}.${headers['webhook-timestamp']}.${body}`;
  const named = (isRight: (secret: string) => boolean): string => secrets.find(isRight) ?? UNKNOWN;
  const specified = headers['X-Service-Signature'] ?? '';
  return {
    specified: named(
      (secret) => specified === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ),
    standard: (headers['webhook-signature'] ?? '').split(' ').map((one) =>
      named((secret) => {
        const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
        return one === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
      }),
    ),
    problems: [],
  };
}
