import type { TestContext } from 'node:test';
import type { Attempt, AttemptResponse } from '@rollcall/core';
import { anOrganization, recordingSender } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import type { PageClient } from './client.js';
import { type PageSite, type StartPageSite, startPageSite } from './site.js';

const password = 'a good password';
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
export async function webhookSite(context: TestContext, options: StartPageSite = {}): Promise<PageSite> {
  const started = await startPageSite(context, options);
  await started.load({
    organizations: [anOrganization(1, { name: 'Northwind Wellness' }), anOrganization(2)],
  });
  const people = [
    ['owner', 1],
    ['admin', 1],
    ['member', 1],
    ['admin', 2],
  ] as const;
  for (const [index, [role, organization]] of people.entries())
    await started.addUser({ id: 100 + index, password, organizations: [organization], role });
  return started;
}

export async function signedIn({ visitor }: PageSite, id = 101): Promise<PageClient> {
  const client = visitor();
  await client.fillIn('/sign-in', { email: `user-${id}@example.test`, password });
  return client;
}

/** Starts a site with a webhook whose endpoint gives these results in turn, and then repeats the last one. */
export async function withWebhook(context: TestContext, endings: readonly Ending[] = [answered(200)]) {
  const left = [...endings];
  let people = 0;
  const webhookSender = recordingSender(() => (left.length > 1 ? left.shift() : left[0]) as Ending);
  const started = await webhookSite(context, { webhookSender });
  const client = await signedIn(started);
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
