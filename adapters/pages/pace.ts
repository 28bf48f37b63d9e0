import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';

/**
 * Begins one page in each turn of the event loop: however many are asked for, programs wait for one of them at most
 * between two steps of theirs.
 */
export function pacePages(): RequestHandler {
  let last: Promise<unknown> | null = null;
  return async (_request, _response, next) => {
    const before = last;
    const own = before === null ? nextTurn() : before.then(() => nextTurn());
    last = own;
    if (before !== null) await before;
    void own.then(() => {
      if (last === own) last = null;
    });
    next();
  };
}
