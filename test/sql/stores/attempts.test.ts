import assert from 'node:assert/strict';
import type { RecordedAttempt } from '@rollcall/core';
import { anOrganization } from '@rollcall/core/testing';
import { event } from '#core/testing/queued-deliveries.js';
import { eachEngine } from '../../support/each-engine.js';

const at = new Date('2026-11-20T12:00:00.000Z');

const attempt: RecordedAttempt = {
  startedAt: at,
  duration: 1,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
  request: { url: 'https://partner.test', headers: {} },
  response: { headers: {}, body: 'x'.repeat(8_192), isTruncated: false },
};

eachEngine(
  'requests and responses are removed, except for the newest 20 attempts of a delivery',
  { organizations: [anOrganization(1)] },
  async ({ database, storage }) => {
    const { outbox, deliveries } = storage;
    const finish = (deliveryId: number) =>
      outbox.finish({ deliveryId, claim: 'a', state: 'failed', attempt, at });
    const ids: number[] = [];
    for (const number of [1, 2]) {
      const started = await outbox.startTest({ event: event(1, number, at), claim: 'a', at });
      ids.push(started?.deliveryId ?? 0);
      await finish(ids.at(-1) ?? 0);
    }
    const [first = 0] = ids;
    for (let number = 2; number <= 25; number += 1) {
      await deliveries.redeliver({ organizationId: 1, deliveryId: first });
      await outbox.claim({ limit: 1, perOrganization: 1, claim: 'a', at });
      assert.equal(await finish(first), true);
    }
    const stored = await database.read.all(
      `SELECT delivery_id AS id, count(*) AS attempts, count(request) AS requests, count(response) AS responses,
      min(CASE WHEN response IS NOT NULL THEN number END) AS oldest
    FROM attempts GROUP BY delivery_id ORDER BY delivery_id`,
    );
    assert.deepEqual(
      stored.map((row) => ({ ...(row as object) })),
      [
        { id: ids[0], attempts: 25, requests: 20, responses: 20, oldest: 6 },
        { id: ids[1], attempts: 1, requests: 1, responses: 1, oldest: 1 },
      ],
    );
  },
);
