import { fraction, mix } from './chance.js';
import { latency } from './ports.js';
import type { Host } from './scheduler.js';
import type { Simulation } from './simulation.js';

/** A process that hears at once of the deliveries that others store. */
export interface Ear {
  readonly name: string;
  readonly host: Host;
  wake(): void;
}

/** Of 100 news, how many get lost. */
const LOST = 10;
/** Calls that can make a stored delivery wait again. */
const waitsAgain = ['deliveries.redeliver', 'deliveries.redeliverMatching', 'outbox.recoverStale'];

/** The same work. When it lets a delivery wait, the other processes that hear are told, also if the caller dies of it. */
export function withNews(
  simulation: Simulation,
  caller: Host,
  { name, work }: { readonly name: string; readonly work: () => Promise<unknown> },
): () => Promise<unknown> {
  const { state, scheduler, ears } = simulation;
  return async () => {
    const { key } = scheduler.flow();
    const before = state.deliveries.size;
    const value = await work();
    if (state.deliveries.size === before && !waitsAgain.includes(name)) return value;
    for (const [index, ear] of ears.entries()) {
      const ownKey = mix(key, 40 + index);
      if (ear === undefined || ear.host === caller || fraction(ownKey, 1) * 100 < LOST) continue;
      scheduler.after(latency(simulation, ownKey, 2), { key: ownKey, host: ear.host, calls: 0 }, () => {
        simulation.tell(() => `${ear.name} hears that an event waits.`);
        ear.wake();
      });
    }
    return value;
  };
}
