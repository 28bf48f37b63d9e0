import type { Core } from '@rollcall/core';
import { textKey } from './chance.js';
import { check } from './checker.js';
import { createClients } from './clients.js';
import { coreFor } from './cores.js';
import { lookAt } from './final.js';
import { deliveryIds, type History, type Send, type Signatures } from './history.js';
import { createInstance } from './instance.js';
import { organizations, type Plan } from './plan.js';
import { coreService } from './service.js';
import {
  type Counts,
  createSimulation,
  type FiredFault,
  isBusy,
  type Planted,
  type Simulation,
  START_MS,
} from './simulation.js';

/** How a run ended. */
export interface Ended extends Counts {
  /** The promises that were broken; empty if none was. */
  readonly broken: readonly string[];
  /** The calls that went wrong by intention. */
  readonly fired: readonly FiredFault[];
  readonly history: History;
}

const SETTLE_MS = 15 * 60_000;

/** Runs the plan, then waits until nothing is under way, and checks everything. */
export async function runPlan(
  plan: Plan,
  { planted = {}, lines = null }: { readonly planted?: Planted; readonly lines?: string[] | null } = {},
): Promise<Ended> {
  const simulation = createSimulation(plan, planted, lines);
  const { scheduler, history } = simulation;
  const instances = plan.clocks.map((_, index) => createInstance(simulation, index));
  const clients = createClients(simulation, instances);
  await load(simulation);
  const core = calmCore(simulation);
  await clients.prepare(coreService(core, deliveryIds(history)));
  simulation.isCalm = false;

  let underWay = 0;
  for (const action of plan.actions) {
    scheduler.after(action.at, { key: 0, host: null, calls: 0 }, () => {
      underWay += 1;
      clients.act(action).then(
        () => {
          underWay -= 1;
        },
        (error: unknown) => {
          history.bugs.push(error instanceof Error ? (error.stack ?? '') : String(error));
        },
      );
    });
  }
  for (const { instance, at, downFor } of plan.crashes)
    scheduler.after(at, { key: 0, host: null, calls: 0 }, () => instances[instance]?.crash(downFor));
  for (const { instance, at, lasts, afterClaim } of plan.freezes)
    scheduler.after(at, { key: 0, host: null, calls: 0 }, () =>
      instances[instance]?.freeze(lasts, { afterClaim }),
    );
  const end = Math.max(
    0,
    ...plan.actions.map(({ at }) => at),
    ...plan.crashes.map(({ at }) => at),
    ...plan.freezes.map(({ at }) => at),
    ...plan.outages.map(({ to }) => to),
  );
  simulation.peaceAt = end + 20_000;
  // Looking earlier would only show what is under way.
  const isOver = (): boolean =>
    scheduler.now() > end &&
    underWay === 0 &&
    !isBusy(simulation) &&
    !instances.some((instance) => instance.isFrozen());
  const isSettled = await scheduler.run({ time: end + SETTLE_MS, every: 500, isDone: isOver });
  simulation.isCalm = true;
  const finals = await Promise.all(
    organizations.map((org) =>
      lookAt(core, { org, organization: organizationOf(org) }, clients.cursorsOf(org)),
    ),
  );
  const broken = check({
    clocks: plan.clocks,
    history,
    finals,
    isSettled,
    storedText: storedText(simulation),
    signaturesOf,
  });
  const { fired, requests, crashes } = simulation;
  const deliveries = finals.reduce((sum, final) => sum + final.deliveries.length, 0);
  return { broken, steps: scheduler.tick(), requests, deliveries, crashes, fired, history };
}

function organizationOf(org: number): { readonly id: number; readonly name: string } {
  return { id: org, name: `Organization ${org}` };
}

/** Empty if nobody was erased, because only then it matters. */
function storedText({ state, history }: Simulation): string {
  if (!history.ops.some(({ did }) => did === 'erase')) return '';
  return JSON.stringify(Object.values(state).map(withoutMaps));
}

/** Entries in place of a map and of the maps in it. */
function withoutMaps(value: unknown): unknown {
  return value instanceof Map ? Array.from(value, ([key, inner]) => [key, withoutMaps(inner)]) : value;
}

async function load({ state }: Simulation): Promise<void> {
  for (const id of organizations)
    state.organizations.set(id, {
      ...organizationOf(id),
      eap: false,
      timeZone: null,
      accessKeyGeneration: 0,
      previousAccessKey: null,
      accessKeyHash: null,
      accessKeyCreatedAt: null,
      accessKeyUsedAt: null,
      previousHash: null,
      previousUsedAt: null,
      accessKeyLabel: { lastDigits: null, name: null },
      previousLabel: { lastDigits: null, name: null },
    });
}

/** A core without an instance, which reaches the storage at once. */
function calmCore(simulation: Simulation): Core {
  return coreFor(-1, {
    simulation,
    shared: simulation.shared,
    dispatcher: { wake() {} },
    webhookSender: {
      refusalOf: () => null,
      send: () => Promise.reject(new Error('sent while it is calm')),
    },
    clock: { now: () => new Date(START_MS + Math.floor(simulation.scheduler.now())), pause: async () => {} },
    callStorage: null,
  });
}

/** The parts of a signature that `shortlySigning` made. */
function signaturesOf({ eventId, headers, body }: Send): Signatures {
  const specified = /^sha256=(.*)~(\d+)$/.exec(headers['X-Service-Signature'] ?? '');
  const standard = (headers['webhook-signature'] ?? '').split(' ').map((one) => /^v1,(.*)~(\d+)$/.exec(one));
  const signedText = `${eventId}.${headers['webhook-timestamp']}.${body}`;
  const problems: string[] = [];
  if (specified?.[2] !== String(textKey(body))) problems.push('has a signature of other bytes');
  if (standard.some((one) => one?.[2] !== String(textKey(signedText))))
    problems.push('has a standard signature of other bytes');
  return { specified: specified?.[1] ?? '', standard: standard.map((one) => one?.[1] ?? ''), problems };
}
