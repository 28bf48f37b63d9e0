import type { WebhookView } from '@rollcall/core';
import { confirmSecondFactor, identityOf, OwnIdentity } from '../account/own-identity.js';
import { ask } from '../ask.js';
import { CopyText, OneTimeSecret } from '../design/components.js';
import { KeepHours } from '../design/form.js';
import { ZonedTime } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberForm } from '../form-page.js';
import { redirectToSecret, showSecretOnce } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { secondFactorLabels } from '../second-factor/second-factor-fields.js';
import type { MemberVisit } from '../visit.js';
import { signatureHeader, UNCHANGED_SINCE, VerifyHelp } from './configure-webhook.js';

const OVERLAP = 'overlap_hours';

/** An endpoint that gets the new secret within a day misses no event (decision 5). */
const USUAL_OVERLAP = '24';

/** Asks before the signing secret is replaced. */
export const rotateSecret = memberForm({
  path: paths.secret(':id'),
  fields: [OVERLAP, UNCHANGED_SINCE],
  labels: { overlapHours: 'Time until the current secret stops working', ...secondFactorLabels },
  alsoShown: ['invalid-webhook'],
  about: webhookOf,
  initial: ({ updatedAt }) => ({ [OVERLAP]: USUAL_OVERLAP, [UNCHANGED_SINCE]: updatedAt.toISOString() }),
  async send(visit, { [OVERLAP]: hours, [UNCHANGED_SINCE]: version }) {
    const { core, organization, by } = visit;
    const { enabled } = await webhookOf(visit);
    await confirmSecondFactor(visit);
    const { secret } = await core.configureWebhook({
      organization,
      how: 'change',
      webhook: { enabled },
      regenerateSecret: true,
      ...(hours !== '' && { overlapHours: hours }),
      // So that a form sent twice, or given back, rotates once.
      unchangedSince: new Date(version),
      by,
    });
    if (secret !== null) redirectToSecret(visit, { path: paths.newSecret(organization.id), secret });
  },
  async show(visit, { about: webhook, values, problems, control }) {
    const identity = await identityOf(visit);
    ask(visit, {
      problems,
      title: 'Rotate the signing secret?',
      fields: { [UNCHANGED_SINCE]: values[UNCHANGED_SINCE] },
      controls: (
        <>
          {webhook.rotationEndsAt === null && <KeepHours {...control('overlapHours')} />}
          {identity !== null && <OwnIdentity {...{ visit, identity, problems }} />}
        </>
      ),
      submit: 'Rotate the secret',
      cancelPath: paths.webhookSettings(visit.organization.id),
      children:
        webhook.rotationEndsAt === null ? (
          <>
            <p>
              The current secret goes on working for the time that you choose below. After that, your endpoint
              can’t verify our requests until it has the new secret. Choose “None” if the current one may have
              leaked. You can resend events that are undelivered in the meantime.
            </p>
            <p>
              Until then, <code>{signatureHeader(visit.serviceName)}</code> is made with the current secret,
              and <code>webhook-signature</code> holds a signature of each. The guide explains{' '}
              <a href="/docs/guide/webhooks#rotating">how to rotate without missing an event</a>.
            </p>
          </>
        ) : (
          <p>
            The secret before the current one is in use until{' '}
            <ZonedTime at={webhook.rotationEndsAt} zone={visit.zone} />. If you rotate it now, both stop
            working at once. To keep the current one in use for a while, finish that rotation first.
          </p>
        ),
    });
  },
});

async function webhookOf({ core, organization }: MemberVisit): Promise<WebhookView> {
  const webhook = await core.readWebhook({ organization });
  if (webhook === null) throw new PageError('not-found');
  return webhook;
}

/** Shows a new signing secret once (decision 266). */
export const showSecret = memberPage({
  path: paths.newSecret(':id'),
  async get(visit) {
    const { core, organization, zone } = visit;
    const webhook = await core.readWebhook({ organization });
    if (webhook === null) return visit.leadTo(paths.webhookSettings(organization.id));
    const { rotationEndsAt: endsAt } = webhook;
    // Where there are two secrets, the next step is to finish the rotation.
    const next = endsAt === null ? paths.testWebhook : paths.webhookSettings;
    showSecretOnce(visit, {
      title: 'Your signing secret',
      thing: 'The signing secret',
      lost: 'Each signing secret is shown once, right after it is generated. Lost it? Rotate it, and choose how long the current one stays in use.',
      back: { href: paths.webhookSettings(organization.id), text: 'Go to the settings' },
      next: { href: paths.secret(organization.id), text: 'Rotate the secret' },
      view: (secret) => (
        <OneTimeSecret done={{ href: next(organization.id) }}>
          <h1>Copy the new signing secret</h1>
          <CopyText id="signing-secret" label="Signing secret" text={secret} />
          <p>
            <strong>You won’t see it again.</strong> Add it to your endpoint, and keep it as safe as a
            password.
          </p>
          {endsAt !== null && (
            <p>
              The old secret stays in use until <ZonedTime at={endsAt} zone={zone} />. Once your endpoint has
              the new one, you can <a href={paths.finishRotation(organization.id)}>finish the rotation</a>,
              also from the settings.
            </p>
          )}
          <VerifyHelp visit={visit} isRotating={endsAt !== null} />
        </OneTimeSecret>
      ),
    });
  },
});

/** Ends a rotation after asking, so that only the new secret is used. */
export const finishRotation = memberPage({
  path: paths.finishRotation(':id'),
  async get(visit) {
    const { core, organization, zone } = visit;
    const webhook = await core.readWebhook({ organization });
    const endsAt = webhook?.rotationEndsAt ?? null;
    const path = paths.webhookSettings(organization.id);
    if (endsAt === null) return visit.leadTo(path);
    ask(visit, {
      title: 'Finish the rotation?',
      fields: { ends_at: endsAt.toISOString() },
      submit: 'Finish the rotation',
      cancelPath: path,
      children: (
        <p>
          The old secret stops working at once instead of <ZonedTime at={endsAt} zone={zone} />. If your
          endpoint does not have the new secret yet, it can’t verify our requests any more.
        </p>
      ),
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const endsAt = new Date(visit.field('ends_at'));
    if (Number.isNaN(endsAt.getTime())) throw new PageError('malformed-form');
    const webhook = await core.finishRotation({ organization, endsAt, by });
    const notice = webhook?.rotationEndsAt === null ? 'rotation-finished' : 'rotation-changed';
    visit.leadTo(paths.webhookSettings(organization.id), notice);
  },
});
