import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt, Delivery } from '@rollcall/core';
import type { Disturbance } from './disturbances.js';
import { observe, type Received } from './observed-deliveries.js';

const eventId = '00000000-0000-4000-8000-000000000007';
const attempt = (at: number, outcome: Attempt['outcome'], more: Partial<Attempt> = {}): Attempt => ({
  startedAt: new Date(at),
  duration: outcome === 'interrupted' ? null : 100,
  outcome,
  phase: outcome === 'interrupted' ? null : 'answer',
  status: outcome === 'interrupted' ? null : outcome === 'delivered' ? 200 : 500,
  reason: outcome,
  ...more,
});
const request = (at: number, status: number | null): Received => ({
  eventId,
  url: 'https://127.0.0.1:1/plan-1/org-1./hook-1',
  headers: { 'X-Service-Event-Id': eventId },
  body: '{}',
  at,
  status,
  endedAt: at + 50,
});
const killed = (from: number): Disturbance => ({ kind: 'kill', instance: 0, from, to: from + 100 });

function problemsOf(
  attempts: readonly Attempt[],
  received: readonly Received[],
  disturbances: readonly Disturbance[] = [],
  slownessMs = 0,
): readonly string[] {
  const delivery: Delivery = {
    id: 1,
    organizationId: 1,
    eventId,
    eventName: 'user.registered',
    body: '{}',
    isTest: false,
    state: 'delivered',
    createdAt: new Date(0),
    finishedAt: new Date(900_000),
    isDropped: false,
    attempts,
  };
  const { problems } = observe({
    org: 1,
    deliveries: [delivery],
    received,
    disturbances,
    timeOf: (date) => date.getTime(),
    end: 1_000_000,
    slownessMs,
  });
  return problems.map((text) => text.replace('event #7 of organization 1 ', ''));
}

describe('What a receiver saw of a delivery', () => {
  test('fits a log with one attempt for each request', () => {
    assert.deepEqual(problemsOf([attempt(1_000, 'delivered')], [request(1_010, 200)]), []);
    assert.deepEqual(
      problemsOf(
        [attempt(1_000, 'interrupted'), attempt(9_000, 'failed')],
        [request(1_010, null), request(9_010, 500)],
        [killed(1_020)],
      ),
      [],
    );
    assert.deepEqual(
      problemsOf(
        [attempt(1_000, 'interrupted'), attempt(9_000, 'delivered')],
        [request(9_010, 200)],
        [killed(1_020)],
      ),
      [],
    );
  });

  test('fits an attempt that gave up before it arrived', () => {
    const tooLate = { status: null, phase: 'connect', duration: 5_001 } as const;
    assert.deepEqual(problemsOf([attempt(1_000, 'failed', tooLate)], []), []);
    assert.deepEqual(problemsOf([attempt(1_000, 'failed', { ...tooLate, duration: 20 })], []), [
      'has the attempt “failed”, of which the receiver knows nothing',
    ]);
  });

  test('gives attempts that got an answer their requests before those that were interrupted', () => {
    const attempts = [
      attempt(900, 'interrupted'),
      attempt(6_552, 'delivered', { duration: 240 }),
      attempt(9_267, 'delivered', { duration: 40 }),
      attempt(10_406, 'delivered', { duration: 40 }),
    ];
    const requests = [request(6_792, 200), request(9_304, 200), request(10_441, 200)];
    for (const received of [requests, [...requests].reverse()])
      assert.deepEqual(problemsOf(attempts, received, [killed(950)], 1_347), []);
  });

  test('does not fit fewer attempts, another outcome or another time', () => {
    const one = 'was received 2 times, which the attempts 200 do not explain';
    assert.deepEqual(problemsOf([attempt(1_000, 'delivered')], [request(1_010, 200), request(1_020, 200)]), [
      one,
    ]);
    assert.deepEqual(problemsOf([attempt(1_000, 'delivered')], [request(1_010, 500)]), [
      'was received 1 times, which the attempts 200 do not explain',
      'has the attempt “delivered”, of which the receiver knows nothing',
    ]);
    assert.equal(problemsOf([attempt(1_000, 'delivered')], [request(500, 200)]).length, 2);
    assert.equal(problemsOf([attempt(1_000, 'delivered')], [request(1_500, 200)]).length, 2);
  });

  test('does not fit an interrupted attempt that nothing interrupted', () => {
    const attempts = [attempt(1_000, 'interrupted'), attempt(9_000, 'delivered')];
    const problem = 'was interrupted although nothing happened to a process';
    const requests = [request(9_010, 200)];
    assert.deepEqual(problemsOf(attempts, requests), [problem]);
    assert.deepEqual(problemsOf(attempts, requests, [killed(500)]), [problem]);
    assert.deepEqual(problemsOf(attempts, requests, [killed(9_500)]), [problem]);
    const freeze: Disturbance = { kind: 'freeze', instance: 0, from: 1_010, to: 6_000 };
    assert.deepEqual(problemsOf(attempts, requests, [freeze]), [problem]);
    assert.deepEqual(problemsOf(attempts, requests, [{ ...freeze, to: 70_000 }]), []);
  });

  test('belongs to an event of the log', () => {
    const other = { ...request(1_010, 200), eventId: '00000000-0000-4000-8000-000000000008' };
    assert.deepEqual(problemsOf([], [other]), ['event #8 of organization 1 is not in the log']);
  });
});
