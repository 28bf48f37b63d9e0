import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formFields } from '#test/support/page/client.js';
import { answered, page, withWebhook } from '#test/support/page/webhook-site.js';

const dismiss = `${page}/dismiss`;

describe('Dismissing events that could not be delivered', () => {
  test('asks with their number; afterwards, none counts as undelivered, and each stays in the log', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [answered(500)]);
    for (const name of ['ada', 'bea']) await register(name);
    const question = await client.open(dismiss);
    assert.match(question.words, /Dismiss 2 undelivered events\? They are not sent again/);
    const answer = await client.send({ path: dismiss, fields: question.fields });
    assert.deepEqual([answer.status, answer.location], [303, page]);
    const text = await client.read(page);
    assert.match(text, /Dismissed\./);
    assert.doesNotMatch(text, /\d undelivered|Undelivered \d/);
    assert.match(text, /Skipped dismissed .*Skipped dismissed /);
    assert.equal(sent.length, 2);
    const { items } = await started.core.listActivity({ organization: { id: 1 } });
    assert.deepEqual(
      items.slice(0, 1).map(({ action, actor }) => [action, actor.who]),
      [['deliveries-dismissed', { kind: 'user', userId: 101 }]],
    );
  });

  test('asks again if another has failed since, and dismisses nothing', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500)]);
    await register('ada');
    const fields = await client.fieldsOf(dismiss);
    await register('bea');
    const { status, text, words } = await client.send({ path: dismiss, fields });
    assert.equal(status, 422);
    assert.match(words, /Nothing was dismissed, because the number has changed/);
    assert.match(words, /Dismiss 2 undelivered events\?/);
    const failed = () => started.core.countDeliveries({ organization: { id: 1 }, states: ['failed'] });
    assert.equal(await failed(), 2);
    assert.equal((await client.send({ path: dismiss, fields: formFields(text) })).status, 303);
    assert.equal(await failed(), 0);
  });

  test('ends one from its page, which can still be resent', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(500), answered(200)]);
    const [first, second] = [await register('ada'), await register('bea')];
    const path = `${page}/deliveries/${first}`;
    const { location } = await client.fillIn(path, {}, dismiss);
    assert.equal(location, path);
    const shown = await client.read(path);
    assert.match(shown, /Dismissed\. .*Skipped Result dismissed/);
    assert.doesNotMatch(shown, /Nobody needs it any more/);
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 }, state: 'failed' });
    assert.deepEqual(
      deliveries.map(({ id }) => id),
      [second],
    );
    await client.fillIn(path, {});
    await started.deliver();
    assert.match(await client.read(path), /State Delivered/);
  });

  test('says so if there is nothing to dismiss, and if the delivery is of another organization', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(200), answered(500)]);
    const delivered = await register('ada');
    assert.equal((await client.open(dismiss)).location, page);
    assert.match(await client.read(page), /Nothing is undelivered any more/);
    const { form_token = '' } = await client.fieldsOf(page);
    const send = (delivery: number) =>
      client.send({ path: dismiss, fields: { form_token, delivery: String(delivery) } });
    assert.equal((await send(delivered)).status, 303);
    assert.match(await client.read(`${page}/deliveries/${delivered}`), /Nothing is undelivered any more/);
    const failed = await register('bea');
    const foreign = await started.signedIn(103);
    const other = await foreign.fieldsOf('/organizations/2/webhooks');
    const stolen = await foreign.send({
      path: '/organizations/2/webhooks/dismiss',
      fields: { form_token: other.form_token ?? '', delivery: String(failed) },
    });
    assert.equal(stolen.status, 404);
    assert.equal(await started.core.countDeliveries({ organization: { id: 1 }, states: ['failed'] }), 1);
  });
});
