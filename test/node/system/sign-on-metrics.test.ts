import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SecurityEvent } from '@rollcall/core';
import { prometheusMetrics } from '#adapters/node/system/metrics.js';
import { serveMetrics } from '../../support/alerts/scrapes.js';

describe('The metrics of sign-on', () => {
  test('count by outcome, begin with 0, and pass each event on', async (t) => {
    const seen: SecurityEvent[] = [];
    const metrics = prometheusMetrics({
      ...{ version: '1', pools: () => [], now: Date.now },
      backlog: async () => ({ pending: 0, sending: 0, held: 0, failed: 0, oldestPending: null }),
      expiringSignOns: async () => 2,
    });
    const log = metrics.observeSecurity({ record: (event) => seen.push(event) });
    const failed = { kind: 'sign-on-failed', organizationId: 1, reason: 'r', address: null } as const;
    const events: readonly SecurityEvent[] = [
      { ...failed, outcome: 'invalid' },
      { ...failed, outcome: 'not-admitted' },
      { ...failed, outcome: 'invalid' },
      { kind: 'signed-in', userId: 1, by: 'sign-on', address: null },
      { kind: 'signed-in', userId: 1, by: 'password', address: null },
    ];
    for (const event of events) log.record(event);
    assert.deepEqual(seen, events);
    const served = await serveMetrics(metrics);
    t.after(() => served.stop());
    const text = await served.target();
    const counts = Object.fromEntries(
      [...text.matchAll(/^rollcall_sign_ons_total\{outcome="([^"]+)"\} (\d+)$/gm)].map(([, name, count]) => [
        name,
        Number(count),
      ]),
    );
    assert.deepEqual(counts, {
      ...{ 'signed-in': 1, unreachable: 0, refused: 0, 'not-asked': 0, invalid: 2, 'not-admitted': 1 },
    });
    assert.match(text, /^rollcall_sign_on_secrets_expiring 2$/m);
  });
});
