import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formFields, readableText } from '#test/support/page/client.js';
import { answered, page, signedIn, url, withWebhook } from '#test/support/page/webhook-site.js';

describe('The page of a delivery', () => {
  test('shows the request, the formatted and the exact body, and every attempt', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [answered(500), answered(200)]);
    const path = `${page}/deliveries/${await register('ada')}`;
    const text = readableText((await client.open(path)).text);
    const [request] = sent;
    assert.ok(request !== undefined);
    assert.ok(text.includes(`POST to ${url}`));
    for (const [name, value] of Object.entries(request.headers))
      assert.ok(text.includes(`${name}: ${value}`), name);
    assert.ok(text.includes(request.body));
    assert.ok(text.includes(JSON.stringify(JSON.parse(request.body), null, 2).replace(/\s+/g, ' ')));
    assert.match(text, /1 20 Nov 2026, 12:00 answered 500 500 response 1\.5 s/);

    const again = await client.fillIn(path, {});
    assert.deepEqual([again.status, again.location], [303, path]);
    const waiting = readableText((await client.open(path)).text);
    assert.match(waiting, /Resending… .*Pending Result not resent yet/);
    assert.doesNotMatch(waiting, /Resending uses the same body/);
    await started.deliver();
    assert.match(
      readableText((await client.open(path)).text),
      /Delivered .*2 20 Nov 2026, 12:01 answered 200/,
    );
    assert.equal(sent[1]?.body, request.body);
    const { items: entries } = await started.core.listActivity({ organization: { id: 1 } });
    const [latest] = entries;
    assert.deepEqual(
      [latest?.action, latest?.actor.who],
      ['delivery-redelivered', { kind: 'user', userId: 101 }],
    );
  });

  test('shows names with markup as text', async (t) => {
    const { client, register } = await withWebhook(t);
    const id = await register('<script>alert(1)</script>');
    const { text } = await client.open(`${page}/deliveries/${id}`);
    assert.doesNotMatch(text, /<script>alert/);
    assert.ok(readableText(text).includes('<script>alert(1)</script>'));
  });

  test('says that it would be skipped while the webhook is disabled', async (t) => {
    const { started, client, register } = await withWebhook(t);
    const id = await register('ada');
    const change = { organization: { id: 1 }, how: 'change', webhook: { enabled: false } } as const;
    await started.core.configureWebhook(change);
    assert.match(
      readableText((await client.open(`${page}/deliveries/${id}`)).text),
      /Enable it first, or this will be skipped/,
    );
  });

  test('is found by its own organization only, and only under its exact number', async (t) => {
    const { started, register } = await withWebhook(t);
    const existing = await register('ada');
    const foreign = await signedIn(started, 103);
    const own = await signedIn(started, 100);
    assert.equal((await own.open(`${page}/deliveries/${existing}`)).status, 200);
    for (const id of [
      `0${existing}`,
      `${existing}.0`,
      String(existing + 1),
      '0',
      '-1',
      'x',
      '99999999999999999999',
    ])
      assert.equal((await own.open(`${page}/deliveries/${id}`)).status, 404, id);
    assert.equal((await foreign.open(`/organizations/2/webhooks/deliveries/${existing}`)).status, 404);
    const { form_token = '' } = formFields((await foreign.open('/organizations/2/webhooks')).text);
    const stolen = await foreign.send({
      path: `/organizations/2/webhooks/deliveries/${existing}`,
      fields: { form_token },
    });
    assert.equal(stolen.status, 404);
  });
});
