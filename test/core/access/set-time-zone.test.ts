import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeZone } from '@rollcall/core';
import { startAudited } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';

describe('setTimeZone', () => {
  test('returns the organization with its zone, and without one again', async () => {
    const { core } = await startAudited();
    for (const timeZone of ['Europe/Berlin', null]) {
      const changed = await core.setTimeZone({ organization, timeZone });
      assert.equal(changed.timeZone, timeZone);
      assert.deepEqual(changed, (await core.listOrganizations())[0]);
    }
  });

  test('refuses to replace another zone than the one that the caller has seen', async () => {
    const { core } = await startAudited();
    await core.setTimeZone({ organization, timeZone: 'Europe/Berlin' });
    const replace = (timeZone: string | null, replaces: string | null) =>
      core.setTimeZone({ organization, timeZone, replaces });
    await assert.rejects(
      replace('UTC', null),
      refused('invalid-request', 'timeZone was changed to Europe/Berlin in the meantime'),
    );
    assert.equal((await replace(null, 'Europe/Berlin')).timeZone, null);
    await assert.rejects(
      replace('UTC', 'Europe/Berlin'),
      refused('invalid-request', 'timeZone was changed to that of the service in the meantime'),
    );
  });

  test('refuses an organization that disappears after its zone was compared', async () => {
    const organizations = { setTimeZone: async () => 'outdated' as const, byId: async () => null };
    const clock = { now: () => new Date(0) };
    await assert.rejects(
      setTimeZone({ organizations, clock }, { organization, timeZone: 'UTC', replaces: null }),
      refused('organization-not-found', 'There is no organization 1'),
    );
  });

  test('refuses an unknown organization', async () => {
    const { core } = await startAudited();
    await assert.rejects(
      core.setTimeZone({ organization: { id: 99 }, timeZone: 'UTC' }),
      refused('organization-not-found', 'There is no organization 99'),
    );
  });
});
