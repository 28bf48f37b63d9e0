import { Misconfigured } from '../engine/misconfigured.js';
import { namesOfDone, type Records } from './records.js';

interface Found extends Records {
  /** What has the names of our tables, whether it is ours or not. */
  readonly names: readonly string[];
  /** What to say about names that are not ours. */
  readonly message: (names: string) => string;
}

/** Throws `Misconfigured` if another application has what was found: we neither use nor change its tables. */
export async function assertTablesAreOurs({ names, message, ...records }: Found): Promise<void> {
  if (names.length === 0 || (await namesOfDone(records)).size > 0) return;
  throw new Misconfigured(message(names.join(', ')));
}
