import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createGuide, guideLines } from '#app/demo/guide.js';
import { sampleFacts } from '#app/sample/sample-facts.js';

describe('The guide of rollcall demo', () => {
  test('is printed on a terminal as an aligned list', async () => {
    const lines = guideLines(
      createGuide({
        publicUrl: 'http://localhost:3000',
        database: 'data/demo.db',
        counts: { organization: 3, meeting: 2000, registration: 1, waitlist_entry: 1 },
        receiverUrl: 'https://localhost:3001/webhook',
        webhook: { url: 'https://elsewhere.test/', enabled: true },
        isAccessKeyValid: false,
      }),
    );
    const text = lines.join('\n');
    for (const part of [
      'data/demo.db',
      '2,000 meetings',
      'owner@northwind.test    owner: the access key, ',
      sampleFacts.organization.accessKey,
      'no longer valid; to restore it: npm run demo -- --fresh',
      "ACCESS_KEY='your new access key, 24 digits'",
      'to start again with new data: npm run demo -- --fresh',
      'https://elsewhere.test/ (changed); the demo’s receiver',
      'idp-0',
      'http://localhost:3000/docs/guide',
      `TOKEN=$(curl -sS -f http://localhost:3000/api/v2/authenticate`,
    ]) {
      assert.ok(text.includes(part), part);
    }
    const columns = [
      'data/demo.db',
      '3 organizations',
      'owner@',
      'admin@',
      sampleFacts.organization.accessKey,
    ].map((part) => lines.find((line) => line.includes(part))?.indexOf(part));
    assert.equal(new Set(columns).size, 1, text);
  });
});
