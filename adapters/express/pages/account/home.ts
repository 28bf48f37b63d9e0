import type { Page } from '../page.js';
import { paths } from '../paths.js';

/** Redirects to the meetings, or to the sign-in page. */
export const home: Page = {
  path: paths.home,
  get: async (visit) => visit.leadTo((await visit.findSession()) === null ? paths.signIn : paths.memberships),
};
