import { Refusal, type ResumedSession } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { PageHandler } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { requireSignIn, signInPath } from '../session.js';

/** For people who signed in with their password: a session that a login link opened has no account (decision 19). */
export function requireAccount(
  deps: PageDeps,
  handle: (session: ResumedSession, request: Request, response: Response) => Promise<void>,
): PageHandler {
  return requireSignIn(deps, async (session, request, response) => {
    if (session.boundTo !== null) throw new PageError('bound-session');
    try {
      await handle(session, request, response);
    } catch (error) {
      // The session has ended meanwhile.
      if (!(error instanceof Refusal) || error.code !== 'sign-in-required') throw error;
      response.redirect(303, signInPath(request));
    }
  });
}
