import type { WebhookView } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { Badge, Banner, Breakable, ButtonLink, Empty, Facts, Filters } from '../design/components.js';
import { counted, inEnglish } from '../design/list.js';
import { ZonedTime } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { adviceFor } from './delivery-texts.js';

/** Whether events arrive. */
export type WebhookStatus = NonNullable<Awaited<ReturnType<typeof readStatus>>>;

/** Null while there is no webhook. `undelivered`: the events whose delivery has failed, until they are delivered or dismissed. */
export async function readStatus({ core, organization }: MemberVisit) {
  const [webhook, health, undelivered] = await Promise.all([
    core.readWebhook({ organization }),
    core.readWebhookHealth({ organization }),
    core.countDeliveries({ organization, states: ['failed'] }),
  ]);
  return webhook && { webhook, health, undelivered };
}

type WebhookPartProps = PartProps<{
  webhook: WebhookView | null;
  chosen: 'log' | 'test' | 'settings';
  children: ComponentChildren;
}>;

/**
 * A page of the webhook, with links to the others, and why nothing can be sent, if that is known before a delivery. Without a
 * webhook there are only its settings.
 */
export function WebhookPart({ visit, webhook, chosen, children }: WebhookPartProps) {
  const { id } = visit.organization;
  const choices = [
    { name: 'log', title: 'Log', href: paths.webhooks(id) },
    { name: 'test', title: 'Test', href: paths.testWebhook(id) },
    { name: 'settings', title: 'Settings and secret', href: paths.webhookSettings(id) },
  ];
  const refusal = webhook?.urlRefusal ?? null;
  return (
    <>
      <hgroup>
        <h1>Webhooks</h1>
        <p>Get notified when someone joins your organization.</p>
      </hgroup>
      {webhook !== null && <Filters label="Webhooks" {...{ choices, chosen }} />}
      {refusal !== null && (
        <Banner tone="error">
          Nothing can be sent to the saved URL: {refusal}. {adviceFor(refusal)}
        </Banner>
      )}
      {webhook === null && chosen !== 'settings' ? (
        <Empty next={{ href: paths.webhookSettings(id), text: 'Set up the webhook' }}>
          There is no webhook yet. Save the URL of your endpoint first.
        </Empty>
      ) : (
        children
      )}
    </>
  );
}

/** Whether events arrive: the first thing on the page. */
export function WebhookState({ visit, ...status }: PartProps<WebhookStatus>) {
  const { zone, organization } = visit;
  const { webhook, undelivered } = status;
  const { lastDeliveredAt, failuresInRow, failingSince } = status.health;
  const delivered = lastDeliveredAt && <ZonedTime at={lastDeliveredAt} zone={zone} hasSeconds />;
  const isFailing = webhook.enabled && failuresInRow > 0;
  const isUnreachable = webhook.enabled && webhook.urlRefusal !== null;
  const failed = `${paths.webhooks(organization.id)}?state=failed#log`;
  return (
    <section
      class={`card webhook-state${isFailing || isUnreachable ? ' failing' : ''}`}
      aria-labelledby="state"
    >
      <h2 id="state">
        <WebhookBadge {...status} />{' '}
        {isFailing && failingSince !== null && (
          <span>
            since <ZonedTime at={failingSince} zone={zone} hasSeconds />
          </span>
        )}
        {webhook.enabled && !isFailing && undelivered > 0 && `· ${inEnglish(undelivered)} undelivered`}
      </h2>
      {/* Failing deliveries never disable a webhook, and the text says so. */}
      {isFailing && (
        <p>
          {failuresInRow === 1 ? 'The last delivery failed.' : `The last ${failuresInRow} deliveries failed.`}{' '}
          The webhook is still on, and each new event is sent once. <a href={failed}>See why</a>, fix your
          endpoint, send a test, then resend what is undelivered.
        </p>
      )}
      {webhook.enabled && !isFailing && !isUnreachable && (
        <p>Each new event is sent once, as soon as it happens.</p>
      )}
      {!webhook.enabled && (
        <p>
          Events that happen while the webhook is off are not sent, not even later.{' '}
          <a href={paths.webhookSettings(organization.id)}>Turn it on in the settings</a>
        </p>
      )}
      <Facts
        of={{
          URL: <WebhookUrl url={webhook.url} none="None yet" />,
          'Last delivered': delivered ?? 'None yet. Tests are not counted.',
          Undelivered: undelivered > 0 && (
            <a href={failed}>{counted(undelivered, { one: 'event', several: 'events' })}</a>
          ),
        }}
      />
      {undelivered > 0 && (
        <div class="actions">
          <ButtonLink href={paths.redeliverFailed(organization.id)} text="Resend undelivered events…" />
          <ButtonLink kind="quiet" href={paths.dismissFailed(organization.id)} text="Dismiss…" />
        </div>
      )}
    </section>
  );
}

/** Whether events arrive, in a word. */
export function WebhookBadge({
  webhook: { enabled, urlRefusal },
  health: { failuresInRow },
}: Pick<WebhookStatus, 'webhook' | 'health'>) {
  if (!enabled) return <Badge tone="neutral">Off</Badge>;
  if (failuresInRow > 0) return <Badge tone="error">Failing</Badge>;
  if (urlRefusal !== null) return <Badge tone="error">On, but unreachable</Badge>;
  return <Badge tone="success">On</Badge>;
}

export function WebhookUrl({ url, none }: { readonly url: string | null; readonly none: string }) {
  if (url === null) return <>{none}</>;
  return (
    <code>
      <Breakable text={url} />
    </code>
  );
}
