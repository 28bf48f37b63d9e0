import type { Secret, User } from '@rollcall/core';
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
    fields: [],
    labels: secondFactorLabels,
    about: (visit) => visit.core.readCodeSecret({ session: visit.sessionToken }),
    initial: () => ({}),
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
      const qr = await qrCode(uri);
      visit.show({
        title: 'Set up an authenticator app',
        problems,
        body: (
          <section class="card narrow" data-once>
            <h1>Set up an authenticator app</h1>
            <p>
              Scan this with the app, <a href={uri}>open the app on this device</a>, or enter the key below.
              Then enter the code that the app shows.
            </p>
            <QrCode {...qr} />
            <CopyText id="code-secret" label="Key" text={groupsOfFour(secret.reveal())} />
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
          </section>
        ),
      });
    },
  }),
);

function groupsOfFour(text: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(' ');
}

/** As authenticator apps read it. */
function uriOf(
  { serviceName, session: { user } }: Pick<SignedInVisit, 'serviceName'> & { session: { user: User } },
  secret: Secret,
): string {
  const [issuer, account] = [serviceName, user.email].map(encodeURIComponent);
  return `otpauth://totp/${issuer}:${account}?secret=${secret.reveal()}&issuer=${issuer}`;
}

interface Qr {
  readonly size: number;
  /** The dark modules as a path. */
  readonly path: string;
}

async function qrCode(text: string): Promise<Qr> {
  const { encode } = await import('uqr');
  const { size, data } = encode(text, { border: 4 });
  // Neighbours in a row are one rectangle.
  const rows = data.map((row, y) =>
    [
      ...row
        .map((isDark) => (isDark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ]
      .map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
      .join(''),
  );
  return { size, path: rows.join('') };
}

function QrCode({ size, path }: Qr) {
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the key below">
      <path d={path} />
    </svg>
  );
}
