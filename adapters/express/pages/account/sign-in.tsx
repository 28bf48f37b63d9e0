import { SecondStepRequired, Secret } from '@rollcall/core';
import { expiredForm, type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { carriedField, carriedForm, isOwnForm } from '../form.js';
import type { Page } from '../page.js';
import { pathAfterSignIn, paths, startPath } from '../paths.js';
import { beginSecondStep } from '../second-factor/second-step.js';
import type { Visit } from '../visit.js';
import { RESUMES, showSignIn } from './sign-in-form.js';
import { clientOf, startSession } from './start-session.js';

export const signIn: Page = {
  path: paths.signIn,
  mayBeLarge: async (visit) => isOwnForm(visit),
  async get(visit) {
    const next = pathAfterSignIn(visit.request.query.next);
    const session = await visit.findSession();
    if (session?.startedBy === 'password') return visit.leadTo(next ?? startPath(session));
    showSignIn(visit, { next, problems: noProblems, kept: null });
  },
  async expired(visit) {
    if (await resumed(visit)) return;
    const next = pathAfterSignIn(visit.field('next'));
    const form = { next, email: visit.field('email'), kept: carriedField(visit) };
    showSignIn(visit, { ...form, problems: expiredForm });
  },
  async post(visit) {
    const next = pathAfterSignIn(visit.field('next'));
    const email = visit.field('email');
    const password = new Secret(visit.field('password'));
    if (visit.field(RESUMES) !== '' && (await resumed(visit))) return;
    const missing =
      visit.field(RESUMES) === ''
        ? missingIn(email, visit.field('password'))
        : { general: 'You are not signed in in this browser yet', fields: {} };
    if (missing !== null)
      return showSignIn(visit, { next, email, problems: missing, kept: carriedField(visit) });
    try {
      const opened = await visit.core.signIn({ email, password, ...clientOf(visit) });
      await startSession(visit, opened);
      const kept = await carriedForm(visit);
      // The browser sends the kept form on, to the page that it was typed into.
      if (kept?.userId === opened.user.id) return visit.response.redirect(307, kept.path);
      visit.leadTo(next ?? startPath(opened));
    } catch (error) {
      if (error instanceof SecondStepRequired) return beginSecondStep(visit, error, { next });
      const problems = problemsOf(error, {});
      showSignIn(visit, { next, email, problems, kept: carriedField(visit) });
    }
  },
};

/** Gives the reader who has signed in meanwhile the other form back. It changes nothing: the form is shown, not sent. */
async function resumed(visit: Visit): Promise<boolean> {
  const [session, kept] = [await visit.findSession(), await carriedForm(visit)];
  if (session === null || kept?.userId !== session.user.id) return false;
  visit.response.redirect(307, kept.path);
  return true;
}

/** An empty field is no wrong password. Null: both are filled in. */
function missingIn(email: string, password: string): FormProblems | null {
  const fields = {
    ...(email.trim() === '' && { email: 'Enter your email address' }),
    ...(password === '' && { password: 'Enter your password' }),
  };
  return Object.keys(fields).length === 0 ? null : { general: null, fields };
}

export const home: Page = {
  path: paths.home,
  get: async (visit) => visit.leadTo((await visit.findSession()) === null ? paths.signIn : paths.memberships),
};
