import type { Delivery, WebhookHealth, WebhookView } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';
import { availableEvents } from '@rollcall/core/rules';
import { Banner } from '../design/banner.js';
import { Button, ButtonLink } from '../design/button.js';
import { Badge, OnThisPage } from '../design/components.js';
import { Checkbox, Field, Form, type FormProblems } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { TEST_FINISHED } from '../design/notice.js';
import { Timestamp, zoneName } from '../design/times.js';
import type { Visit } from '../visit.js';
import { adviceFor, formatDuration, resultOf, stateLabels } from './delivery-texts.js';
import { DeliveryList, type DeliveryListView } from './list-deliveries.js';
import { deliveryPath, webhookPath } from './webhook-paths.js';

/** The settings in the form. */
export interface WebhookInput {
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
}

export interface WebhookSettings {
  /** The saved webhook. Null when there is none yet. */
  readonly webhook: WebhookView | null;
  readonly input: WebhookInput;
  readonly problems: FormProblems;
}

/** The name of an event's checkbox. */
export function eventField(event: string): string {
  return `event.${event}`;
}

interface WebhookPageProps {
  readonly visit: Visit;
  readonly serviceName: string;
  readonly settings: WebhookSettings;
  readonly health: WebhookHealth;
  readonly lastTest: Delivery | null;
  readonly list: DeliveryListView;
  readonly notice: string | null;
  /** Why nothing can be sent to the saved URL. Null when no reason is known before a delivery. */
  readonly refusal: string | null;
}

export function WebhookPage({
  visit,
  serviceName,
  settings,
  health,
  lastTest,
  list,
  notice,
  refusal,
}: WebhookPageProps) {
  const { webhook } = settings;
  return (
    <>
      {notice !== null && <WebhookNotice notice={notice} lastTest={lastTest} />}
      <hgroup>
        <h1>Webhooks</h1>
        <p>Get notified when someone registers.</p>
      </hgroup>
      {health.failuresInRow > 0 && <FailureBanner health={health} visit={visit} />}
      {refusal !== null && (
        <Banner tone="error">
          Nothing can be sent to the saved URL: {refusal}. {adviceFor(refusal)}
        </Banner>
      )}
      {webhook !== null && <OnThisPage parts={parts} />}
      <SettingsForm visit={visit} settings={settings} />
      {webhook !== null && (
        <div class="two-columns">
          <TestSection visit={visit} webhook={webhook} lastTest={lastTest} />
          <SecretSection visit={visit} serviceName={serviceName} webhook={webhook} />
        </div>
      )}
      <DeliveryList visit={visit} list={list} hasWebhook={webhook !== null} />
    </>
  );
}

const parts = [
  { id: 'settings', title: 'Settings' },
  { id: 'test', title: 'Test' },
  { id: 'secret', title: 'Signing secret' },
  { id: 'log', title: 'Recent deliveries' },
];

/** A failed test is an alert, everything else a notice. */
function WebhookNotice({
  notice,
  lastTest,
}: { readonly notice: string } & Pick<WebhookPageProps, 'lastTest'>) {
  if (notice !== TEST_FINISHED || lastTest === null) return <Notice>{notice}</Notice>;
  const result = resultOf(lastTest);
  if (lastTest.state !== 'failed') return <Notice>Test result: {result}</Notice>;
  return (
    <Banner tone="error" role="alert">
      The test failed: {result}. <a href="#test">How to fix it</a>
    </Banner>
  );
}

interface BannerProps {
  readonly visit: Visit;
  readonly health: WebhookHealth;
}

/** Failing deliveries never disable a webhook, and the banner says so. */
function FailureBanner({ visit: { organization, zone }, health }: BannerProps) {
  const { failuresInRow, failingSince } = health;
  const path = webhookPath(organization.id);
  return (
    <Banner
      tone="error"
      title={
        <>
          {failuresInRow === 1 ? 'The last delivery failed' : `The last ${failuresInRow} deliveries failed`}
          {failingSince !== null && (
            <>
              , since <Timestamp at={failingSince} zone={zone} />
            </>
          )}
        </>
      }
    >
      The webhook is still enabled, and each new event is sent once.{' '}
      <a href={`${path}?state=failed#log`}>See why</a>, fix your endpoint, send a test, then{' '}
      <a href={`${path}/redeliver`}>resend the failed deliveries</a>.
    </Banner>
  );
}

function SettingsForm({ visit, settings }: { readonly visit: Visit; readonly settings: WebhookSettings }) {
  const { webhook, input, problems } = settings;
  const eventsProblem = problems.fields['webhook.events'];
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Form
        action={webhookPath(visit.organization.id)}
        token={visit.signedIn.formToken}
        problem={problems.general}
      >
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
          {eventsProblem !== undefined && (
            <p class="field-problem" id="events-hint">
              {eventsProblem}
            </p>
          )}
        </fieldset>
        <fieldset class="field">
          <legend>Delivery</legend>
          <Checkbox name="enabled" label="Enabled: send events to this URL" checked={input.enabled} />
        </fieldset>
        <div class="actions">
          <Button kind="primary" busy="Saving …">
            {webhook === null ? 'Save and show the signing secret' : 'Save'}
          </Button>
        </div>
      </Form>
    </section>
  );
}

interface TestSectionProps {
  readonly visit: Visit;
  readonly webhook: WebhookView;
  readonly lastTest: Delivery | null;
}

function TestSection({ visit, webhook, lastTest }: TestSectionProps) {
  return (
    <section class="card" aria-labelledby="test">
      <h2 id="test">Test</h2>
      <p>
        Sends a <code>user.registered</code> event for a made-up user to the saved URL
        {webhook.enabled ? '' : ', even though the webhook is disabled'}. This can take up to 16 seconds.
      </p>
      {lastTest !== null && <TestResult visit={visit} test={lastTest} savedAt={webhook.updatedAt} />}
      {webhook.url === null ? (
        <p>Save a URL first.</p>
      ) : (
        <Form action={`${webhookPath(visit.organization.id)}/test`} token={visit.signedIn.formToken}>
          <Button kind="secondary" busy="Sending …">
            Send a test
          </Button>
        </Form>
      )}
    </section>
  );
}

interface TestResultProps {
  readonly visit: Visit;
  readonly test: Delivery;
  /** When the settings were last saved. An earlier result may be for another URL. */
  readonly savedAt: Date;
}

function TestResult({ visit, test, savedAt }: TestResultProps) {
  const { label, tone } = stateLabels[test.state];
  const sentAt = test.attempts.at(-1)?.startedAt ?? test.createdAt;
  const result = resultOf(test);
  const advice = test.state === 'failed' ? adviceFor(result) : null;
  return (
    <div class={`test-result ${tone}`}>
      <p>
        <Badge tone={tone}>{label}</Badge> <strong class="result">{result}</strong>
      </p>
      {advice !== null && <p>{advice}</p>}
      {sentAt < savedAt && (
        <p>This test was sent before you last saved the settings. Send another one to test the saved URL.</p>
      )}
      <p class="fine-print">
        Last test: <Timestamp at={test.createdAt} zone={visit.zone} />
        {test.attempts.length > 0 && `, ${formatDuration(test.attempts.at(-1)?.duration ?? null)}`}.{' '}
        <a href={deliveryPath(visit.organization.id, test.id)}>See details</a>
      </p>
    </div>
  );
}

interface SecretSectionProps {
  readonly visit: Visit;
  readonly serviceName: string;
  readonly webhook: WebhookView;
}

function SecretSection({ visit, serviceName, webhook }: SecretSectionProps) {
  const { rotationEndsAt } = webhook;
  return (
    <section class="card" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <p>
        <code>{secretMask}</code>
      </p>
      <p>The secret was shown once, when it was created. Lost it? Regenerate it.</p>
      <VerifyHelp serviceName={serviceName} isRotating={rotationEndsAt !== null} />
      {rotationEndsAt !== null && (
        <Rotation visit={visit} serviceName={serviceName} endsAt={rotationEndsAt} />
      )}
      <ButtonLink kind="destructive" href={`${webhookPath(visit.organization.id)}/secret`}>
        Regenerate the secret
      </ButtonLink>
    </section>
  );
}

interface RotationProps {
  readonly visit: Visit;
  readonly serviceName: string;
  readonly endsAt: Date;
}

function Rotation({ visit, serviceName, endsAt }: RotationProps) {
  const { organization, zone } = visit;
  return (
    <>
      <p>
        <strong>The old secret is still in use</strong> until <Timestamp at={endsAt} zone={zone} /> (
        {zoneName(zone)}): <code>{signatureHeader(serviceName)}</code> is made with it. Once your endpoint has
        the new secret, you can finish the rotation. From then on, only the new secret is used.
      </p>
      <p>
        <ButtonLink kind="destructive" href={`${webhookPath(organization.id)}/secret/finish`}>
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
        <a href="/docs/guide#rotating">How to accept both</a>
      ) : (
        <a href="/docs/guide#webhooks">How to verify</a>
      )}
    </p>
  );
}
