import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type FirstSteps, Unavailable } from '@rollcall/core';
import { links, owner, startAudited } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';
import { webhookAt } from '../../support/webhook-at.js';

const none: FirstSteps = {
  accessKey: false,
  webhook: false,
  invitation: false,
  export: false,
  isHidden: false,
};
const all: FirstSteps = { accessKey: true, webhook: true, invitation: true, export: true, isHidden: false };

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
    assert.deepEqual(await read(), { ...all, webhook: false });
    const webhook = webhookAt('https://partner.test/hooks');
    await core.configureWebhook({ organization, how: 'set', webhook });
    assert.deepEqual(await read(), all);
    assert.deepEqual(await core.readFirstSteps({ organization: { id: 2 } }), none);

    await core.revokeInvitation({ organization, uuid });
    await core.configureWebhook({ organization, how: 'change', webhook: { enabled: false } });
    assert.deepEqual(await read(), all, 'what was done once stays done');
  });

  test('can be hidden and shown again, each recorded once', async () => {
    const { core, clock, actions } = await startAudited();
    const isHidden = async (id = 1) => (await core.readFirstSteps({ organization: { id } })).isHidden;
    for (const hidden of [false, true, true, false, false, true]) {
      clock.advance(1000);
      await core.hideFirstSteps({ organization, isHidden: hidden, by: owner });
      assert.equal(await isHidden(), hidden);
    }
    assert.equal(await isHidden(2), false);
    assert.deepEqual(
      (await actions()).map(([action, subject, actor]) => [action, subject, actor]),
      ['first-steps-hidden', 'first-steps-shown', 'first-steps-hidden'].map((action) => [
        action,
        null,
        owner,
      ]),
    );
  });

  test('are not said to be hidden if that cannot be recorded', async () => {
    const { core, ports } = await startAudited();
    const failure = new Error('the disk is full');
    ports.auditTrail.record = async () => {
      await Promise.resolve();
      throw failure;
    };
    await assert.rejects(core.hideFirstSteps({ organization, isHidden: true }), failure);
  });

  test('a webhook without a URL is not set up', async () => {
    const { core } = await startAudited();
    const webhook = { url: null, enabled: false, events: [] };
    await core.configureWebhook({ organization, how: 'set', webhook });
    assert.deepEqual(await core.readFirstSteps({ organization }), none);
  });
});

test('A recorded export says who downloaded it, from where, and in which form', async () => {
  const { core, clock, ports, actions } = await startAudited();
  await core.recordExport({ organization, form: 'json', by: owner });
  const { entries } = await ports.auditTrail.list({ organizationId: 1, offset: 0, limit: 1 });
  assert.deepEqual(entries[0]?.at, clock.now());
  await core.recordExport({ organization: { id: 2 }, form: 'csv' });
  await core.recordExport({ organization: { id: 3 }, list: 'people', rows: 1 });
  await core.recordExport({ organization: { id: 3 }, list: 'invitations', rows: 0 });
  assert.deepEqual(await actions(), [['meetings-exported', 'json', owner, 'user-1@example.test']]);
  assert.deepEqual(
    (await actions(3)).map(([action, subject]) => [action, subject]),
    [
      ['invitations-exported', '0 rows'],
      ['people-exported', '1 row'],
    ],
  );
  const [[action, subject, actor] = []] = await actions(2);
  assert.deepEqual([action, subject, actor?.who], ['meetings-exported', 'csv', { kind: 'program' }]);
});

test('An export that cannot be recorded is not started', async () => {
  const { ports } = await startAudited();
  const record = async (): Promise<never> => {
    throw new Unavailable('away');
  };
  const core = createCore({ ...ports, auditTrail: { ...ports.auditTrail, record } }, { links });
  await assert.rejects(core.recordExport({ organization, form: 'csv' }), Unavailable);
});
