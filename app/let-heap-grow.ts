import { setFlagsFromString } from 'node:v8';

/** Percent of what a full garbage collection has left. */
const GROWTH = 100;

/**
 * Lets the heap of this process grow to twice its size before the next full garbage collection. V8
 * decides this by how fast the program fills its heap, but counts the chunks of an export, which are outside the heap, as
 * if they filled it: a quiet server with a small heap would collect everything several times a second.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
