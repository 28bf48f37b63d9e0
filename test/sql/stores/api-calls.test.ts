import assert from 'node:assert/strict';
import type { ApiCall } from '@rollcall/core';
import { anOrganization } from '@rollcall/core/testing';
import { eachEngine } from '../../support/each-engine.js';

function someCalls(count: number, organizationId: number): readonly ApiCall[] {
  const call = { organizationId, method: 'GET', operation: 'listUsers', path: '/', status: 200 };
  const at = new Date('2026-11-20T12:00:00.000Z');
  return Array.from({ length: count }, (_, index) => ({
    ...{ ...call, at, errorCode: null, errorText: null, requestId: String(index), milliseconds: index },
  }));
}

eachEngine(
  'the table has no more than the kept calls and those of one batch, while several instances add',
  { organizations: [1, 2, 3].map((id) => anOrganization(id)) },
  async ({ database, storage }) => {
    await storage.apiCalls.add(someCalls(7, 3));
    for (let round = 0; round < 10; round += 1)
      await Promise.all([1, 2, 1, 2].map((id) => storage.apiCalls.add(someCalls(100, id))));
    await storage.apiCalls.add([...someCalls(1, 1), ...someCalls(1, 2)]);
    const rows = await database.read.all(
      'SELECT organization_id, count(*) AS count FROM api_calls GROUP BY 1',
    );
    const counts = new Map(rows.map((row) => Object.values(row as object) as [number, number]));
    assert.equal(counts.get(3), 7);
    for (const id of [1, 2]) {
      const count = counts.get(id) ?? 0;
      assert.ok(count >= 200 && count <= 201, `${count} calls of organization ${id}`);
    }
  },
);
