import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renameOrganization } from '@rollcall/core';
import { owner, startAudited } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';

const before = 'Organization 1';

describe('renameOrganization', () => {
  test('changes the name, and is in the audit trail with both names', async () => {
    const { core, actions, clock } = await startAudited();
    const name = 'Nord · شمال';
    const renamed = await core.renameOrganization({ organization, name, by: owner });
    assert.equal(renamed.name, name);
    assert.deepEqual((await core.listOrganizations())[0], renamed);
    assert.deepEqual(
      (await actions()).map(([action, subject, by]) => [action, subject, by]),
      [['organization-renamed', `${before} → ${name}`, owner]],
    );
    assert.deepEqual(await actions(2), []);
    const { items } = await core.listActivity({ organization });
    assert.deepEqual(items[0]?.at, clock.now());
  });

  test('leaves the audit trail alone if the organization has the name already', async () => {
    const { core, actions } = await startAudited();
    for (const replaces of [undefined, 'another name'])
      assert.equal((await core.renameOrganization({ organization, name: before, replaces })).name, before);
    assert.deepEqual(await actions(), []);
  });

  test('refuses every name that a new organization may not have', async () => {
    const { core } = await startAudited();
    for (const name of [
      '',
      ' ',
      '\u200b',
      'A\nB',
      'A\u2028B',
      'A\u202eB',
      'A\u2066B',
      'A\0',
      'x'.repeat(301),
    ]) {
      const problem = await core.createOrganization({ name, eap: false }).catch((error) => error.message);
      await assert.rejects(
        core.renameOrganization({ organization, name }),
        refused('invalid-request', problem),
      );
    }
    const notText = { organization, name: 7 } as never;
    await assert.rejects(
      core.renameOrganization(notText),
      refused('invalid-request', 'name must be a string'),
    );
    assert.equal((await core.listOrganizations())[0]?.name, before);
    await core.renameOrganization({ organization, name: 'x'.repeat(300) });
  });

  test('refuses to replace another name than the one that the caller has seen', async () => {
    const { core } = await startAudited();
    const rename = (name: string, replaces: string) =>
      core.renameOrganization({ organization, name, replaces });
    await rename('Northwind', before);
    await assert.rejects(
      rename('Southwind', before),
      refused('invalid-request', 'name was changed to Northwind in the meantime'),
    );
  });

  test('refuses an organization that is unknown, or disappears or appears after its name was compared', async () => {
    const { core } = await startAudited();
    await assert.rejects(
      core.renameOrganization({ organization: { id: 99 }, name: 'x' }),
      refused('organization-not-found', 'There is no organization 99'),
    );
    const [one = null] = await core.listOrganizations();
    const clock = { now: () => new Date(0) };
    for (const [outcome, found] of [
      ['outdated', null],
      [null, one],
    ] as const) {
      const organizations = { rename: async () => outcome, byId: async () => found };
      await assert.rejects(
        renameOrganization({ organizations, clock }, { organization, name: 'x', replaces: 'y' }),
        refused('organization-not-found', 'There is no organization 1'),
      );
    }
  });
});
