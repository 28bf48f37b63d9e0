import { Refusal, type WebhookView } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';
import { availableEvents } from '@rollcall/core/rules';
import { Button, ButtonLink, Facts } from '../design/components.js';
import {
  Checkbox,
  Field,
  Form,
  type FormProblems,
  GroupProblem,
  noProblems,
  problemsOf,
} from '../design/form.js';
import { Timestamp, zoneName } from '../design/times.js';
import { redirectToSecret } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { WebhookPart } from './webhook-parts.js';
import { WebhookUrl } from './webhook-state.js';

const labels = { 'webhook.url': 'URL', 'webhook.events': 'Events' };

/** The field with the version that the form showed, so that a form does not overwrite a later change. */
export const UNCHANGED_SINCE = 'unchanged_since';

/** The settings of the webhook, and its signing secret. */
export const configureWebhook = memberPage({
  path: paths.webhookSettings(':id'),
  section: 'webhooks',
  async get(visit) {
    const webhook = await visit.core.readWebhook({ organization: visit.organization });
    const { kept } = visit;
    const input = kept === null ? inputOf(webhook) : inputIn((name) => kept[name] ?? '');
    const version = kept?.[UNCHANGED_SINCE] ?? shownVersion(webhook);
    const settings = { webhook, input, version, isOutdated: false, problems: noProblems };
    showSettings(visit, settings);
  },
  keeps: ['url', 'enabled', UNCHANGED_SINCE, ...availableEvents.map(eventField)],
  async post(visit) {
    const { core, organization, by } = visit;
    const input = inputIn((name) => visit.field(name));
    const version = visit.field(UNCHANGED_SINCE);
    try {
      const { secret } = await core.configureWebhook({
        organization,
        how: 'set',
        webhook: { ...input, url: input.url || null },
        unchangedSince: versionIn(version),
        by,
      });
      visit.setNotice('webhook-saved');
      if (secret === null) visit.leadTo(paths.webhookSettings(organization.id));
      else redirectToSecret(visit, { path: paths.newSecret(organization.id), secret });
    } catch (error) {
      const isOutdated = error instanceof Refusal && error.code === 'webhook-outdated';
      const problems = isOutdated ? outdated : problemsOf(error, labels, ['invalid-webhook']);
      const webhook = await core.readWebhook({ organization });
      if (isOutdated && isSaved(webhook, input))
        return visit.leadTo(paths.webhookSettings(organization.id), 'webhook-saved');
      showSettings(visit, {
        ...{ webhook, input, isOutdated, problems },
        // Only a reader who was told of the change may overwrite it.
        version: isOutdated ? shownVersion(webhook) : version,
      });
    }
  },
});

const outdated: FormProblems = {
  general:
    'Someone changed the webhook or its secret after you opened this page. Nothing was saved. Compare your settings with the saved ones, then save again to replace them.',
  fields: {},
};

/** Whether the settings are already what the reader wants. */
function isSaved(webhook: WebhookView | null, input: WebhookInput): boolean {
  return webhook !== null && JSON.stringify(inputOf(webhook)) === JSON.stringify(input);
}

/** Without a webhook, everything but the URL is filled in. */
function inputOf(webhook: WebhookView | null): WebhookInput {
  if (webhook === null) return { url: '', enabled: true, events: availableEvents };
  const events = availableEvents.filter((event) => webhook.events.includes(event));
  return { url: webhook.url ?? '', enabled: webhook.enabled, events };
}

function inputIn(field: (name: string) => string): WebhookInput {
  return {
    url: field('url').trim(),
    enabled: field('enabled') === '1',
    events: availableEvents.filter((event) => field(eventField(event)) === '1'),
  };
}

function showSettings(visit: MemberVisit, settings: WebhookSettings): void {
  const { webhook, problems } = settings;
  visit.show({
    title: 'Webhook settings',
    problems,
    notice: visit.consumeNotice(),
    body: (
      <WebhookPart {...{ visit, webhook }} chosen="settings">
        <div class={webhook === null ? undefined : 'columns wide'}>
          <SettingsForm {...{ visit, settings }} />
          {webhook !== null && <SecretSection {...{ visit, webhook }} />}
        </div>
      </WebhookPart>
    ),
  });
}

/** The settings in the form. */
interface WebhookInput {
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
}

interface WebhookSettings {
  /** The saved webhook. Null when there is none yet. */
  readonly webhook: WebhookView | null;
  readonly input: WebhookInput;
  /** The state of the webhook that the reader has seen, as the form names it. */
  readonly version: string;
  /** Whether someone has changed the webhook since the reader has seen it. */
  readonly isOutdated: boolean;
  readonly problems: FormProblems;
}

/** The version of a webhook that does not exist yet. */
const NO_WEBHOOK = 'none';

function shownVersion(webhook: WebhookView | null): string {
  return webhook === null ? NO_WEBHOOK : webhook.updatedAt.toISOString();
}

/** The version as the core compares it. A form that someone opened before an update of the service shows none. */
function versionIn(text: string): Date | null | undefined {
  if (text === '') return undefined;
  return text === NO_WEBHOOK ? null : new Date(text);
}

/** The name of an event's checkbox. */
function eventField(event: string): string {
  return `event.${event}`;
}

interface SettingsFormProps {
  readonly visit: MemberVisit;
  readonly settings: WebhookSettings;
}

function SettingsForm({ visit, settings }: SettingsFormProps) {
  const { webhook, input, version, isOutdated, problems } = settings;
  const eventsProblem = problems.fields['webhook.events'];
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Form
        action={paths.webhookSettings(visit.organization.id)}
        token={visit.token}
        problem={problems.general}
      >
        <input type="hidden" name={UNCHANGED_SINCE} value={version} />
        {isOutdated && webhook !== null && <SavedSettings webhook={webhook} />}
        <Field
          name="url"
          label="URL"
          type="url"
          autocomplete="off"
          value={input.url}
          help="The public HTTPS address of your endpoint, such as https://example.com/hooks."
          problem={problems.fields['webhook.url']}
        />
        <fieldset class="field" {...(eventsProblem !== undefined && { 'aria-describedby': 'events-hint' })}>
          <legend>Events</legend>
          {availableEvents.map((event) => (
            <Checkbox
              key={event}
              name={eventField(event)}
              label={event}
              checked={input.events.includes(event)}
            />
          ))}
          <GroupProblem id="events-hint" text={eventsProblem} />
        </fieldset>
        <fieldset class="field">
          <legend>Delivery</legend>
          <Checkbox name="enabled" label="On: send events to this URL" checked={input.enabled} />
        </fieldset>
        <div class="actions">
          <Button kind="primary" busy="Saving …">
            {webhook === null ? 'Save and show the signing secret' : 'Save'}
          </Button>
          {webhook?.url && problems === noProblems && (
            <ButtonLink kind="secondary" href={paths.testWebhook(visit.organization.id)}>
              Go to the test
            </ButtonLink>
          )}
        </div>
      </Form>
    </section>
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

interface SecretSectionProps {
  readonly visit: MemberVisit;
  readonly webhook: WebhookView;
}

function SecretSection({ visit, webhook: { rotationEndsAt } }: SecretSectionProps) {
  return (
    <section class="card" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <p>
        <code>{secretMask}</code>
      </p>
      <p>The secret was shown once, when it was created. Lost it? Regenerate it.</p>
      <VerifyHelp serviceName={visit.serviceName} isRotating={rotationEndsAt !== null} />
      {rotationEndsAt !== null && <Rotation visit={visit} endsAt={rotationEndsAt} />}
      {/* During a rotation, finishing it is the next step. */}
      <ButtonLink
        kind={rotationEndsAt === null ? 'destructive' : 'quiet'}
        href={paths.secret(visit.organization.id)}
      >
        Regenerate the secret
      </ButtonLink>
    </section>
  );
}

interface RotationProps {
  readonly visit: MemberVisit;
  readonly endsAt: Date;
}

function Rotation({ visit: { organization, zone, serviceName }, endsAt }: RotationProps) {
  return (
    <>
      <p>
        <strong>The old secret is still in use</strong> until <Timestamp at={endsAt} zone={zone} /> (
        {zoneName(zone)}): <code>{signatureHeader(serviceName)}</code> is made with it. Once your endpoint has
        the new secret, you can finish the rotation. From then on, only the new secret is used.
      </p>
      <p>
        <ButtonLink kind="secondary" href={paths.finishRotation(organization.id)}>
          Finish now
        </ButtonLink>
      </p>
    </>
  );
}

/** The name of the header that holds the signature. */
export function signatureHeader(serviceName: string): string {
  return `X-${serviceName.replaceAll(' ', '-')}-Signature`;
}

interface VerifyHelpProps {
  readonly serviceName: string;
  /** Whether the signature is still made with the old secret. */
  readonly isRotating: boolean;
}

/** Explains how an endpoint checks that a request comes from this service. */
export function VerifyHelp({ serviceName, isRotating }: VerifyHelpProps) {
  const header = <code>{signatureHeader(serviceName)}</code>;
  return (
    <p>
      {isRotating ? (
        <>Verify each request with the old secret until the rotation ends, then with the new one: {header}</>
      ) : (
        <>Use the secret to verify each request: {header}</>
      )}{' '}
      is <code>sha256=</code> followed by the HMAC-SHA256 of the raw body, in hex.{' '}
      {isRotating ? (
        <a href="/docs/guide/webhooks#rotating">How to accept both</a>
      ) : (
        <a href="/docs/guide/webhooks#verifying">How to verify</a>
      )}
    </p>
  );
}
