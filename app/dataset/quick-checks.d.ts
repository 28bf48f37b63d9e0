import type { Definition, formats } from './schema.js';

/**
 * Checks that bundle.mjs has compiled from the schema, so that no import waits for a compiler. They count a character outside
 * the basic plane twice. Thus what they accept is valid, and what they refuse may be: `exactCheck` knows, and tells the mistake.
 */
export function quickChecks(
  known: typeof formats,
): Readonly<Record<Definition, (record: unknown) => boolean>>;
