import { setFlagsFromString } from 'node:v8';

/** Percent of what a full garbage collection has left. */
const GROWTH = 100;

/** V8's own limit, in bytes of bytecode. */
const OPTIMIZED_BYTES = 61_440;

/**
 * Lets the heap of this process grow to twice its size before the next full garbage collection. V8
 * decides this by how fast the program fills its heap, but counts the chunks of an export, which are outside the heap, as
 * if they filled it: a quiet server with a small heap would collect everything several times a second.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}

/**
 * Whether V8 optimizes code that runs often. While a program is loaded, that is only the code that loads it, and the
 * optimizing compilers take 4 to 8 MB of memory.
 */
export function optimizeCode(isWorthIt: boolean): void {
  setFlagsFromString(`--max-optimized-bytecode-size=${isWorthIt ? OPTIMIZED_BYTES : 0}`);
}
