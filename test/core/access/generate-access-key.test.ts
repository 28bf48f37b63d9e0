import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Unavailable } from '@rollcall/core';
import { links, owner, startAuditedWithKey } from '../../support/core/audited-core.js';
import { startWithAccessKey } from '../../support/core/core-with-access-key.js';
import { refused } from '../../support/core/refused.js';

describe('generateAccessKey', () => {
  test('generateAccessKey of an unknown organization is refused', async () => {
    const { core } = await startWithAccessKey();
    await assert.rejects(core.generateAccessKey({ organizationId: 99 }), refused('organization-not-found'));
  });

  test('generateAccessKey asked twice for the same generation makes one key', async () => {
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

  test('that can’t be written leaves the old key as it was: none is lost unseen', async () => {
    const { core, ports, accessKey } = await startAuditedWithKey();
    const { replaceAccessKey } = ports.organizations;
    const away = async (change: Parameters<typeof replaceAccessKey>[0]) =>
      replaceAccessKey(change, () => {
        throw new Unavailable('the trail is away');
      });
    const broken = createCore(
      { ...ports, organizations: { ...ports.organizations, replaceAccessKey: away } },
      { links },
    );
    await assert.rejects(broken.generateAccessKey({ organizationId: 1, by: owner }), Unavailable);
    await core.authenticate({ accessKey, address: 'a' });
  });
});
