import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { WebhookRequest } from '@rollcall/core';
import { gotWebhookSender, type WebhookSenderSettings } from '#adapters/node/webhook/sender.js';
import { TIME_LIMITS } from '#adapters/node/webhook/time-limits.js';
import { testAuthority } from '../../support/certificates.js';
import type { Listener } from '../../support/receiver.js';
import { slowness } from '../../support/slowness.js';
import { eventually } from '../../support/wait.js';

/** Call it in each file. After all tests, no socket or timer of a delivery may be left. */
export function checkNothingIsLeftOpen(): void {
  after(async () => {
    await eventually(
      () => !process.getActiveResourcesInfo().some((resource) => /TCP|TLS|Timeout/.test(resource)),
    );
  });
}

export const LOOPBACK = ['127.0.0.0/8', '::1/128'];
export const { cert: AUTHORITY } = await testAuthority();

/** Short limits for fast tests, different enough to tell which one has ended an attempt. The machine may become busier. */
const slow = Math.round(slowness()) + 1;
export const SHORT_LIMITS = { connect: 1_500 * slow, answer: 1_000 * slow, total: 3_500 * slow };

export const BODY = '{"event":"user.registered","user":{"first_name":"Zoë","last_name":"Ōno 🌍"}}';

export function request(url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest {
  return { url, headers: { 'Content-Type': 'application/json' }, body: BODY, ...changes };
}

export function sender(settings: Partial<WebhookSenderSettings> = {}) {
  return gotWebhookSender({
    allowedNetworks: LOOPBACK,
    certificateAuthorities: [AUTHORITY],
    ...settings,
  });
}

export const defaultSender = sender();
export const quickSender = sender({ limits: SHORT_LIMITS });

/** Sends a request, and returns the attempt without its duration, which must be within the limits. */
export async function outcomeOf(url: string, one = defaultSender) {
  const { code: _, ...outcome } = await endingOf(url, one);
  return outcome;
}

/** As `outcomeOf`, with the code of the error. */
export async function endingOf(url: string, one = defaultSender) {
  const startedAt = performance.now();
  const { duration, request: sent, response, ...outcome } = await one.send(request(url));
  assert.equal(sent.url, url);
  assert.equal(response === null, outcome.status === null);
  const elapsedMs = performance.now() - startedAt;
  assert.ok(duration !== null && Number.isInteger(duration) && duration >= 0 && duration <= elapsedMs + 1);
  assert.ok(
    elapsedMs < (one === quickSender ? SHORT_LIMITS.total : TIME_LIMITS.total) + 500,
    `took ${elapsedMs} ms`,
  );
  return outcome;
}

export const failed = (phase: string, reason: string) => ({ outcome: 'failed', phase, status: null, reason });
export const DELIVERED = { outcome: 'delivered', phase: 'answer', status: 200, reason: 'answered 200' };

/** Stops the listener when the test has ended, whether it passes or not. */
export function stopAfter<Kind extends Listener>(context: TestContext, listener: Kind): Kind {
  context.after(() => listener.stop());
  return listener;
}

export function withEnvironment(t: TestContext, changes: Readonly<Record<string, string | undefined>>): void {
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, process.env[name]]));
  const set = (values: Readonly<Record<string, string | undefined>>): void => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(changes);
  t.after(() => set(before));
}

/** A lookup that always returns these addresses. */
export function lookupOf(...addresses: readonly string[]) {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
