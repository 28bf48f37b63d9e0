import type { RequestHandler } from 'express';
import { HttpError } from './errors.js';
import { localsOf } from './locals.js';

/** Answers 405 and names the allowed methods. */
export function refuseOtherMethods(route: string, allowed: readonly string[]): RequestHandler {
  return (_request, response) => {
    localsOf(response).route = route;
    throw new HttpError('method-not-allowed', { headers: { Allow: allowed.join(', ') } });
  };
}

export const unknownPath: RequestHandler = () => {
  throw new HttpError('unknown-path');
};
