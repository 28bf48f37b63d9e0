import type { TestContext } from 'node:test';
import type { Attempt, AttemptResponse } from '@rollcall/core';
import { recordingSender } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import { type PageSite, type StartPageSite, startSiteOf } from './site.js';

export const page = '/organizations/1/webhooks';
export const settingsPage = `${page}/settings`;
export const testPage = `${page}/test`;
export const url = 'https://partner.test/hooks?key=of-the-receiver';
export const settings = { url, enabled: '1', [`event.${eventName}`]: '1' };

export interface Ending extends Omit<Attempt, 'startedAt'> {
  readonly response?: AttemptResponse;
}

export const answered = (status: number): Ending => ({
  duration: 1500,
  outcome: status < 300 ? 'delivered' : 'failed',
  phase: 'answer',
  status,
  reason: `answered ${status}`,
});

/**
 * Starts a site with an owner (100), an admin (101) and a member (102) of organization 1, and an admin (103) of
 * another.
 */
export const webhookSite = (context: TestContext, options?: StartPageSite): Promise<PageSite> =>
  startSiteOf(
    context,
    { 100: ['owner', 1], 101: ['admin', 1], 102: ['member', 1], 103: ['admin', 2] },
    options,
  );

/** Starts a site with a webhook whose endpoint gives these results in turn, and then repeats the last one. */
export async function withWebhook(context: TestContext, endings: readonly Ending[] = [answered(200)]) {
  const left = [...endings];
  let people = 0;
  const webhookSender = recordingSender(() => (left.length > 1 ? left.shift() : left[0]) as Ending);
  const started = await webhookSite(context, { webhookSender });
  const client = await started.signedIn(101);
  await client.fillIn(settingsPage, settings);
  /** Registers a person, sends the event and lets a minute pass. Returns the number of the delivery. */
  const register = async (firstName: string): Promise<number> => {
    people += 1;
    const person = { email: `person-${people}@example.test`, firstName, lastName: 'Person' };
    await started.core.registerUser({ organizationId: 1, ...person });
    await started.deliver();
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 } });
    started.clock.advance(60_000);
    return deliveries[0]?.id ?? 0;
  };
  return { started, client, register, sent: webhookSender.sent };
}

export const secretIn = (html: string): string | undefined => /whsec_[A-Za-z0-9+/=]{20,}/.exec(html)?.[0];
