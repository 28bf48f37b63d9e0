import { setTimeout as pause } from 'node:timers/promises';
import { type Core, Secret } from '@rollcall/core';
import { formTokens } from '#adapters/node/crypto/form-tokens.js';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { mix } from '../simulation/chance.js';
import { type Final, lookAt } from '../simulation/final.js';
import { organizations, type Plan } from '../simulation/plan.js';
import { coreService, type Service } from '../simulation/service.js';
import { type Random, randomNumbers } from '../support/random-numbers.js';
import type { Answer } from '../support/receiver.js';
import { watchSlowness } from '../support/slowness.js';
import { until } from '../support/wait.js';
import { type Cluster, OPERATOR_TOKEN } from './cluster.js';
import { disturb, type Fault } from './disturb.js';
import type { Disturbance } from './disturbances.js';
import { httpService } from './http-service.js';
import { createPlanRun, type PlanRun } from './plan-run.js';
import { storyOf } from './story-of.js';

export interface RunHistories {
  readonly seed: number;
  /** The most plans. Each needs two of the cluster's organizations; one more is the owner's. */
  readonly plans: number;
  /** How many plans are carried out at the same time. */
  readonly atOnce: number;
  /** No plan begins later. */
  readonly seconds: number;
  /** The plan for a seed. */
  readonly planOf: (seed: number) => Plan;
  /** Each action of a plan begins when the one before has ended, not at its time. */
  readonly inTurn?: boolean;
  /** What happens to the instances, one after the other in any order; none: nothing. */
  readonly faults: readonly Fault[];
  /** The shortest and the longest time from one disturbance to the next, in milliseconds. */
  readonly between: readonly [number, number];
  /** Whether to wait until abandoned deliveries are recovered, or to make them older. */
  readonly waits: boolean;
}

export interface HistoriesReport {
  readonly counts: Readonly<Record<string, number>>;
  /** Each broken promise, with the smallest part of the history that shows it. */
  readonly failures: readonly { readonly broken: string; readonly story: readonly string[] }[];
}

const OWNER = { email: 'owner@people.test', password: 'obsidian-teapot-harbour-42' };
const SETTLE_MS = 150_000;
/** After this time, answers that were on their way have arrived. */
const QUIET_MS = 1_500;
/** From the beginning of one plan to the next. */
const APART_MS = 100;
/** Plans whose failures are told. */
const MAX_TOLD = 3;

/** Which plan a request to the receiver is for: the receiver exists before the plans do. */
export type PlansByNumber = Map<number, PlanRun>;

/**
 * Lets clients carry out plans of the simulation on real instances while these are killed, frozen and restarted, and
 * checks the histories of all of them as the simulation does.
 */
export function runHistories(
  cluster: Cluster,
  runs: PlansByNumber,
  options: RunHistories,
): Promise<HistoriesReport> {
  return cluster.embedded((core) => runWith(core, cluster, runs, options));
}

async function runWith(
  core: Core,
  cluster: Cluster,
  runs: PlansByNumber,
  { seed, plans, atOnce, seconds, planOf, inTurn = false, faults, between, waits }: RunHistories,
): Promise<HistoriesReport> {
  const zero = performance.now();
  const now = (): number => performance.now() - zero;
  const zeroDate = performance.timeOrigin + zero;
  const timeOf = (date: Date): number => date.getTime() - zeroDate;
  const slowness = watchSlowness();
  const tokens = formTokens(createKeyring({ secretKey: cluster.secretKey }));
  const session = { owner: '' };
  const serviceOf = (instance: number, timeoutMs: number, from: string) => {
    const { url, operatorUrl } = cluster.instances[instance] ?? { url: '', operatorUrl: null };
    return {
      url,
      operatorUrl,
      operatorToken: OPERATOR_TOKEN,
      publicUrl: cluster.publicUrl,
      formTokens: tokens,
      ownersSession: () => session.owner,
      from,
      timeoutMs,
    };
  };
  await addOwner(cluster);
  await Promise.all(cluster.instances.map((instance) => instance.start()));
  session.owner = await httpService({
    ...serviceOf(0, 20_000, '127.0.0.1'),
    idOf: (org) => org,
  }).signIn(OWNER);

  const random = randomNumbers(seed);
  const disturbances: Disturbance[] = [];
  const organizationOf = (number: number, org: number): { readonly id: number; readonly name: string } => {
    const index = (number - 1) * organizations.length + org - 1;
    return { id: cluster.organizations[index]?.id ?? 0, name: `Organization ${index + 1}` };
  };
  const begin = (number: number): PlanRun => {
    const idOf = (org: number): number => organizationOf(number, org).id;
    const run = createPlanRun(number, {
      size: cluster.instances.length,
      plan: planOf(mix(seed, number)),
      inTurn,
      receiverUrl: cluster.receiver.url,
      now,
      keys: new Map(
        organizations.map((org) => [
          org,
          cluster.organizations.find(({ id }) => id === idOf(org))?.accessKey ?? '',
        ]),
      ),
      serviceOf(instance, timeoutMs) {
        const service = httpService({ ...serviceOf(instance, timeoutMs, addressOf(number)), idOf });
        return number % 2 === 0 ? service : acceptingHere(core, service);
      },
    });
    runs.set(number, run);
    return run;
  };

  const end = now() + seconds * 1_000;
  const state = { isOver: false, next: 1 };
  const disturbing = keepDisturbing(cluster, { random, faults, between, disturbances, now, state });
  await Promise.all(
    Array.from({ length: atOnce }, async (_, slot) => {
      await pause(slot * APART_MS);
      while (state.next <= plans && now() < end) {
        const number = state.next;
        state.next += 1;
        await begin(number).run();
      }
    }),
  );
  state.isOver = true;
  await disturbing;
  await pause(QUIET_MS);
  if (!waits) await cluster.ageAbandonedClaims();
  const isSettled = await until(async () => (await cluster.unfinished()) === 0, SETTLE_MS);
  await pause(QUIET_MS);

  const all = [...runs.values()];
  const storedText = all.some(({ history }) => history.ops.some(({ did }) => did === 'erase'))
    ? await cluster.storedText()
    : '';
  const slownessMs = slowness.stop();
  const finals = await finalsOf(cluster, all, organizationOf);
  const failures: { broken: string; story: readonly string[] }[] = [];
  for (const run of all) {
    const { evidence, broken } = run.evidence({
      finals: finals.get(run.number) ?? [],
      storedText,
      isSettled,
      disturbances,
      timeOf,
      slownessMs,
    });
    for (const text of broken) {
      const isTold = failures.filter(({ story }) => story.length > 0).length < MAX_TOLD;
      failures.push({
        broken: `plan ${run.number}: ${text}`,
        story: isTold ? storyOf(evidence, text, disturbances) : [],
      });
    }
  }
  const errors = cluster.instances.flatMap((instance) => instance.errors());
  await Promise.all(cluster.instances.map((instance) => instance.stop('SIGTERM')));
  return {
    counts: { ...countsOf(all, disturbances), 'slowest timer, ms': slownessMs },
    failures: [
      ...failures,
      ...errors.map((line) => ({
        broken: `an unexpected error in a log: ${line.slice(0, 2_000)}`,
        story: [],
      })),
    ],
  };
}

/** The instance, but invitations are accepted by this process, which sends no events. */
function acceptingHere(core: Core, service: Service): Service {
  const here = coreService(core, () => 0);
  return {
    ...service,
    accept: ({ token, ...request }) =>
      here.accept({ ...request, token: token.slice(token.lastIndexOf('/') + 1) }),
  };
}

/** An owner of every organization, who replaces access keys. */
function addOwner({ embedded, organizations: all }: Cluster): Promise<void> {
  return embedded(async (core) => {
    const { email, password } = OWNER;
    await core.addUser({
      email,
      firstName: 'Olga',
      lastName: 'Ortiz',
      password: new Secret(password),
    });
    for (const { id } of all) await core.addMember({ organizationId: id, email, role: 'owner', idpId: null });
  });
}

/** Each plan has its own, because failures are counted by address. */
function addressOf(number: number): string {
  return `127.${16 + ((number >> 8) & 127)}.${number & 255}.1`;
}

async function keepDisturbing(
  cluster: Cluster,
  {
    random,
    faults,
    between: [shortest, longest],
    disturbances,
    now,
    state,
  }: {
    readonly random: Random;
    readonly faults: readonly Fault[];
    readonly between: readonly [number, number];
    readonly disturbances: Disturbance[];
    readonly now: () => number;
    readonly state: { readonly isOver: boolean };
  },
): Promise<void> {
  const underWay: Promise<void>[] = [];
  const busy = new Set<number | 'all'>();
  // Every kind once in each round, so that short runs have them all.
  for (let round: Fault[] = []; faults.length > 0; ) {
    const wait = now() + shortest + random(longest - shortest);
    await until(() => state.isOver || now() >= wait, longest * 2);
    if (state.isOver) break;
    if (round.length === 0) round = [...faults];
    const [fault] = round.splice(random(round.length), 1);
    if (fault === undefined) continue;
    const instance = fault.isOfInstance ? random(cluster.instances.length) : null;
    const place = instance ?? 'all';
    if (busy.has(place)) continue;
    busy.add(place);
    underWay.push(
      disturb(cluster, { fault, instance, disturbances, now, length: fault.length(random) }).finally(() =>
        busy.delete(place),
      ),
    );
  }
  await Promise.all(underWay);
}

async function finalsOf(
  cluster: Cluster,
  runs: readonly PlanRun[],
  organizationOf: (number: number, org: number) => { readonly id: number; readonly name: string },
): Promise<ReadonlyMap<number, readonly Final[]>> {
  return cluster.embedded(async (core) => {
    const finals = new Map<number, readonly Final[]>();
    for (const { number, cursorsOf } of runs) {
      const own: Final[] = [];
      for (const org of organizations) {
        const final = await lookAt(core, { org, organization: organizationOf(number, org) }, cursorsOf(org));
        own.push({ ...final, members: final.members.filter((email) => email !== OWNER.email) });
      }
      finals.set(number, own);
    }
    return finals;
  });
}

function countsOf(
  runs: readonly PlanRun[],
  disturbances: readonly Disturbance[],
): Readonly<Record<string, number>> {
  const ops = runs.flatMap(({ history }) => history.ops);
  const counts: Record<string, number> = {
    plans: runs.length,
    operations: ops.length,
    done: ops.filter(({ outcome }) => outcome === 'ok').length,
    refused: ops.filter(({ outcome }) => outcome === 'refused').length,
    'unknown outcomes': ops.filter(({ outcome }) => outcome === 'unknown').length,
    'not sent': ops.filter(({ outcome }) => outcome === 'unreachable').length,
    'requests to receivers': runs.reduce((sum, { history }) => sum + history.sends.length, 0),
  };
  for (const { kind } of disturbances) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Answers each request to the receiver as its plan says. */
export function answerWith(runs: PlansByNumber): Answer {
  return (request, response, body) => {
    const number = Number(/^\/plan-(\d+)\//.exec(request.url ?? '')?.[1] ?? 0);
    const run = runs.get(number);
    if (run === undefined) response.writeHead(404).end();
    else run.receive(request, response, body.toString());
  };
}
