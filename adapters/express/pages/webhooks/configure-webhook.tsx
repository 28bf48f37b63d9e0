import type { WebhookView } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';
import { availableEvents } from '@rollcall/core/rules';
import { Button, ButtonLink, Card, Facts } from '../design/components.js';
import {
  Checkbox,
  Field,
  Form,
  type FormProblems,
  GroupProblem,
  HiddenFields,
  isOutdated,
  noProblems,
  problemsOf,
} from '../design/form.js';
import { ZonedTime } from '../design/times.js';
import { memberForm, type ShownForm } from '../form-page.js';
import { redirectToSecret } from '../one-time-secret.js';
import { paths } from '../paths.js';
import type { PartProps } from '../visit.js';
import { WebhookPart, WebhookUrl } from './webhook-parts.js';

/** The field with the version that the form showed, so that a form does not overwrite a later change. */
export const UNCHANGED_SINCE = 'unchanged_since';

type Name = 'url' | 'enabled' | typeof UNCHANGED_SINCE | ReturnType<typeof eventField>;

type Values = Readonly<Record<Name, string>>;

export const configureWebhook = memberForm<Name, WebhookView | null>({
  path: paths.webhookSettings(':id'),
  fields: ['url', 'enabled', UNCHANGED_SINCE, ...availableEvents.map(eventField)],
  labels: { 'webhook.url': 'URL', 'webhook.events': 'Events' },
  alsoShown: ['invalid-webhook'],
  seen: UNCHANGED_SINCE,
  about: ({ core, organization }) => core.readWebhook({ organization }),
  initial: valuesOf,
  async send(visit, values) {
    const { core, organization, by } = visit;
    const unchangedSince = versionIn(values[UNCHANGED_SINCE]);
    const { secret } = await core
      .configureWebhook({ organization, how: 'set', webhook: settingsIn(values), unchangedSince, by })
      .catch(async (error: unknown) => {
        if (isOutdated(error) && isSaved(await core.readWebhook({ organization }), values))
          return { secret: null };
        throw error;
      });
    visit.setNotice('webhook-saved');
    if (secret === null) visit.leadTo(paths.webhookSettings(organization.id));
    else redirectToSecret(visit, { path: paths.newSecret(organization.id), secret });
  },
  problems: async (_visit, error, { labels, alsoShown }) =>
    isOutdated(error) ? outdated : problemsOf(error, labels, alsoShown),
  show(visit, form) {
    const { about: webhook, problems } = form;
    visit.show(
      { title: 'Webhook settings', problems, notice: visit.consumeNotice() },
      <WebhookPart {...{ visit, webhook }} chosen="settings">
        <div class={webhook === null ? undefined : 'columns wide'}>
          <SettingsForm {...{ visit, form }} />
          {webhook !== null && <SecretSection {...{ visit, webhook }} />}
        </div>
      </WebhookPart>,
    );
  },
});

const outdated: FormProblems = {
  general:
    'Someone changed the webhook or its secret after you opened this page. Nothing was saved. Compare your settings with the saved ones, then save again to replace them.',
  fields: {},
};

/** Whether the settings are already what the reader wants. */
function isSaved(webhook: WebhookView | null, values: Values): boolean {
  const saved = settingsIn(valuesOf(webhook));
  return webhook !== null && JSON.stringify(saved) === JSON.stringify(settingsIn(values));
}

/** Without a webhook, everything but the URL is filled in. */
function valuesOf(webhook: WebhookView | null): Values {
  const { url, enabled, events } = webhook ?? { url: null, enabled: true, events: availableEvents };
  return {
    url: url ?? '',
    enabled: enabled ? '1' : '',
    [UNCHANGED_SINCE]: webhook === null ? NO_WEBHOOK : webhook.updatedAt.toISOString(),
    ...Object.fromEntries(
      availableEvents.map((event) => [eventField(event), events.includes(event) ? '1' : '']),
    ),
  };
}

function settingsIn({ url, enabled, ...others }: Values) {
  return {
    url: url.trim() || null,
    enabled: enabled === '1',
    events: availableEvents.filter((event) => others[eventField(event)] === '1'),
  };
}

/** The version of a webhook that does not exist yet. */
const NO_WEBHOOK = 'none';

/** The version as the core compares it. A form that someone opened before an update of the service shows none. */
function versionIn(text: string): Date | null | undefined {
  if (text === '') return undefined;
  return text === NO_WEBHOOK ? null : new Date(text);
}

function eventField(event: string) {
  return `event.${event}` as const;
}

function SettingsForm({
  visit,
  form: { about: webhook, values, problems, control },
}: PartProps<{ form: ShownForm<Name, WebhookView | null> }>) {
  const eventsProblem = problems.fields['webhook.events'];
  return (
    <Card id="settings" title="Settings">
      <Form
        action={paths.webhookSettings(visit.organization.id)}
        token={visit.token}
        problem={problems.general}
      >
        <HiddenFields fields={{ [UNCHANGED_SINCE]: values[UNCHANGED_SINCE] }} />
        {problems === outdated && webhook !== null && <SavedSettings webhook={webhook} />}
        <Field
          {...control('webhook.url', 'url')}
          type="url"
          help="The public HTTPS address of your endpoint, such as https://example.com/hooks."
        />
        <fieldset class="field" {...(eventsProblem !== undefined && { 'aria-describedby': 'events-hint' })}>
          <legend>Events</legend>
          {availableEvents.map((event) => (
            <Checkbox
              key={event}
              name={eventField(event)}
              label={event}
              checked={values[eventField(event)] === '1'}
            />
          ))}
          <GroupProblem id="events-hint" text={eventsProblem} />
        </fieldset>
        <fieldset class="field">
          <legend>Delivery</legend>
          <Checkbox name="enabled" label="On: send events to this URL" checked={values.enabled === '1'} />
        </fieldset>
        <div class="actions">
          <Button kind="primary" busy="Saving …">
            {webhook === null ? 'Save and show the signing secret' : 'Save'}
          </Button>
          {webhook?.url && problems === noProblems && (
            <ButtonLink href={paths.testWebhook(visit.organization.id)} text="Go to the test" />
          )}
        </div>
      </Form>
    </Card>
  );
}

/** What is saved now, beside what the reader wants to save. */
function SavedSettings({ webhook: { url, events, enabled } }: { readonly webhook: WebhookView }) {
  return (
    <section class="saved-settings" aria-labelledby="saved-settings">
      <h3 id="saved-settings">Saved now</h3>
      <Facts
        of={{
          URL: <WebhookUrl url={url} none="None" />,
          Events: events.length === 0 ? 'None' : events.join(', '),
          Delivery: enabled ? 'On' : 'Off',
        }}
      />
    </section>
  );
}

function SecretSection({ visit, webhook: { rotationEndsAt } }: PartProps<{ webhook: WebhookView }>) {
  return (
    <Card id="secret" title="Signing secret">
      <p>
        <code>{secretMask}</code>
      </p>
      <p>
        The secret was shown once, when it was created. Lost it? Rotate it: the old one can go on working for
        up to 7 days.
      </p>
      <VerifyHelp visit={visit} isRotating={rotationEndsAt !== null} />
      {rotationEndsAt !== null && (
        <>
          <p>
            <strong>The old secret is still in use</strong> until{' '}
            <ZonedTime at={rotationEndsAt} zone={visit.zone} />:{' '}
            <code>{signatureHeader(visit.serviceName)}</code> is made with it. Once your endpoint has the new
            secret, you can finish the rotation. From then on, only the new secret is used.
          </p>
          <p>
            <ButtonLink href={paths.finishRotation(visit.organization.id)} text="Finish now" />
          </p>
        </>
      )}
      {/* During a rotation, finishing it is the next step. */}
      <ButtonLink
        kind={rotationEndsAt === null ? 'secondary' : 'quiet'}
        href={paths.secret(visit.organization.id)}
        text="Rotate the secret"
      />
    </Card>
  );
}

/** The name of the header that holds the signature. */
export function signatureHeader(serviceName: string): string {
  return `X-${serviceName.replaceAll(' ', '-')}-Signature`;
}

/** How an endpoint checks that a request comes from this service. While rotating, it is signed with the old secret. */
export function VerifyHelp({ visit: { serviceName }, isRotating }: PartProps<{ isRotating: boolean }>) {
  const [anchor, text] = isRotating ? ['rotating', 'How to accept both'] : ['verifying', 'How to verify'];
  return (
    <p>
      {isRotating
        ? 'Verify each request with the old secret until the rotation ends, then with the new one'
        : 'Use the secret to verify each request'}
      : <code>{signatureHeader(serviceName)}</code> is <code>sha256=</code> followed by the HMAC-SHA256 of the
      raw body, in hex. Libraries for Standard Webhooks check <code>webhook-signature</code> instead.{' '}
      <a href={`/docs/guide/webhooks#${anchor}`}>{text}</a>
    </p>
  );
}
