import { confirmIdentity, identityLabels, identityOf, OwnIdentity } from '../account/own-identity.js';
import { ask } from '../ask.js';
import { keepInCookie, keptInCookie } from '../encrypted-cookie.js';
import { accountForm } from '../form-page.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';

/** After this time, a page asks again. */
const LIFETIME_SECONDS = 5 * 60;

/** Of this session only. */
function cookieOf({ sessionToken }: Visit) {
  return { name: 'confirmed', context: `confirmed who it is, in session ${sessionToken ?? ''}` } as const;
}

/** A page that changes the second factor. It asks for the one that is there, or the password, before it opens. */
export function confirmed(page: Page): Page {
  const asking = accountForm({
    path: page.path,
    labels: identityLabels,
    about: identityOf,
    async send(visit) {
      await confirmIdentity(visit);
      keepInCookie(visit, { ...cookieOf(visit), text: 'yes', seconds: LIFETIME_SECONDS });
      visit.leadTo(visit.request.path);
    },
    show(visit, { about: identity, problems }) {
      ask(visit, {
        title: 'Confirm that this is you',
        ...{ kind: 'primary', problems, cancelPath: paths.secondFactor, submit: 'Continue' },
        controls: <OwnIdentity {...{ visit, identity, problems }} />,
        children: <p>Before your second factor changes, prove once more who you are.</p>,
      });
    },
  });
  const chosen = (visit: Visit): Page => (keptInCookie(visit, cookieOf(visit)) === null ? asking : page);
  return {
    ...page,
    get: (visit) => chosen(visit).get?.(visit),
    post: (visit) => chosen(visit).post?.(visit),
  };
}
