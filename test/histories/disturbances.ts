/** Something that was done to a process, or to what it needs. */
export interface Disturbance {
  readonly kind:
    | 'kill'
    | 'restart'
    | 'freeze'
    | 'full disk'
    | 'busy database'
    | 'database crash'
    | 'full disk of the database';
  /** Null: all of them. */
  readonly instance: number | null;
  readonly from: number;
  /** Infinity while it lasts. */
  to: number;
}

/** A claim is recovered after a minute; a process that was frozen for less still has it. */
const CLAIM_AGE_MS = 60_000;

/** Whether the disturbance can end a process in the middle of a delivery, or make others believe so. */
export function cutsOff({ kind, from, to }: Disturbance): boolean {
  if (kind === 'freeze') return to - from > CLAIM_AGE_MS - 10_000;
  // A PostgreSQL server without room for its log ends every connection, as in a crash.
  return kind === 'kill' || kind === 'database crash' || kind === 'full disk of the database';
}

/** How long before its end a step that was disturbed can have begun, if it takes `usual` milliseconds otherwise. */
export function earliest(disturbances: readonly Disturbance[], at: number, usual: number): number {
  let from = at - usual;
  for (const one of newestFirst(disturbances))
    if (one.from < at && one.to > from) from = Math.min(from, one.from - usual);
  return from;
}

/** How long after its beginning a step that was disturbed can have ended. */
export function latest(disturbances: readonly Disturbance[], at: number, usual: number): number {
  let to = at + usual;
  for (const one of [...disturbances].sort((first, second) => first.from - second.from))
    if (one.from < to && one.to > at) to = Math.max(to, one.to + usual);
  return to;
}

function newestFirst(disturbances: readonly Disturbance[]): readonly Disturbance[] {
  return [...disturbances].sort((one, other) => other.to - one.to);
}
