import { Secret } from '@rollcall/core';
import { clientAddress } from '../client-address.js';
import { expiredForm, noProblems, problemsOf } from '../design/form.js';
import { deviceOf } from '../device-name.js';
import { fieldOf } from '../form-guard.js';
import { carriedIn, isOwnForm, keptIn } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { currentSession, pathAfterSignIn, startPath, startSession } from '../session.js';
import { showSignIn } from './sign-in-form.js';

/** Signing in with the password. */
export function signIn(deps: PageDeps): Page {
  return {
    path: '/sign-in',
    largeForm: { isAllowed: async (request) => isOwnForm(deps, request) },
    async get(request, response) {
      const next = pathAfterSignIn(request.query.next);
      const session = await currentSession(deps, request);
      if (session?.boundTo === null) return response.redirect(303, next ?? startPath(session));
      showSignIn(deps, request, response, { next, email: '', problems: noProblems, kept: null });
    },
    async expired(request, response) {
      const next = pathAfterSignIn(fieldOf(request, 'next'));
      const form = { next, email: fieldOf(request, 'email'), kept: carriedIn(request) };
      showSignIn(deps, request, response, { ...form, problems: expiredForm });
    },
    async post(request, response) {
      const next = pathAfterSignIn(fieldOf(request, 'next'));
      const email = fieldOf(request, 'email');
      const password = new Secret(fieldOf(request, 'password'));
      try {
        const opened = await deps.core.signIn({
          ...{ email, password },
          address: clientAddress(request),
          device: deviceOf(request),
        });
        await startSession(deps, request, response, opened);
        const kept = await keptIn(deps, request);
        // The browser sends the kept form on, to the page that it was typed into.
        if (kept?.userId === opened.user.id) return response.redirect(307, kept.path);
        response.redirect(303, next ?? startPath(opened));
      } catch (error) {
        const kept = carriedIn(request);
        showSignIn(deps, request, response, { next, email, problems: problemsOf(error, {}), kept });
      }
    },
  };
}
