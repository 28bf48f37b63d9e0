import { ask } from '../ask.js';
import { accountPage, type Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import { confirmed } from './confirmed.js';

type Factor = Parameters<Visit['core']['removeSecondFactor']>[0]['factor'];

interface Removal {
  readonly path: string;
  readonly question: string;
  readonly label: string;
  readonly factor: (visit: Visit) => Factor;
}

function removal({ path, question, label, factor }: Removal): Page {
  return confirmed(
    accountPage({
      path,
      get(visit) {
        ask(visit, {
          ...{ title: question, submit: label, cancelPath: paths.secondFactor },
          children: (
            <p>
              You can’t sign in with it any more. If it is your last second factor, your recovery codes stop
              working as well, and your password alone signs you in.
            </p>
          ),
        });
      },
      async post(visit) {
        await visit.core.removeSecondFactor({
          ...{ session: visit.sessionToken, factor: factor(visit), address: visit.clientAddress },
        });
        visit.leadTo(paths.secondFactor, 'second-factor-removed');
      },
    }),
  );
}

export const removePasskey = removal({
  path: paths.removePasskey(':passkey'),
  question: 'Remove the passkey?',
  label: 'Remove the passkey',
  factor: ({ request }) => ({ credentialId: String(request.params.passkey) }),
});

export const removeCodes = removal({
  path: paths.removeCodes,
  question: 'Remove the authenticator app?',
  label: 'Remove the app',
  factor: () => 'code',
});
