import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FirstSteps } from '@rollcall/core';
import { owner, startAudited } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';

const none: FirstSteps = { accessKey: false, webhook: false, invitation: false, export: false };

describe('The first steps of an organization', () => {
  test('are done one by one, in any order, and only in that organization', async () => {
    const { core } = await startAudited();
    const read = () => core.readFirstSteps({ organization });
    assert.deepEqual(await read(), none);
    await core.recordExport({ organization, form: 'csv', by: owner });
    assert.deepEqual(await read(), { ...none, export: true });
    const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
    const { uuid } = await core.inviteUser({ organization, ...person });
    assert.deepEqual(await read(), { ...none, export: true, invitation: true });
    await core.generateAccessKey({ organizationId: 1 });
    assert.deepEqual(await read(), { accessKey: true, webhook: false, export: true, invitation: true });
    const webhook = { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] };
    await core.configureWebhook({ organization, how: 'set', webhook });
    const all = { accessKey: true, webhook: true, export: true, invitation: true };
    assert.deepEqual(await read(), all);
    assert.deepEqual(await core.readFirstSteps({ organization: { id: 2 } }), none);

    await core.revokeInvitation({ organization, uuid });
    await core.configureWebhook({ organization, how: 'change', webhook: { enabled: false } });
    assert.deepEqual(await read(), all, 'what was done once stays done');
  });

  test('a webhook without a URL is not set up', async () => {
    const { core } = await startAudited();
    const webhook = { url: null, enabled: false, events: [] };
    await core.configureWebhook({ organization, how: 'set', webhook });
    assert.deepEqual(await core.readFirstSteps({ organization }), none);
  });
});

test('A recorded export says who downloaded it, from where, and in which form', async () => {
  const { core, actions } = await startAudited();
  await core.recordExport({ organization, form: 'json', by: owner });
  await core.recordExport({ organization: { id: 2 }, form: 'csv' });
  assert.deepEqual(await actions(), [['meetings-exported', 'json', owner, 'user-1@example.test']]);
  const [[action, subject, actor] = []] = await actions(2);
  assert.deepEqual([action, subject, actor?.who], ['meetings-exported', 'csv', { kind: 'program' }]);
});
