import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startWithAccessKey } from '../../support/core/core-with-access-key.js';
import { refused } from '../../support/core/refused.js';

describe('createOrganization', () => {
  test('refuses a blank name', async () => {
    const { core } = await startWithAccessKey();
    await assert.rejects(
      core.createOrganization({ name: ' ', eap: false }),
      refused('invalid-request', 'name must not be empty'),
    );
    const created = await core.createOrganization({ name: 'Clinic', eap: true });
    assert.deepEqual([created.name, created.eap], ['Clinic', true]);
    assert.deepEqual((await core.listOrganizations()).at(-1), created);
  });

  test('allows names of at most 300 characters', async () => {
    const { core } = await startWithAccessKey();
    await core.createOrganization({ name: 'x'.repeat(300), eap: false });
    await assert.rejects(
      core.createOrganization({ name: 'x'.repeat(301), eap: false }),
      refused('invalid-request', 'name must have at most 300 characters'),
    );
  });

  test('records who created it', async () => {
    const { core, clock } = await startWithAccessKey();
    const by = { who: { kind: 'operator' }, from: '192.0.2.7' } as const;
    const organization = await core.createOrganization({ name: 'Clinic', eap: true, by });
    const { items } = await core.listActivity({ organization, page: 1 });
    assert.deepEqual(
      items.map(({ action, subject, actor, at }) => [action, subject, actor, at]),
      [['organization-created', 'Clinic', by, clock.now()]],
    );
  });
});
