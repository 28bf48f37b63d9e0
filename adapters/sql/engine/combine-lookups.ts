import { Unavailable } from '@rollcall/core';
import { JointDeadline, withDeadline, within } from './deadline.js';

/** As long as the lists of few different lengths that `inLists` makes. */
const MAX_KEYS = 25;

/**
 * Combines the lookups that are asked for in one turn of the event loop: `load` gets their keys, each once, and its result
 * goes to all of them. Make it a map, so that each caller can only find what is under its own key. Nothing is kept, and no
 * lookup joins a load that has begun, so that each sees everything that was committed before it was asked for. For a
 * database that is reached over a network: under load, one statement then does the work of several. While the database is
 * slow, each caller waits until its own deadline, and the load has the latest of them.
 */
export function combineLookups<Key, Result>(
  load: (keys: readonly Key[]) => Promise<Result>,
): (key: Key) => Promise<Result> {
  let open: {
    readonly keys: Set<Key>;
    readonly deadline: JointDeadline;
    readonly result: Promise<Result>;
  } | null = null;

  const openLoad = () => {
    const keys = new Set<Key>();
    const deadline = new JointDeadline();
    const result = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open?.keys === keys) open = null;
      return deadline.run(() => load([...keys]));
    });
    return { keys, deadline, result };
  };

  return (key) => {
    if (open === null || (open.keys.size >= MAX_KEYS && !open.keys.has(key))) open = openLoad();
    const { keys, deadline, result } = open;
    keys.add(key);
    deadline.add();
    // The statement has its own timeout. Waiting for it counts for each caller.
    return withDeadline(Number.POSITIVE_INFINITY, (until) => within(until, result, late));
  };
}

const late = (): Unavailable => new Unavailable('The database has not answered in time.');
