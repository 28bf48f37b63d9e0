import { Badge, Breakable, ButtonLink, Facts } from '../design/components.js';
import { counted, inEnglish } from '../design/list.js';
import { ZonedTime } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import type { WebhookStatus } from './webhook-parts.js';

interface WebhookStateProps extends WebhookStatus {
  readonly visit: MemberVisit;
}

/** Whether events arrive: the first thing on the page. */
export function WebhookState({ visit, webhook, health, undelivered }: WebhookStateProps) {
  const { zone, organization } = visit;
  const { lastDeliveredAt } = health;
  const isFailing = webhook.enabled && health.failuresInRow > 0;
  const isUnreachable = webhook.enabled && webhook.urlRefusal !== null;
  return (
    <section
      class={`card webhook-state${isFailing || isUnreachable ? ' failing' : ''}`}
      aria-labelledby="state"
    >
      <Heading {...{ visit, webhook, health, undelivered }} />
      {isFailing && <WhatToDo visit={visit} health={health} />}
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
          'Last delivered':
            lastDeliveredAt === null ? (
              'None yet. Tests are not counted.'
            ) : (
              <ZonedTime at={lastDeliveredAt} zone={zone} hasSeconds />
            ),
          Undelivered: undelivered > 0 && (
            <a href={`${paths.webhooks(organization.id)}?state=failed#log`}>
              {counted(undelivered, { one: 'event', several: 'events' })}
            </a>
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

function Heading({ visit: { zone }, webhook, health, undelivered }: WebhookStateProps) {
  const isFailing = webhook.enabled && health.failuresInRow > 0;
  return (
    <h2 id="state">
      <WebhookBadge {...{ webhook, health }} />{' '}
      {isFailing && health.failingSince !== null && (
        <span>
          since <ZonedTime at={health.failingSince} zone={zone} hasSeconds />
        </span>
      )}
      {webhook.enabled && !isFailing && undelivered > 0 && `· ${inEnglish(undelivered)} undelivered`}
    </h2>
  );
}

/** Failing deliveries never disable a webhook, and the text says so. */
function WhatToDo({
  visit: { organization },
  health: { failuresInRow },
}: Pick<WebhookStateProps, 'visit' | 'health'>) {
  return (
    <p>
      {failuresInRow === 1 ? 'The last delivery failed.' : `The last ${failuresInRow} deliveries failed.`} The
      webhook is still on, and each new event is sent once.{' '}
      <a href={`${paths.webhooks(organization.id)}?state=failed#log`}>See why</a>, fix your endpoint, send a
      test, then resend what is undelivered.
    </p>
  );
}

export function WebhookUrl({ url, none }: { readonly url: string | null; readonly none: string }) {
  if (url === null) return <>{none}</>;
  return (
    <code>
      <Breakable text={url} />
    </code>
  );
}
