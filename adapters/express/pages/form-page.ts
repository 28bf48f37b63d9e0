import type { Request } from 'express';

const withPage = new WeakSet<Request>();

/** Remembers that the address of the request also has a page, and not only a form that is sent to it. */
export function markPage(request: Request): void {
  withPage.add(request);
}

/** The page at the address of the request. Null if only forms are sent there. */
export function pagePath(request: Request): string | null {
  return withPage.has(request) ? request.path : null;
}
