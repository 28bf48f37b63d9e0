import { networkOf } from '@rollcall/core/adapters';
import type { Request, RequestHandler } from 'express';
import { clientAddress } from './client-address.js';
import type { PageDeps } from './page-deps.js';
import { currentSession } from './session.js';

export function countVisits(deps: PageDeps): RequestHandler {
  return async (request, _response, next) => {
    await countVisit(deps, request);
    next();
  };
}

/** Counts a page for the session's user, else for the IP address. */
export async function countVisit(deps: PageDeps, request: Request): Promise<void> {
  // If the session can't be read, a page that needs it reports that itself.
  const session = await currentSession(deps, request).catch(() => null);
  const subject =
    session === null ? `address ${networkOf(clientAddress(request))}` : `user ${session.user.id}`;
  await deps.visitLimits.countPage(subject);
}
