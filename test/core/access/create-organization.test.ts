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

  test('records who created it', async () => {
    const { core } = await startWithAccessKey();
    const by = { who: { kind: 'operator' }, from: '192.0.2.7' } as const;
    const organization = await core.createOrganization({ name: 'Clinic', eap: true, by });
    const { items } = await core.listActivity({ organization, page: 1 });
    assert.deepEqual(
      items.map(({ action, subject, actor }) => [action, subject, actor]),
      [['organization-created', 'Clinic', by]],
    );
  });
});
