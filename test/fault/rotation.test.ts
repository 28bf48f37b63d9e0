import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotateUnderLoad } from '../support/rotate-under-load.js';

// npm run test:soak -- rotation runs it with 2,000 events.
test('A secret is rotated under load: 0 of 300 events fail to verify at a receiver that knows only section 6.3, following the guide’s four steps', async (t) => {
  const { received, refused, states } = await rotateUnderLoad(t, { database: 'postgres', events: 300 });
  assert.deepEqual({ received, refused, states }, { received: 300, refused: 0, states: { delivered: 300 } });
});
