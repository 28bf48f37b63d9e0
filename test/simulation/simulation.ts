import type { Limits, Secrets, StoragePorts } from '@rollcall/core';
import { memoryStoragePorts } from '#core/testing/memory/memory-storage.js';
import { emptyState, type State } from '#core/testing/memory/state.js';
import {
  countedIds,
  memoryLimits,
  plainPasswords,
  plainSecrets,
  plainTokens,
} from '#core/testing/stand-ins.js';
import { mix, textKey } from './chance.js';
import type { History } from './history.js';
import type { Ear } from './news.js';
import type { FaultKind, Plan } from './plan.js';
import { createScheduler, type Scheduler } from './scheduler.js';

/** 2026-11-20T12:00:00Z. */
export const START_MS = 1_795_176_000_000;

/** The ports that the storage serves, for all instances together. */
export interface SharedPorts extends StoragePorts {
  readonly limits: Limits;
}

/** What a planted fault can use to do harm. */
export interface Tools {
  readonly state: State;
  /** Lets others go on, and never ends if the process that calls the storage crashes. */
  readonly step: () => Promise<void>;
  /** The time of the storage. */
  readonly now: () => Date;
}

/** Replaces parts of the product by wrong ones. */
export interface Planted {
  readonly ports?: (
    ports: SharedPorts,
    tools: Tools,
  ) => { readonly [Port in keyof SharedPorts]?: Partial<SharedPorts[Port]> };
  readonly secrets?: (secrets: Secrets) => Partial<Secrets>;
  /** The storage's times of claims are those of the instances. */
  readonly usesInstanceClocks?: boolean;
  /** How the dispatcher is set, and which claims count as left behind. */
  readonly dispatcher?: { readonly steadyAfterMs?: number; readonly recoversOlderThanMs?: number | null };
}

/** How much happened in a run. */
export interface Counts {
  /** The scheduler's choices of who goes on. */
  readonly steps: number;
  readonly requests: number;
  readonly deliveries: number;
  readonly crashes: number;
}

/** A call that went wrong by intention. */
export interface FiredFault {
  readonly key: number;
  readonly kind: FaultKind;
}

/** One run: everything that its instances and clients share. */
export interface Simulation {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly state: State;
  readonly shared: SharedPorts;
  readonly planted: Planted;
  readonly secrets: Secrets;
  readonly tokens: ReturnType<typeof plainTokens>;
  readonly passwords: ReturnType<typeof plainPasswords>;
  readonly fired: FiredFault[];
  /** By instance. */
  readonly ears: (Ear | undefined)[];
  requests: number;
  crashes: number;
  /** While it is calm, calls take no time and nothing goes wrong: before the first action, and for the last look. */
  isCalm: boolean;
  /** From this time on, no call goes wrong. */
  peaceAt: number;
  nextUuid(): string;
  /** One line of the story of the run. */
  tell(text: () => string): void;
}

export function createSimulation(plan: Plan, planted: Planted, lines: string[] | null): Simulation {
  const scheduler = createScheduler();
  const state = emptyState();
  const now = (): Date => new Date(START_MS + Math.floor(scheduler.now()));
  const { uuid } = countedIds();
  const simulation: Simulation = {
    plan,
    scheduler,
    history: { ops: [], sends: [], claims: [], notices: [], bugs: [] },
    state,
    shared: { ...memoryStoragePorts(state), limits: memoryLimits({ now }) },
    planted,
    secrets: shortlySigning(plainSecrets()),
    tokens: plainTokens(),
    passwords: plainPasswords(),
    fired: [],
    ears: [],
    requests: 0,
    crashes: 0,
    isCalm: true,
    peaceAt: Number.POSITIVE_INFINITY,
    nextUuid: uuid,
    tell(text) {
      lines?.push(`${(scheduler.now() / 1000).toFixed(3).padStart(9)} s  ${text()}`);
    },
  };
  if (planted.ports === undefined && planted.secrets === undefined) return simulation;
  const step = (): Promise<void> => {
    if (simulation.isCalm) return Promise.resolve();
    const { key, host, caller } = scheduler.flow();
    return new Promise((resolve) =>
      scheduler.after(plan.latency, { key: mix(key, 5), host: caller ?? host, calls: 0 }, resolve),
    );
  };
  const wrong: Record<string, object> = planted.ports?.(simulation.shared, { state, step, now }) ?? {};
  const shared: Record<string, object> = { ...simulation.shared };
  for (const [port, methods] of Object.entries(wrong)) shared[port] = { ...shared[port], ...methods };
  const secrets = { ...simulation.secrets, ...planted.secrets?.(simulation.secrets) };
  return Object.assign(simulation, { shared, secrets });
}

/** Whether a delivery is waiting or under way. */
export function isBusy({ state }: Simulation): boolean {
  for (const delivery of state.deliveries.values())
    if (delivery.state === 'pending' || delivery.state === 'sending') return true;
  return false;
}

/** A signature names the secret and the text that it signs, in few characters. */
function shortlySigning(secrets: Secrets): Secrets {
  return {
    ...secrets,
    sign: ({ body, secret }) => `${secret.reveal()}~${textKey(body)}`,
    signBase64: ({ text, secret }) => `${secret.reveal()}~${textKey(text)}`,
  };
}
