import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { WebhookRequest } from '@rollcall/core';
import { gotWebhookSender, type WebhookSenderSettings } from '#adapters/webhook/sender.js';
import { TIME_LIMITS } from '#adapters/webhook/time-limits.js';
import { testAuthority } from '../support/certificates.js';
import type { Listener } from '../support/receiver.js';

/** To be called in each file: what a delivery started, a socket or a timer, must not outlive it. */
export function leavesNothingBehind(): void {
  after(async () => {
    await until(() => !process.getActiveResourcesInfo().some((resource) => /TCP|TLS|Timeout/.test(resource)));
  });
}

export const LOOPBACK = ['127.0.0.0/8', '::1/128'];
export const { cert: AUTHORITY } = await testAuthority();

/** Short limits, so that a test takes no seconds; far enough apart to tell which one it was. */
export const SHORT = { connect: 1_500, answer: 600, total: 3_500 };

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

export const usual = sender();
export const hasty = sender({ limits: SHORT });

/** Sends, and answers everything but the duration, which must be within the limits. */
export async function outcomeOf(url: string, one = usual) {
  const started = performance.now();
  const { duration, ...outcome } = await one.send(request(url));
  const elapsedMs = performance.now() - started;
  assert.ok(duration !== null && Number.isInteger(duration) && duration >= 0 && duration <= elapsedMs + 1);
  assert.ok(elapsedMs < (one === hasty ? SHORT.total : TIME_LIMITS.total) + 500, `took ${elapsedMs} ms`);
  return outcome;
}

export const failed = (phase: string, reason: string) => ({ outcome: 'failed', phase, status: null, reason });
export const DELIVERED = { outcome: 'delivered', phase: 'answer', status: 200, reason: 'answered 200' };

/** Stops the listener when the test has ended, however it ends. */
export function during<Kind extends Listener>(context: TestContext, listener: Kind): Kind {
  context.after(() => listener.stop());
  return listener;
}

export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    assert.ok(performance.now() < deadline, 'what was waited for has not come');
    await pause(5);
  }
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

/** Nothing that a delivery started may stay behind: not a socket, not a timer. */
after(async () => {
  await until(() => !process.getActiveResourcesInfo().some((resource) => /TCP|TLS|Timeout/.test(resource)));
});

/** A lookup that always answers these addresses. */
export function answering(...addresses: readonly string[]) {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
