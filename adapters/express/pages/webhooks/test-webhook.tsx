import { type Delivery, Refusal, type WebhookView } from '@rollcall/core';
import { testEventName } from '@rollcall/core/rules';
import { Badge, Banner, Button, Card, Icon } from '../design/components.js';
import { Form } from '../design/form.js';
import type { NoticeView } from '../design/notice.js';
import { TextWithOperator } from '../design/operator.js';
import { ZonedTime } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { PartProps } from '../visit.js';
import { adviceFor, formatDuration, resultOf, stateLabels } from './delivery-texts.js';
import { WebhookPart, WebhookUrl } from './webhook-parts.js';

/** Sends a test and waits until it ends, at most 16 seconds. Then it shows the result. */
export const testWebhook = memberPage({
  path: paths.testWebhook(':id'),
  async get(visit) {
    const { core, organization } = visit;
    const [webhook, tests] = await Promise.all([
      core.readWebhook({ organization }),
      core.listDeliveries({ organization, isTest: true, limit: 1 }),
    ]);
    const lastTest = tests.deliveries[0] ?? null;
    const notice = visit.consumeNotice();
    const isOfTest = notice?.name.startsWith('webhook-test') === true;
    visit.show(
      { title: 'Webhook test', notice: isOfTest ? null : notice },
      <WebhookPart {...{ visit, webhook }} chosen="test">
        {webhook !== null && (
          <div class="columns wide">
            <Test {...{ visit, webhook, lastTest }} notice={isOfTest ? notice : null} />
          </div>
        )}
      </WebhookPart>,
    );
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const notice = await core
      .testWebhook({ organization, by })
      .then(() => 'webhook-tested' as const, noticeAbout);
    visit.leadTo(paths.testWebhook(organization.id), notice);
  },
});

function noticeAbout(error: unknown) {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'webhook-test-under-way') return 'webhook-test-under-way';
  if (error.code === 'invalid-webhook') return 'webhook-test-needs-url';
  throw error;
}

/** `notice`: about a test that was just asked for. */
type TestProps = PartProps<{ webhook: WebhookView; lastTest: Delivery | null; notice: NoticeView | null }>;

/** Sends a test, and shows the result of the last one. */
function Test({ visit, webhook, lastTest, notice }: TestProps) {
  const hasEnded = notice?.name === 'webhook-tested';
  return (
    <Card id="test" title="Send a test">
      <p>
        Sends a <code>{testEventName}</code> event for a made-up user to{' '}
        <WebhookUrl url={webhook.url} none="the saved URL" />
        {webhook.enabled ? '' : ', even though the webhook is off'}. This can take up to 16 seconds.
      </p>
      {webhook.rotationEndsAt !== null && (
        <p>
          The old signing secret is also in use until{' '}
          <ZonedTime at={webhook.rotationEndsAt} zone={visit.zone} />.{' '}
          <a href={paths.finishRotation(visit.organization.id)}>Finish the rotation</a>
        </p>
      )}
      {notice !== null && !hasEnded && (
        <Banner tone="warning" role="status">
          {notice.text}
        </Banner>
      )}
      {lastTest !== null && (
        <TestResult visit={visit} test={lastTest} savedAt={webhook.updatedAt} hasEnded={hasEnded} />
      )}
      {webhook.url === null ? (
        <p>
          <a href={paths.webhookSettings(visit.organization.id)}>Save a URL</a> first.
        </p>
      ) : (
        <Form action={paths.testWebhook(visit.organization.id)} token={visit.signedIn.formToken}>
          <Button kind="primary" busy="Sending …">
            <Icon name="send" />
            Send a test
          </Button>
        </Form>
      )}
    </Card>
  );
}

type TestResultProps = PartProps<{
  test: Delivery;
  /** When the settings were last saved. An earlier result may be for another URL. */
  savedAt: Date;
  /** Whether the reader has waited for this test: screen readers then read the result. */
  hasEnded: boolean;
}>;

function TestResult({ visit, test, savedAt, hasEnded }: TestResultProps) {
  const { label, tone } = stateLabels[test.state];
  const sentAt = test.attempts.at(-1)?.startedAt ?? test.createdAt;
  const result = resultOf(test);
  const advice = test.state === 'failed' ? adviceFor(result) : null;
  const role = test.state === 'failed' ? 'alert' : 'status';
  return (
    <div class={`test-result ${tone}`} {...(hasEnded && ({ role } as const))}>
      <p>
        {hasEnded && <>The test was just sent: </>}
        <Badge tone={tone}>{label}</Badge> <strong class="result">{result}</strong>
      </p>
      {advice !== null && (
        <p>
          <TextWithOperator visit={visit} text={advice} />
        </p>
      )}
      {sentAt < savedAt && (
        <p>This test was sent before the webhook last changed. Send another one to test it as it is now.</p>
      )}
      <p class="fine-print">
        Last test: <ZonedTime at={test.createdAt} zone={visit.zone} hasSeconds />
        {test.attempts.length > 0 && `, ${formatDuration(test.attempts.at(-1)?.duration ?? null)}`}.{' '}
        <a href={paths.delivery(visit.organization.id, test.id)}>See details</a>
      </p>
    </div>
  );
}
