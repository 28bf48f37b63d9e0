import { signedInPage } from '../page.js';
import { paths } from '../paths.js';

/** Prolongs the session, like any page, for the warning before it ends. The header has the milliseconds until its end. */
export const prolongSession = signedInPage({
  path: paths.session,
  get({ session, response }) {
    response.set('X-Session-Ends-In', String(session.endsInMs)).status(204).end();
  },
});
