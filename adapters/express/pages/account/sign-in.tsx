import { Secret } from '@rollcall/core';
import { expiredForm, noProblems, problemsOf } from '../design/form.js';
import { leadTo } from '../design/notice.js';
import { carriedField, carriedForm, fieldOf, isOwnForm } from '../form.js';
import { type Page, signedInPage } from '../page.js';
import { pathAfterSignIn, paths, startPath } from '../paths.js';
import { clientOf, startSession } from './client.js';
import { showSignIn } from './sign-in-form.js';

/** Signing in with the password. */
export const signIn: Page = {
  path: paths.signIn,
  mayBeLarge: async (visit) => isOwnForm(visit),
  async get(visit) {
    const next = pathAfterSignIn(visit.request.query.next);
    const session = await visit.findSession();
    if (session?.boundTo === null) return leadTo(visit, next ?? startPath(session));
    showSignIn(visit, { next, email: '', problems: noProblems, kept: null });
  },
  expired(visit) {
    const next = pathAfterSignIn(fieldOf(visit, 'next'));
    const form = { next, email: fieldOf(visit, 'email'), kept: carriedField(visit) };
    showSignIn(visit, { ...form, problems: expiredForm });
  },
  async post(visit) {
    const next = pathAfterSignIn(fieldOf(visit, 'next'));
    const email = fieldOf(visit, 'email');
    const password = new Secret(fieldOf(visit, 'password'));
    try {
      const opened = await visit.core.signIn({ email, password, ...clientOf(visit) });
      await startSession(visit, opened);
      const kept = await carriedForm(visit);
      // The browser sends the kept form on, to the page that it was typed into.
      if (kept?.userId === opened.user.id) return visit.response.redirect(307, kept.path);
      leadTo(visit, next ?? startPath(opened));
    } catch (error) {
      const problems = problemsOf(error, {});
      showSignIn(visit, { next, email, problems, kept: carriedField(visit) });
    }
  },
};

/** Redirects to the meetings, or to the sign-in page. */
export const home: Page = {
  path: paths.home,
  get: async (visit) =>
    leadTo(visit, (await visit.findSession()) === null ? paths.signIn : paths.memberships),
};

/** Ends the session, on the server and in the browser. */
export const signOut: Page = {
  path: paths.signOut,
  async post(visit) {
    const { core, cookies, request, response } = visit;
    await core.signOut({ session: cookies.read(request, 'session') });
    cookies.clear(response, 'session');
    leadTo(visit, paths.signIn, 'signed-out');
  },
};

/** Prolongs the session, like any page, for the warning before it ends. The header has the milliseconds until its end. */
export const resumeSession = signedInPage({
  path: paths.session,
  get({ session, response }) {
    response.set('X-Session-Ends-In', String(session.endsInMs)).status(204).end();
  },
});
