import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../support/random-numbers.js';
import type { Cluster } from './cluster.js';
import type { Disturbance } from './disturbances.js';

export interface Fault {
  readonly kind: Disturbance['kind'];
  /** Whether it is done to one instance, or to all. */
  readonly isOfInstance: boolean;
  /** How long it lasts, in milliseconds. */
  length(random: Random): number;
}

const lasting =
  (shortest: number, longest: number) =>
  (random: Random): number =>
    shortest + random(longest - shortest);

export const kill: Fault = { kind: 'kill', isOfInstance: true, length: lasting(100, 3_000) };
export const restart: Fault = { kind: 'restart', isOfInstance: true, length: lasting(0, 500) };
export const freeze: Fault = { kind: 'freeze', isOfInstance: true, length: lasting(300, 9_000) };
/** So long that other instances believe that it died. */
export const longFreeze: Fault = { kind: 'freeze', isOfInstance: true, length: lasting(65_000, 75_000) };
export const crashDatabase: Fault = {
  kind: 'database crash',
  isOfInstance: false,
  length: lasting(200, 3_000),
};
export const fillDisk: Fault = { kind: 'full disk', isOfInstance: false, length: lasting(1_000, 4_000) };
export const fillDatabaseDisk: Fault = {
  kind: 'full disk of the database',
  isOfInstance: false,
  length: lasting(1_000, 4_000),
};
export const holdDatabase: Fault = {
  kind: 'busy database',
  isOfInstance: false,
  length: lasting(500, 7_000),
};

/** Short ones, for tests. */
export function shortened(fault: Fault): Fault {
  return { ...fault, length: (random) => 200 + random(300) };
}

/** Does it, waits, and undoes it. */
export async function disturb(
  cluster: Cluster,
  {
    fault: { kind },
    instance,
    disturbances,
    now,
    length,
  }: {
    readonly fault: Fault;
    readonly instance: number | null;
    readonly disturbances: Disturbance[];
    readonly now: () => number;
    readonly length: number;
  },
): Promise<void> {
  const disturbance: Disturbance = { kind, instance, from: now(), to: Number.POSITIVE_INFINITY };
  disturbances.push(disturbance);
  await during(cluster, { kind, instance, length });
  disturbance.to = now();
}

async function during(
  { instances, disk, lock, database }: Cluster,
  {
    kind,
    instance,
    length,
  }: { readonly kind: Disturbance['kind']; readonly instance: number | null; readonly length: number },
): Promise<void> {
  const target = instances[instance ?? 0];
  switch (kind) {
    case 'kill':
    case 'restart':
      await target?.stop(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await pause(length);
      await target?.start();
      break;
    case 'freeze':
      target?.freeze();
      await pause(length);
      target?.thaw();
      break;
    case 'full disk':
    case 'full disk of the database':
      disk?.fill();
      await pause(length);
      await disk?.free();
      break;
    case 'busy database': {
      const held = lock?.hold();
      await pause(length);
      held?.release();
      break;
    }
    case 'database crash':
      await database?.crash();
      await pause(length);
      await database?.restart();
  }
}
