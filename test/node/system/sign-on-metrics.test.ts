import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SecurityEvent } from '@rollcall/core';
import { prometheusMetrics } from '#adapters/node/system/metrics.js';
import { serveMetrics } from '../../support/alerts/scrapes.js';

describe('The metrics of sign-on and of second factors', () => {
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
      { kind: 'second-factor-used', userId: 1, factor: 'passkey', address: null },
      { kind: 'sign-in-failed', address: null, account: null },
      ...Array(2).fill({ kind: 'sign-in-failed', address: null, account: null, factor: 'code' }),
      { kind: 'sign-in-refused', address: null, account: null, factor: 'recovery-code' },
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
    const factors = [...text.matchAll(/^rollcall_second_factors_total\{([^}]+)\} ([1-9])$/gm)];
    assert.deepEqual(
      factors.map(([, labels, count]) => [labels, Number(count)]),
      [
        ['factor="passkey",outcome="right"', 1],
        ['factor="code",outcome="wrong"', 2],
        ['factor="recovery-code",outcome="refused"', 1],
      ],
    );
    assert.equal(text.match(/^rollcall_second_factors_total\{/gm)?.length, 9);
    assert.match(text, /^rollcall_sign_on_secrets_expiring 2$/m);
  });
});
