import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formFields, readableText } from '#test/support/page/client.js';
import { answered, page, testPage, withWebhook } from '#test/support/page/webhook-site.js';

describe('Resending deliveries that failed since a time', () => {
  test('asks with their number, in the reader’s zone, and resends only those', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [
      ...Array.from({ length: 4 }, () => answered(500)),
      answered(200),
    ]);
    for (const name of ['ada', 'bea', 'cid']) await register(name);
    await client.fillIn(testPage, {});
    client.setCookie('time_zone', 'Asia/Tokyo');
    const form = await client.open(`${page}/redeliver`);
    assert.match(form.text, /type="datetime-local"/);
    assert.equal(formFields(form.text).since, '2026-11-20T21:00:00');
    assert.match(readableText(form.text), /event to resend, in Asia\/Tokyo/);

    const question = await client.open(`${page}/redeliver?since=2026-11-20T21:01`);
    assert.match(
      readableText(question.text),
      /Resend 2 events\? They happened at 20 Nov 2026, 21:01:00 \( ?Asia\/Tokyo\) or later/,
    );
    assert.equal(sent.length, 4);
    const answer = await client.send({ path: `${page}/redeliver`, fields: formFields(question.text) });
    assert.deepEqual([answer.status, answer.location], [303, `${page}#log`]);
    await started.deliver();
    assert.deepEqual(
      sent.slice(4).map(({ body }) => JSON.parse(body).user.first_name),
      ['bea', 'cid'],
    );
    assert.match(readableText((await client.open(page)).text), /Resending the failed deliveries…/);
  });

  test('while the webhook is failing, begins with the first event that failed, which happened earlier than its failure', async (t) => {
    const failures = [answered(500), answered(200), ...Array.from({ length: 3 }, () => answered(500))];
    const { started, client, register, sent } = await withWebhook(t, [...failures, answered(200)]);
    for (const name of ['too old', 'delivered']) await register(name);
    started.clock.advance(7000);
    for (const firstName of ['ada', 'bea']) {
      const email = `${firstName}@example.test`;
      await started.core.registerUser({ organizationId: 1, email, firstName, lastName: 'Person' });
      started.clock.advance(60_000);
    }
    await started.deliver();
    const { text } = await client.open(page);
    assert.match(readableText(text), /Failing since 20 Nov 2026, 12:04:07/);
    const [, path = ''] = /href="([^"]*since=failing)"/.exec(text) ?? [];
    const question = await client.open(path);
    assert.match(readableText(question.text), /Resend 2 events\? They happened at 20 Nov 2026, 12:02:07 \(/);
    assert.equal(formFields((await client.open(`${page}/redeliver`)).text).since, '2026-11-20T12:02:07');
    await client.send({ path: `${page}/redeliver`, fields: formFields(question.text) });
    await started.deliver();
    const resent = sent.slice(4).map(({ body }) => JSON.parse(body).user.first_name);
    assert.deepEqual(resent.sort(), ['ada', 'bea']);
  });

  test('asks for a time if nothing has failed yet', async (t) => {
    const { client } = await withWebhook(t);
    const { status, text } = await client.open(`${page}/redeliver?since=failing`);
    assert.equal(status, 200);
    assert.equal(formFields(text).since, '');
  });

  test('suggests the oldest failure if the last delivery succeeded, and warns while the webhook is disabled', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(200), answered(200)]);
    for (const name of ['ada', 'bea']) await register(name);
    assert.equal(formFields((await client.open(`${page}/redeliver`)).text).since, '2026-11-20T12:00:00');
    const question = () => client.open(`${page}/redeliver?since=2026-11-20T12:00`);
    assert.doesNotMatch(readableText((await question()).text), /is off/);
    const change = { organization: { id: 1 }, how: 'change', webhook: { enabled: false } } as const;
    await started.core.configureWebhook(change);
    assert.match(
      readableText((await question()).text),
      /Resend 1 event\? It happened .* The webhook is off\. Turn it on first, or all of them will be skipped/,
    );
  });

  test('says so if nothing has failed, or if a time is invalid', async (t) => {
    const { client } = await withWebhook(t);
    const none = await client.open(`${page}/redeliver?since=2026-11-20T22:00`);
    assert.match(readableText(none.text), /Nothing to resend No delivery has failed since/);
    for (const since of ['', 'soon', '2026-02-30T10:00', '2026-11-20', '99999-01-01T00:00']) {
      const { status, text } = await client.open(`${page}/redeliver?since=${since}`);
      assert.equal(status, 422, since);
      assert.match(text, /id="since-hint">Since must be a date and time/);
    }
    const { form_token = '' } = formFields((await client.open(page)).text);
    const sent = await client.send({ path: `${page}/redeliver`, fields: { form_token, since: 'soon' } });
    assert.equal(sent.status, 400);
  });
});
