import type { Page } from '../page.js';
import { paths } from '../paths.js';
import { forgetEmail } from './remembered-email.js';

export const signOut: Page = {
  path: paths.signOut,
  async post(visit) {
    const { core, cookies, sessionToken, response } = visit;
    await core.signOut({ session: sessionToken });
    cookies.clear(response, 'session');
    cookies.clear(response, 'setup');
    forgetEmail(visit);
    visit.leadTo(paths.signIn, 'signed-out');
  },
};
