import express, { type Express, type RequestHandler, type Router } from 'express';
import { HttpError } from './errors.js';
import { localsOf } from './locals.js';

/** An application that matches paths exactly, and adds no headers of its own. */
export function strictExpress(): Express {
  return express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    .enable('strict routing');
}

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

/** Adds operations to a router, below `base`. `refuseOthers` comes last: it answers all other methods of their paths. */
export function methodsOf<Operation extends object>(
  router: Router,
  base: string,
  handlersOf: (operation: Operation & { readonly route: string }) => readonly RequestHandler[],
) {
  const allowed = new Map<string, string[]>();
  const add =
    (method: 'get' | 'post' | 'patch' | 'delete', ...names: readonly string[]) =>
    (path: string, operation: Operation): void => {
      allowed.set(path, [...(allowed.get(path) ?? []), ...names]);
      router[method](path, ...handlersOf({ ...operation, route: `${base}${path}` }));
    };
  return {
    get: add('get', 'GET', 'HEAD'),
    post: add('post', 'POST'),
    patch: add('patch', 'PATCH'),
    remove: add('delete', 'DELETE'),
    refuseOthers: () => {
      for (const [path, methods] of allowed) router.all(path, refuseOtherMethods(`${base}${path}`, methods));
    },
  };
}
