import { confirmIdentity, identityLabels, identityOf, OwnIdentity } from '../account/own-identity.js';
import { ask } from '../ask.js';
import { type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { keepInCookie, keptInCookie } from '../encrypted-cookie.js';
import { accountPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import type { SignedInVisit, Visit } from '../visit.js';

/** After this time, a page asks again. */
const LIFETIME_SECONDS = 5 * 60;

/** Of this session only. */
function cookieOf({ sessionToken }: Visit) {
  return { name: 'confirmed', context: `confirmed who it is, in session ${sessionToken ?? ''}` } as const;
}

/** A page that changes the second factor. It asks for the one that is there, or the password, before it opens. */
export function confirmed(page: Page): Page {
  const asking = accountPage({
    path: page.path,
    get: (visit) => askWho(visit, noProblems),
    async post(visit) {
      try {
        await confirmIdentity(visit);
      } catch (error) {
        return askWho(visit, problemsOf(error, identityLabels));
      }
      keepInCookie(visit, { ...cookieOf(visit), text: 'yes', seconds: LIFETIME_SECONDS });
      visit.leadTo(visit.request.path);
    },
  });
  const chosen = (visit: Visit): Page => (keptInCookie(visit, cookieOf(visit)) === null ? asking : page);
  return {
    ...page,
    get: (visit) => chosen(visit).get?.(visit),
    post: (visit) => chosen(visit).post?.(visit),
  };
}

async function askWho(visit: SignedInVisit, problems: FormProblems): Promise<void> {
  const identity = await identityOf(visit);
  ask(visit, {
    title: 'Confirm that this is you',
    ...{ kind: 'primary', problems, cancelPath: paths.secondFactor, submit: 'Continue' },
    controls: <OwnIdentity {...{ visit, identity, problems }} />,
    children: <p>Before your second factor changes, prove once more who you are.</p>,
  });
}
