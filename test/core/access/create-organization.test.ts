import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startWithAccessKey } from '../../support/core/core-with-access-key.js';
import { refused } from '../../support/core/refused.js';

describe('createOrganization', () => {
  test('refuses a blank name', async () => {
    const { core } = await startWithAccessKey();
    await assert.rejects(core.createOrganization({ name: ' ', eap: false }), refused('invalid-request'));
    const created = await core.createOrganization({ name: 'Clinic', eap: true });
    assert.deepEqual((await core.listOrganizations()).at(-1), created);
  });
});
