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
    if (!(await resumed(visit))) showAgain(visit, expiredForm);
  },
  async post(visit) {
    const next = pathAfterSignIn(visit.field('next'));
    const [email, password] = [visit.field('email'), new Secret(visit.field('password'))];
    if (visit.field(RESUMES) !== '' && (await resumed(visit))) return;
    const missing = missingIn(visit);
    if (missing !== null) return showAgain(visit, missing);
    try {
      const opened = await visit.core.signIn({ email, password, ...clientOf(visit) });
      await startSession(visit, opened);
      const kept = await carriedForm(visit);
      // The browser sends the kept form on, to the page that it was typed into.
      if (kept?.userId === opened.user.id) return visit.response.redirect(307, kept.path);
      visit.leadTo(next ?? startPath(opened));
    } catch (error) {
      if (error instanceof SecondStepRequired) return beginSecondStep(visit, error, { next });
      showAgain(visit, problemsOf(error, {}));
    }
  },
};

/** What was typed is shown again, but the password. */
function showAgain(visit: Visit, problems: FormProblems): void {
  const next = pathAfterSignIn(visit.field('next'));
  showSignIn(visit, { next, email: visit.field('email'), problems, kept: carriedField(visit) });
}

/** Gives the reader who has signed in meanwhile the other form back. It changes nothing: the form is shown, not sent. */
async function resumed(visit: Visit): Promise<boolean> {
  const [session, kept] = [await visit.findSession(), await carriedForm(visit)];
  if (session === null || kept?.userId !== session.user.id) return false;
  visit.response.redirect(307, kept.path);
  return true;
}

/** An empty field is no wrong password. Null: both are filled in. */
function missingIn({ field }: Visit): FormProblems | null {
  if (field(RESUMES) !== '') return { general: 'You are not signed in in this browser yet', fields: {} };
  const fields = {
    ...(field('email').trim() === '' && { email: 'Enter your email address' }),
    ...(field('password') === '' && { password: 'Enter your password' }),
  };
  return Object.keys(fields).length === 0 ? null : { general: null, fields };
}

export const home: Page = {
  path: paths.home,
  get: async (visit) => visit.leadTo((await visit.findSession()) === null ? paths.signIn : paths.memberships),
};
