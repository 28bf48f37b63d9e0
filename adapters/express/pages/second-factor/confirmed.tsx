import { confirmIdentity, identityLabels, identityOf, OwnIdentity } from '../account/own-identity.js';
import { ask } from '../ask.js';
import { type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { accountPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import type { SignedInVisit, Visit } from '../visit.js';

/** After this time, a page asks again. */
const LIFETIME_SECONDS = 5 * 60;

/** Of this session only. */
function contextOf({ sessionToken }: Visit): string {
  return `confirmed who it is, in session ${sessionToken ?? ''}`;
}

function isConfirmed(visit: Visit): boolean {
  const encrypted = visit.cookies.read(visit.request, 'confirmed') ?? '';
  return visit.browserCipher.decrypt({ encrypted, context: contextOf(visit) }) !== null;
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
      const value = visit.browserCipher.encrypt({
        ...{ text: 'yes', context: contextOf(visit), expiresIn: LIFETIME_SECONDS },
      });
      visit.cookies.set(visit.response, { name: 'confirmed', value, seconds: LIFETIME_SECONDS });
      visit.leadTo(visit.request.path);
    },
  });
  const chosen = (visit: Visit): Page => (isConfirmed(visit) ? page : asking);
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
