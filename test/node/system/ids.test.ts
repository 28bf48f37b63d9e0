import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIds } from '#adapters/node/system/ids.js';

test('IDs are random UUIDs of version 4', () => {
  const uuids = Array.from({ length: 1_000 }, () => randomIds.uuid());
  assert.equal(new Set(uuids).size, uuids.length);
  for (const uuid of uuids) {
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
