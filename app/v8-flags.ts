import { setFlagsFromString } from 'node:v8';

/** V8's own limit, in bytes of bytecode. */
const OPTIMIZED_BYTES = 61_440;
const SETTLING_MS = 15_000;

/**
 * For the time until the service listens. Lets the heap of this process grow to twice its size before the next full garbage
 * collection. V8 decides this by how fast the program fills its heap, but counts the chunks of an export, which are outside
 * the heap, as if they filled it: a quiet server with a small heap would collect everything several times a second.
 * Optimizes no code: until then, that would be the code that loads the program, and the compilers take 4 to 8 MB.
 */
export function setStartFlags(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--max-optimized-bytecode-size=0');
  // 8 s by default, and 30 s with Node 26. It counts from the first full garbage collection, which is during the start.
  setFlagsFromString('--gc-memory-reducer-start-delay-ms=2000');
}

/** The service listens. V8 collects what only the start needed, in small steps, also if it has been busy until now: 7 MB. */
export function setServiceFlags(): void {
  setFlagsFromString(`--max-optimized-bytecode-size=${OPTIMIZED_BYTES}`);
  setFlagsFromString('--optimize-for-size');
  setTimeout(() => setFlagsFromString('--no-optimize-for-size'), SETTLING_MS).unref();
}
