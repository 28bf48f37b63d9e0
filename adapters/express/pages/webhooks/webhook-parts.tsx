import type { WebhookHealth, WebhookView } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { Banner, Empty, Filters } from '../design/components.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { adviceFor } from './delivery-texts.js';

/** Whether events arrive. */
export interface WebhookStatus {
  readonly webhook: WebhookView;
  readonly health: WebhookHealth;
  /** The events whose delivery has failed, until they are delivered or dismissed. */
  readonly undelivered: number;
}

/** Null while there is no webhook. */
export async function readStatus({ core, organization }: MemberVisit): Promise<WebhookStatus | null> {
  const [webhook, health, undelivered] = await Promise.all([
    core.readWebhook({ organization }),
    core.readWebhookHealth({ organization }),
    core.countDeliveries({ organization, states: ['failed'] }),
  ]);
  return webhook && { webhook, health, undelivered };
}

interface WebhookPartProps {
  readonly visit: MemberVisit;
  /** Null while there is no webhook: then there are no other parts. */
  readonly webhook: WebhookView | null;
  readonly chosen: 'log' | 'test' | 'settings';
  readonly children: ComponentChildren;
}

/** A page of the webhook, with links to the others, and why nothing can be sent, if that is known before a delivery. */
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
      {children}
    </>
  );
}

/** Shown instead of the log and the test while there is no webhook. */
export function NoWebhook({ visit: { organization } }: Pick<WebhookPartProps, 'visit'>) {
  return (
    <Empty next={{ href: paths.webhookSettings(organization.id), text: 'Set up the webhook' }}>
      There is no webhook yet. Save the URL of your endpoint first.
    </Empty>
  );
}
