import { Unavailable } from '@rollcall/core';
import { fraction, mix } from './chance.js';
import type { Process } from './history.js';
import { type FaultKind, faultKinds } from './plan.js';
import type { Flow, Host } from './scheduler.js';
import type { Simulation } from './simulation.js';

/** The process that calls. */
export interface Caller extends Host {
  readonly process: Process;
  readonly name: string;
  crash(): void;
}

/**
 * Calls the storage for a process. The call waits for its turn twice: before the storage does its work, all of it at
 * once, and before the answer arrives. It can go wrong at both.
 */
export function callStorage(
  simulation: Simulation,
  caller: Caller,
  name: string,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const { scheduler, plan } = simulation;
  const parent = scheduler.flow();
  const key = nextKey(parent);
  const flow: Flow = { key, host: caller, calls: 0 };
  // With a server as its storage, a process may never learn what it has done. A file answers at once.
  const isServer = plan.clocks.length > 1;
  const isOnItsWay = isServer && (key & 1) === 1;
  const storageFlow: Flow = isOnItsWay ? { key: mix(key, 9), host: null, caller, calls: 0 } : flow;
  const fault = faultOf(simulation, key);
  const there = latency(simulation, key, 1) + (fault === 'slow' && (key & 2) === 0 ? seconds(key, 5) : 0);
  const back = latency(simulation, key, 2) + (fault === 'slow' && (key & 2) !== 0 ? seconds(key, 5) : 0);
  if (fault !== null) {
    simulation.fired.push({ key, kind: fault });
    simulation.tell(() => `${caller.name}: ${name} ${faultTexts[fault]} (fault ${key}).`);
  }
  return new Promise((resolve, reject) => {
    const answer = (settle: () => void): void => {
      scheduler.after(back, flow, () => {
        if (isServer && isAway(simulation)) reject(new Unavailable('The storage went away'));
        else settle();
      });
    };
    if (fault === 'late') {
      scheduler.after(seconds(key, 4), flow, () => reject(new Unavailable('The storage took too long')));
      const lateFlow = { key: mix(key, 9), host: null, caller, calls: 0 };
      scheduler.after(4_000 + seconds(key, 6), lateFlow, () => void work().catch(() => {}));
      return;
    }
    scheduler.after(there, fault === 'crash-before' ? flow : storageFlow, () => {
      if (fault === 'crash-before') {
        caller.crash();
        return;
      }
      if (fault === 'refused' || isAway(simulation)) {
        answer(() => reject(new Unavailable('The storage is away')));
        return;
      }
      work().then(
        (value) => {
          if (fault === 'crash-after') caller.crash();
          answer(() => (fault === 'lost' ? reject(new Unavailable('The answer is lost')) : resolve(value)));
        },
        (error: unknown) => answer(() => reject(error)),
      );
    });
  });
}

const faultTexts: Record<FaultKind, string> = {
  'crash-before': 'is about to be called when the process dies',
  'crash-after': 'is done, and then the process dies',
  refused: 'finds the storage away',
  lost: 'is done, but the answer is lost',
  late: 'is given up by the caller, and done afterwards',
  slow: 'takes seconds',
};

export function nextKey(flow: Flow): number {
  flow.calls += 1;
  return mix(flow.key, flow.calls);
}

/** Most calls are fast, some take ten times as long as others. */
export function latency({ plan }: Simulation, key: number, index: number): number {
  const part = fraction(key, index);
  return plan.latency * part * part * (part > 0.9 ? 3 : 1);
}

function seconds(key: number, most: number): number {
  return 1_000 + fraction(key, 5) * (most - 1) * 1_000;
}

export function isAway({ plan, scheduler }: Simulation): boolean {
  const now = scheduler.now();
  return plan.outages.some(({ from, to }) => from <= now && now < to);
}

export function faultOf(
  { plan: { faults, clocks }, scheduler, peaceAt }: Simulation,
  key: number,
): FaultKind | null {
  if (scheduler.now() >= peaceAt) return null;
  if (faults instanceof Map) return faults.get(key) ?? null;
  let drawn = fraction(key, 3) * 1_000;
  for (const kind of faultKinds) {
    drawn -= (faults as Record<FaultKind, number>)[kind];
    if (drawn < 0) return clocks.length === 1 && (kind === 'late' || kind === 'lost') ? 'refused' : kind;
  }
  return null;
}
