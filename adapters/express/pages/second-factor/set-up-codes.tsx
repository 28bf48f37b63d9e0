import type { Secret } from '@rollcall/core';
import type { VNode } from 'preact';
import { ask } from '../ask.js';
import { CopyText } from '../design/components.js';
import { Field, Form, Submit } from '../design/form.js';
import { accountForm } from '../form-page.js';
import { paths } from '../paths.js';
import type { SignedInVisit } from '../visit.js';
import { leadAfterAdding } from './add-passkey.js';
import { confirmed } from './confirmed.js';
import { CODE, secondFactorLabels } from './second-factor-fields.js';

/** Asks for a secret, instead of confirming it. */
const BEGIN = 'begin';

/** Sets an authenticator app up: first its secret, then the first code. */
export const setUpCodes = confirmed(
  accountForm({
    path: paths.codes,
    labels: secondFactorLabels,
    about: (visit) => visit.core.readCodeSecret({ session: visit.sessionToken }),
    async send(visit) {
      const session = visit.sessionToken;
      if (visit.field(BEGIN) !== '') {
        await visit.core.beginCodes({ session });
        return visit.leadTo(paths.codes);
      }
      const code = visit.field(CODE);
      const added = await visit.core.confirmCodes({ session, code, address: visit.clientAddress });
      leadAfterAdding(visit, added, 'codes-added');
    },
    async show(visit, { about: secret, problems }) {
      if (secret === null)
        return ask(visit, {
          title: 'Set up an authenticator app?',
          ...{ kind: 'primary', problems, cancelPath: paths.secondFactor, submit: 'Show the QR code' },
          fields: { [BEGIN]: '1' },
          children: (
            <p>You need an app that makes codes, such as one of your password manager or of your phone.</p>
          ),
        });
      const uri = uriOf(visit, secret);
      const qrCode = await qrCodeOf(uri);
      visit.show(
        { title: 'Set up an authenticator app', problems },
        <section class="card narrow" data-once>
          <h1>Set up an authenticator app</h1>
          <p>
            Scan this with the app, <a href={uri}>open the app on this device</a>, or enter the key below.
            Then enter the code that the app shows.
          </p>
          {qrCode}
          <CopyText id="code-secret" label="Key" text={secret.reveal().replaceAll(/.{4}(?=.)/g, '$& ')} />
          <Form token={visit.token} problem={problems.general}>
            <Field
              name={CODE}
              label="Code"
              autocomplete="one-time-code"
              inputmode="numeric"
              help="Six digits."
              problem={problems.fields.secondFactor}
            />
            <Submit label="Turn it on" cancelPath={paths.secondFactor} />
          </Form>
        </section>,
      );
    },
  }),
);

/** As authenticator apps read it. */
function uriOf({ serviceName, session: { user } }: SignedInVisit, secret: Secret): string {
  const [issuer, account] = [serviceName, user.email].map(encodeURIComponent);
  return `otpauth://totp/${issuer}:${account}?secret=${secret.reveal()}&issuer=${issuer}`;
}

/** Its dark modules are one path. */
async function qrCodeOf(text: string): Promise<VNode> {
  const { encode } = await import('uqr');
  const { size, data } = encode(text, { border: 4 });
  // Neighbours in a row are one rectangle.
  const rows = data.map((row, y) =>
    [...row.map(Number).join('').matchAll(/1+/g)]
      .map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
      .join(''),
  );
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the key below">
      <path d={rows.join('')} />
    </svg>
  );
}
