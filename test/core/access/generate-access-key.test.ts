import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Unavailable } from '@rollcall/core';
import { links, owner, startAuditedWithKey } from '../../support/core/audited-core.js';
import { startWithAccessKey } from '../../support/core/core-with-access-key.js';
import { refused } from '../../support/core/refused.js';

describe('generateAccessKey', () => {
  test('refuses an unknown organization', async () => {
    const { core } = await startWithAccessKey();
    await assert.rejects(core.generateAccessKey({ organizationId: 99 }), refused('organization-not-found'));
  });

  test('returns the organization with the new key', async () => {
    const { core } = await startWithAccessKey();
    const { organization } = await core.generateAccessKey({ organizationId: 1, keepOldForHours: 0 });
    assert.deepEqual(organization, (await core.listOrganizations())[0]);
    assert.equal(organization.previousAccessKey, null);
  });

  test('keeps nothing beside the first key of an organization', async () => {
    const { core } = await startWithAccessKey();
    await core.generateAccessKey({ organizationId: 2, keepOldForHours: 24 });
    const { items } = await core.listActivity({ organization: { id: 2 } });
    assert.deepEqual(
      items.map(({ action, subject }) => [action, subject]),
      [['access-key-generated', null]],
    );
  });

  test('says in the audit trail that the old key works for one hour', async () => {
    const { core } = await startWithAccessKey();
    await core.generateAccessKey({ organizationId: 1, keepOldForHours: 1 });
    const { items } = await core.listActivity({ organization: { id: 1 } });
    assert.equal(items[0]?.subject, 'the old one works for 1 hour');
  });

  test('changes nothing if the secrets give no hash', async () => {
    const { ports } = await startWithAccessKey();
    const secrets = { ...ports.secrets, accessKeyHashes: () => [] };
    const broken = createCore({ ...ports, secrets }, { links });
    await assert.rejects(broken.generateAccessKey({ organizationId: 1 }), {
      name: 'Error',
      message: 'Secrets.accessKeyHashes gave no hash under the current key',
    });
  });

  test('creates one key when it is asked twice to replace the same one', async () => {
    const { core, accessKey } = await startWithAccessKey();
    const [organization] = await core.listOrganizations();
    const replaces = organization?.accessKeyGeneration;
    const first = await core.generateAccessKey({ organizationId: 1, replaces });
    await assert.rejects(
      core.generateAccessKey({ organizationId: 1, replaces }),
      refused('access-key-outdated', 'There is another access key by now; nothing was changed'),
    );
    await assert.rejects(core.authenticate({ accessKey, address: 'a' }), refused('invalid-access-key'));
    await core.authenticate({ accessKey: first.accessKey.reveal(), address: 'a' });
  });

  test('keeps the old key valid if the audit trail cannot be written', async () => {
    const { core, ports, accessKey } = await startAuditedWithKey();
    const { replaceAccessKey } = ports.organizations;
    const failing = async (change: Parameters<typeof replaceAccessKey>[0]) =>
      replaceAccessKey(change, () => {
        throw new Unavailable('the audit trail is unavailable');
      });
    const broken = createCore(
      { ...ports, organizations: { ...ports.organizations, replaceAccessKey: failing } },
      { links },
    );
    await assert.rejects(broken.generateAccessKey({ organizationId: 1, by: owner }), Unavailable);
    await core.authenticate({ accessKey, address: 'a' });
  });
});
