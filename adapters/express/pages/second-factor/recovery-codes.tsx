import { ask } from '../ask.js';
import { CopyText, OneTimeSecret } from '../design/components.js';
import { showSecretOnce } from '../one-time-secret.js';
import { accountPage } from '../page.js';
import { paths } from '../paths.js';
import { placeThatNeedsFactor } from '../place.js';
import { leadAfterAdding } from './add-passkey.js';
import { confirmed } from './confirmed.js';

export const renewRecoveryCodes = confirmed(
  accountPage({
    path: paths.recoveryCodes,
    get(visit) {
      ask(visit, {
        title: 'Make new recovery codes?',
        ...{ kind: 'primary', cancelPath: paths.secondFactor, submit: 'Make new codes' },
        children: <p>The ones you have stop working. The new ones are shown once.</p>,
      });
    },
    async post(visit) {
      const recoveryCodes = await visit.core.renewRecoveryCodes({ session: visit.sessionToken });
      leadAfterAdding(visit, { recoveryCodes }, 'recovery-codes-renewed');
    },
  }),
);

/** Shows new recovery codes once (decision 266). */
export const showRecoveryCodes = accountPage({
  path: paths.newRecoveryCodes,
  get(visit) {
    const waiting = placeThatNeedsFactor(visit);
    showSecretOnce(visit, {
      title: 'Your recovery codes',
      thing: 'Recovery codes',
      lost: 'They are shown once, right after they are made. Lost them? Make new ones.',
      back: { href: paths.secondFactor, text: 'Go to your second factor' },
      next: { href: paths.recoveryCodes, text: 'Make new recovery codes' },
      view: (codes) => (
        <OneTimeSecret
          heading="Your recovery codes"
          warning="Copy them now, to where you find them without your device. You won’t see them again."
          done={{ href: waiting ?? paths.secondFactor, text: 'I have copied them' }}
        >
          <p>Each signs you in once, after your password, if you have lost your device.</p>
          <CopyText id="recovery-codes" label="Recovery codes" text={codes} isLong />
        </OneTimeSecret>
      ),
    });
  },
});
