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
