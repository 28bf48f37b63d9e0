import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';

/** Starts at most one page per turn of the event loop, so that API calls never wait for more than one page. */
export function yieldBetweenPages(): RequestHandler {
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
