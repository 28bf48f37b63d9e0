import {
  availableEvents,
  type Delivery,
  secretMask,
  type WebhookHealth,
  type WebhookView,
} from '@rollcall/core';
import { Checkbox, Field, Form, type FormProblems } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { TEST_HAS_ENDED } from '../design/notice.js';
import { Badge } from '../design/parts.js';
import { Moment } from '../design/times.js';
import type { Visit } from '../visit.js';
import { DeliveryLog, type DeliveryLogView } from './delivery-log.js';
import { adviceOn, durationWords, resultOf, stateWords } from './delivery-words.js';
import { deliveryPath, webhookPath } from './webhook-paths.js';

/** What the form for the settings holds. */
export interface WebhookInput {
  readonly url: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
}

export interface WebhookSettings {
  /** As it is saved; null: there is none yet. */
  readonly webhook: WebhookView | null;
  readonly input: WebhookInput;
  readonly problems: FormProblems;
}

/** The field of the box for an event. */
export function eventField(event: string): string {
  return `event.${event}`;
}

interface WebhookPageProps {
  readonly visit: Visit;
  readonly serviceName: string;
  readonly settings: WebhookSettings;
  readonly health: WebhookHealth;
  readonly lastTest: Delivery | null;
  readonly log: DeliveryLogView;
  readonly notice: string | null;
  /** Why nothing is ever sent to the saved URL; null where only sending can tell. */
  readonly refusal: string | null;
}

export function WebhookPage({
  visit,
  serviceName,
  settings,
  health,
  lastTest,
  log,
  notice,
  refusal,
}: WebhookPageProps) {
  const { webhook } = settings;
  return (
    <>
      {notice !== null && <WebhookNotice notice={notice} lastTest={lastTest} />}
      <hgroup>
        <h1>Webhooks</h1>
        <p>We tell a program of yours as soon as somebody has registered.</p>
      </hgroup>
      {health.failuresInRow > 0 && <FailureBanner health={health} visit={visit} />}
      {refusal !== null && (
        <p class="problem banner">
          No event can be sent to the saved URL: {refusal}. {adviceOn(refusal)}
        </p>
      )}
      <SettingsForm visit={visit} settings={settings} />
      {webhook !== null && (
        <div class="pair">
          <TestSection visit={visit} webhook={webhook} lastTest={lastTest} />
          <SecretSection visit={visit} serviceName={serviceName} />
        </div>
      )}
      <DeliveryLog visit={visit} log={log} hasWebhook={webhook !== null} />
    </>
  );
}

/** What came of a test is good news or bad news. */
function WebhookNotice({
  notice,
  lastTest,
}: { readonly notice: string } & Pick<WebhookPageProps, 'lastTest'>) {
  if (notice !== TEST_HAS_ENDED || lastTest === null) return <Notice>{notice}</Notice>;
  const result = resultOf(lastTest);
  if (lastTest.state !== 'failed') return <Notice>The test has ended: {result}</Notice>;
  return (
    <p class="problem banner" role="alert">
      The test failed: {result}. <a href="#test">What helps</a>
    </p>
  );
}

interface BannerProps {
  readonly visit: Visit;
  readonly health: WebhookHealth;
}

/** That deliveries fail; we never switch a webhook off for it, and say so. */
function FailureBanner({ visit: { organization, zone }, health }: BannerProps) {
  const { failuresInRow, failingSince } = health;
  const path = webhookPath(organization.id);
  return (
    <section class="problem banner" aria-labelledby="failing">
      <h2 id="failing">
        {failuresInRow === 1 ? 'The last delivery failed' : `The last ${failuresInRow} deliveries failed`}
        {failingSince !== null && (
          <>
            , since <Moment moment={failingSince} zone={zone} />
          </>
        )}
      </h2>
      <p>
        Nothing was switched off: each new event is still sent, once.{' '}
        <a href={`${path}?state=failed#log`}>See why</a>, mend your receiver, send a test, and then{' '}
        <a href={`${path}/redeliver`}>send again what failed</a>.
      </p>
    </section>
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
        problem={problems.whole}
      >
        <Field
          name="url"
          label="URL"
          type="url"
          autocomplete="off"
          value={input.url}
          help="Where your program receives events, such as https://example.com/hooks. It must be HTTPS and public."
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
          <button type="submit" data-busy="Saving …">
            {webhook === null ? 'Save, and show the signing secret' : 'Save'}
          </button>
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
        Sends <code>user.registered</code> of an invented user to the saved URL
        {webhook.enabled ? '' : ', though the webhook is switched off'}. It can take up to 16 seconds.
      </p>
      {lastTest !== null && <TestResult visit={visit} test={lastTest} savedAt={webhook.updatedAt} />}
      {webhook.url === null ? (
        <p>Save a URL first.</p>
      ) : (
        <Form action={`${webhookPath(visit.organization.id)}/test`} token={visit.signedIn.formToken}>
          <button class="secondary outline" type="submit" data-busy="Sending …">
            Send a test
          </button>
        </Form>
      )}
    </section>
  );
}

interface TestResultProps {
  readonly visit: Visit;
  readonly test: Delivery;
  /** When the settings were saved last: a result from before may be that of another URL. */
  readonly savedAt: Date;
}

function TestResult({ visit, test, savedAt }: TestResultProps) {
  const { words, tone } = stateWords[test.state];
  const sentAt = test.attempts.at(-1)?.startedAt ?? test.createdAt;
  const result = resultOf(test);
  const advice = test.state === 'failed' ? adviceOn(result) : null;
  return (
    <div class={`test-result ${tone}`}>
      <p>
        <Badge tone={tone}>{words}</Badge> <strong class="result">{result}</strong>
      </p>
      {advice !== null && <p>{advice}</p>}
      {sentAt < savedAt && (
        <p>This test was sent before the settings were last saved. Send another one to try the saved URL.</p>
      )}
      <p class="fine-print">
        Last test: <Moment moment={test.createdAt} zone={visit.zone} />
        {test.attempts.length > 0 && `, ${durationWords(test.attempts.at(-1)?.duration ?? null)}`}.{' '}
        <a href={deliveryPath(visit.organization.id, test.id)}>Details of the test</a>
      </p>
    </div>
  );
}

interface SecretSectionProps {
  readonly visit: Visit;
  readonly serviceName: string;
}

function SecretSection({ visit, serviceName }: SecretSectionProps) {
  return (
    <section class="card" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <p>
        <code>{secretMask}</code>
      </p>
      <p>It was shown once, when it was made. Lost it? Regenerate it.</p>
      <VerifyHelp serviceName={serviceName} />
      <p>
        <a href={`${webhookPath(visit.organization.id)}/secret`}>Regenerate the secret</a>
      </p>
    </section>
  );
}

/** How a receiver knows that a request is ours. */
export function VerifyHelp({ serviceName }: { readonly serviceName: string }) {
  const header = `X-${serviceName.replaceAll(' ', '-')}-Signature`;
  return (
    <p>
      Your program verifies each request with it: <code>{header}</code> is <code>sha256=</code> and the
      HMAC-SHA256 of the body, byte for byte, in hex. <a href="/docs/guide#webhooks">How to verify</a>
    </p>
  );
}
