import { type History, type Op, ofKind } from '../history.js';
import { mayHaveHappened, mergeRepeated } from './may.js';

/** The configurations of one organization, repeated calls with one idempotency key as one. */
export function configurationsOf(history: History, org: number): readonly Op<'configure'>[] {
  return mergeRepeated(
    history,
    ofKind(history, 'configure').filter((op) => op.org === org),
  ).filter(mayHaveHappened);
}

/** Those that can have been the newest one at some time between the steps; `undefined` stands for none yet. */
export function possible(
  configurations: readonly Op<'configure'>[],
  from: number,
  to: number,
): readonly (Op<'configure'> | undefined)[] {
  const isOver = (op: Op<'configure'> | undefined): boolean =>
    configurations.some(
      (later) =>
        later.outcome === 'ok' &&
        later.end < from &&
        (op === undefined || (op.outcome === 'ok' && op.end < later.start)),
    );
  return [undefined, ...configurations.filter(({ start }) => start < to)].filter((op) => !isOver(op));
}
