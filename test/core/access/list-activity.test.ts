import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { client, operator, owner, startAudited } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';
import { webhookAt } from '../../support/webhook-at.js';

describe('The audit trail', () => {
  test('lists who did what and from where, newest first', async () => {
    const { core, actions } = await startAudited();
    await core.generateAccessKey({ organizationId: 1, by: operator });
    await core.generateAccessKey({ organizationId: 1, by: owner });
    const webhook = webhookAt('https://partner.test:8443/hooks/a-secret');
    await core.configureWebhook({ organization, how: 'set', webhook, by: client });
    await core.configureWebhook({
      organization,
      how: 'change',
      webhook: { enabled: true },
      regenerateSecret: '1',
      by: owner,
    });
    await core.setTimeZone({ organization, timeZone: 'Europe/Berlin', by: owner });
    await core.setTimeZone({ organization, timeZone: null });
    assert.deepEqual(await actions(), [
      ['time-zone-set', 'Europe/Berlin → default', { who: { kind: 'program' }, from: null }, undefined],
      ['time-zone-set', 'default → Europe/Berlin', owner, aUser(1).email],
      ['signing-secret-rotated', null, owner, aUser(1).email],
      ['webhook-configured', 'partner.test:8443', client, undefined],
      ['access-key-replaced', null, owner, aUser(1).email],
      ['access-key-generated', null, operator, undefined],
    ]);
    assert.deepEqual(await actions(2), []);
  });

  test('lists who issued a login link and who signed in with it, and from where', async () => {
    const { core, actions } = await startAudited();
    const { url } = await core.issueLoginLink({ organization, uuid: aUser(1).uuid, by: client });
    const token = url.slice('login:'.length);
    await core.readLoginLink({ token });
    await core.redeemLoginLink({ token, address: '[2001:db8::7]:443' });
    await assert.rejects(core.redeemLoginLink({ token, address: '192.0.2.9' }), Refusal);
    await core.issueLoginLink({ organization, uuid: aUser(1).uuid });
    const { email } = aUser(1);
    assert.deepEqual(await actions(), [
      ['login-link-issued', email, { who: { kind: 'program' }, from: null }, undefined],
      ['login-link-redeemed', email, { who: { kind: 'user', userId: 1 }, from: '2001:db8::7' }, email],
      ['login-link-issued', email, client, undefined],
    ]);
  });

  test('lists a single redelivery with its event, and a bulk redelivery with its count', async () => {
    const { core, ports, actions } = await startAudited();
    const webhook = webhookAt('https://partner.test/');
    await core.configureWebhook({ organization, how: 'set', webhook });
    await core.registerUser({ organizationId: 1, email: 'dana@example.test', firstName: 'D', lastName: 'K' });
    const [claimed] = await ports.outbox.claim({
      limit: 1,
      perOrganization: 1,
      claim: 'c',
      at: ports.clock.now(),
    });
    const { deliveryId, claim, eventId } = claimed ?? assert.fail('no delivery');
    const end = { deliveryId, state: 'failed', attempt: null, at: ports.clock.now() } as const;
    await ports.outbox.finish({ ...end, claim });
    await core.redeliver({ organization: null, deliveryId, by: operator });
    await core.redeliver({ organization, deliveryId, by: operator });
    await ports.outbox.claim({ limit: 1, perOrganization: 1, claim: 'd', at: ports.clock.now() });
    await ports.outbox.finish({ ...end, claim: 'd' });
    await core.redeliverFailed({ organization, since: new Date(0), by: owner });
    await core.redeliverFailed({ organization, since: new Date(0), by: owner });
    assert.deepEqual((await actions()).slice(0, -1), [
      ['deliveries-redelivered', '1', owner, aUser(1).email],
      ['delivery-redelivered', eventId, operator, undefined],
    ]);
  });

  test('has no entry for a refused action', async () => {
    const { core, actions } = await startAudited();
    const refusals = [
      core.generateAccessKey({ organizationId: 99 }),
      core.configureWebhook({ organization, how: 'set', webhook: { enabled: true } }),
      core.setTimeZone({ organization, timeZone: 'Europe/Nowhere' }),
      core.setTimeZone({ organization, timeZone: '+02:00' }),
      core.setTimeZone({ organization: { id: 99 }, timeZone: 'UTC' }),
      core.addMember({ organizationId: 1, email: aUser(1).email, role: 'member', idpId: null }),
      core.redeliver({ organization, deliveryId: 5 }),
    ];
    for (const refusal of refusals) await assert.rejects(refusal, Refusal);
    assert.deepEqual(await actions(), []);
  });

  test('shortens an overlong origin of an actor between characters, and drops one that cannot be stored', async () => {
    const { core, actions } = await startAudited();
    const from = (text: string) => ({ who: { kind: 'access-key' }, from: text }) as const;
    for (const text of ['x'.repeat(1000), 'a\0b', 'a\ud800b', '👩'.repeat(400), `x${'👩'.repeat(400)}`])
      await core.setTimeZone({ organization, timeZone: 'UTC', by: from(text) });
    assert.deepEqual(
      (await actions()).map(([, , { from: kept }]) => kept),
      [`x${'👩'.repeat(149)}`, '👩'.repeat(150), null, null, 'x'.repeat(300)],
    );
  });

  test('comes in pages', async () => {
    const { core } = await startAudited();
    for (let count = 0; count < 5; count += 1) await core.setTimeZone({ organization, timeZone: 'UTC' });
    const page = await core.listActivity({ organization, page: 3, size: '2' });
    assert.deepEqual(
      [page.items.length, page.page, page.size, page.totalItems, page.totalPages],
      [1, 3, 2, 5, 3],
    );
    assert.equal((await core.listActivity({ organization })).size, 50);
  });
});
