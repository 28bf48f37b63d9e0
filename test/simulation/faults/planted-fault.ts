import type { Planted, Tools } from '../simulation.js';

/** A fault in the protocol, and a seed with which the simulation finds it. Null: no seed is known. */
export interface PlantedFault {
  readonly fault: string;
  readonly seed: number | null;
  readonly planted: Planted;
}

/** Replaces methods of the storage's ports. */
export function inPorts(
  fault: string,
  seed: number | null,
  ports: NonNullable<Planted['ports']>,
): PlantedFault {
  return { fault, seed, planted: { ports } };
}

/** What a map held is what it holds again after others went on: the caller has checked before, and acts now. */
export async function actOnOld<Key, Value>(
  { step }: Pick<Tools, 'step'>,
  map: Map<Key, Value>,
  keys: readonly Key[],
): Promise<void> {
  const before = keys.map((key) => map.get(key));
  await step();
  for (const [index, key] of keys.entries()) {
    const value = before[index];
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
}

/** Does something later, while the caller has its answer already. */
export function afterSteps(step: Tools['step'], steps: number, run: () => unknown): void {
  if (steps === 0) run();
  else void step().then(() => afterSteps(step, steps - 1, run));
}

/** Answers what was true up to so many milliseconds ago. */
export function remembered<Key, Value>(
  { now }: Pick<Tools, 'now'>,
  milliseconds: number,
  read: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const known = new Map<string, { readonly at: number; readonly value: Value }>();
  return async (key) => {
    const name = JSON.stringify(key);
    const found = known.get(name);
    if (found !== undefined && now().getTime() - found.at < milliseconds) return found.value;
    const value = await read(key);
    known.set(name, { at: now().getTime(), value });
    return value;
  };
}

export type { Tools };
