import type { AddedSecondFactor, AskedPasskey } from '@rollcall/core';
import { Refusal, Secret } from '@rollcall/core';
import { deviceName } from '../account/device-name.js';
import { showForm } from '../ask.js';
import { ButtonLink } from '../design/components.js';
import { Field, Form } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { PageError } from '../errors/error-page.js';
import { accountForm } from '../form-page.js';
import { redirectToSecret } from '../one-time-secret.js';
import { paths } from '../paths.js';
import type { SignedInVisit, Visit } from '../visit.js';
import { confirmed } from './confirmed.js';
import { PasskeyButton, passkeyAnswerIn } from './second-factor-fields.js';

/** Leads to the recovery codes, if there are any to show. */
export function leadAfterAdding(
  visit: SignedInVisit,
  { recoveryCodes }: AddedSecondFactor,
  notice: NoticeName,
): void {
  if (recoveryCodes === null) {
    visit.leadTo(paths.secondFactor, notice);
    return;
  }
  visit.setNotice(notice);
  const secret = new Secret(recoveryCodes.map((code) => code.reveal()).join('\n'));
  redirectToSecret(visit, { path: paths.newRecoveryCodes, secret });
}

/** Makes a passkey in the browser of the reader. It needs the script. */
export const addPasskey = confirmed(
  accountForm({
    path: paths.newPasskey,
    fields: ['name'],
    labels: { name: 'Name' },
    alsoShown: ['passkey-registered', 'wrong-second-factor'],
    async about({ core, sessionToken }): Promise<AskedPasskey> {
      const passkey = await core.beginPasskey({ session: sessionToken });
      if (passkey === null) throw new PageError('not-found');
      return passkey;
    },
    initial: (_passkey, { request }) => ({ name: deviceName(request.get('user-agent') ?? '') ?? 'Passkey' }),
    async send(visit, { name }) {
      const answer = passkeyAnswerIn(visit);
      if (answer === null)
        throw new Refusal('wrong-second-factor', 'The browser has made no passkey. Nothing was added');
      const address = visit.clientAddress;
      const added = await visit.core.addPasskey({ session: visit.sessionToken, answer, name, address });
      leadAfterAdding(visit, added, 'passkey-added');
    },
    show(visit, { about: passkey, problems, control }) {
      visit.showCard(
        { title: 'Add a passkey', problems },
        <p>
          Your device or password manager keeps it. You confirm with your finger, face or PIN, or by touching
          a security key.
        </p>,
        <Form token={visit.token} problem={problems.general}>
          <Field {...control('name')} help="To tell your passkeys apart." />
          <PasskeyButton {...{ visit, passkey }} label="Add a passkey" kind="primary" />
          <ButtonLink kind="quiet" href={paths.secondFactor} text="Cancel" />
        </Form>,
      );
    },
  }),
);

/** The passkey in the address, which must be the reader's. */
async function passkeyOf(visit: Visit) {
  const { passkeys } = await visit.core.readSecondFactor({ session: visit.sessionToken });
  const found = passkeys.find(({ credentialId }) => credentialId === visit.request.params.passkey);
  if (found === undefined) throw new PageError('not-found');
  return found;
}

export const namePasskey = confirmed(
  accountForm({
    path: paths.passkeyName(':passkey'),
    fields: ['name'],
    labels: { name: 'Name' },
    about: passkeyOf,
    initial: ({ name }) => ({ name }),
    async send(visit, { name }) {
      const credentialId = String(visit.request.params.passkey);
      await visit.core.namePasskey({ session: visit.sessionToken, credentialId, name });
      visit.leadTo(paths.secondFactor, 'passkey-named');
    },
    show(visit, { problems, control }) {
      showForm(visit, {
        ...{ title: 'Rename the passkey', problems, children: null },
        controls: <Field {...control('name')} />,
        submit: 'Save the name',
        cancelPath: paths.secondFactor,
      });
    },
  }),
);
