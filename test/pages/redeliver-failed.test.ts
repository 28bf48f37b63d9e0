import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answered, page, testPage, withWebhook } from '#test/support/page/webhook-site.js';

describe('Resending undelivered events', () => {
  test('asks with their number and whose they are, of all or since a time in the reader’s zone, and resends only those', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [
      ...Array.from({ length: 4 }, () => answered(500)),
      answered(200),
    ]);
    for (const name of ['ada', 'bea', 'cid']) await register(name);
    await client.fillIn(testPage, {});
    client.setCookie('time_zone', 'Asia/Tokyo');
    const all = await client.open(`${page}/redeliver`);
    assert.match(
      all.words,
      /Resend 3 undelivered events\? cid Person \S+ , 20 Nov 2026, 21:02:00 \( ?Asia\/Tokyo\) bea .* ada .* Tests are not resent/,
    );
    assert.match(all.words, /event to resend, in Asia\/Tokyo/);
    assert.equal(all.fields.since, '1970-01-01T00:00:00.000Z');

    const question = await client.open(`${page}/redeliver?since=2026-11-20T21:01`);
    assert.match(question.words, /Resend 2 undelivered events\? cid .* bea (?!.* ada )/);
    assert.match(question.text, /type="datetime-local"[^>]* value="2026-11-20T21:01:00"/);
    assert.equal(sent.length, 4);
    const answer = await client.send({ path: `${page}/redeliver`, fields: question.fields });
    assert.deepEqual([answer.status, answer.location], [303, `${page}?resent=all#log`]);
    await started.deliver();
    assert.deepEqual(
      sent.slice(4).map(({ body }) => JSON.parse(body).user.first_name),
      ['bea', 'cid'],
    );
    assert.match(await client.read(page), /Resending the undelivered events…/);
    assert.match(await client.read(`${page}?resent=all`), /Resent\. 1 event is still undelivered/);
  });

  test('names only the newest of many', async (t) => {
    const { client, register } = await withWebhook(
      t,
      Array.from({ length: 7 }, () => answered(500)),
    );
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await register(name);
    const text = await client.read(`${page}/redeliver`);
    assert.match(
      text,
      /Resend 7 undelivered events\? g Person .* c Person \S+ , \S+ Nov 2026, \S+ \(UTC\) 2 more/,
    );
  });

  test('warns while the webhook is disabled', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(200)]);
    for (const name of ['ada', 'bea']) await register(name);
    const question = () => client.read(`${page}/redeliver`);
    assert.doesNotMatch(await question(), /is off/);
    const change = { organization: { id: 1 }, how: 'change', webhook: { enabled: false } } as const;
    await started.core.configureWebhook(change);
    assert.match(
      await question(),
      /Resend 1 undelivered event\? .* The webhook is off\. Turn it on first, or it will be skipped/,
    );
  });

  test('says so if nothing is undelivered, or if a time is invalid', async (t) => {
    const { client, register } = await withWebhook(t, [answered(500)]);
    const { location } = await client.open(`${page}/redeliver`);
    assert.equal(location, page);
    assert.match(await client.read(page), /Nothing is undelivered any more/);
    await register('ada');
    const none = await client.open(`${page}/redeliver?since=2026-11-20T22:00`);
    assert.match(none.words, /Nothing to resend No event since .* is undelivered/);
    for (const since of ['soon', '2026-02-30T10:00', '2026-11-20', '99999-01-01T00:00']) {
      const { status, text } = await client.open(`${page}/redeliver?since=${since}`);
      assert.equal(status, 422, since);
      assert.match(text, /id="since-hint">Since must be a date and time/);
      assert.doesNotMatch(
        text,
        /<form method="post"[^>]* action="[^"]*redeliver"|1970/,
        'asks for the time alone',
      );
    }
    const { form_token = '' } = await client.fieldsOf(page);
    const sent = await client.send({ path: `${page}/redeliver`, fields: { form_token, since: 'soon' } });
    assert.equal(sent.status, 400);
  });

  test('asks about all events again, not those since 1970, if the question comes back', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500)]);
    const deliveryId = await register('ada');
    const fields = await client.fieldsOf(`${page}/redeliver`);
    await client.fillIn(page, {}, '/sign-out');
    await client.fillIn('/sign-in', { email: 'user-101@example.test', password: 'a good password' });
    const again = await client.send({ path: `${page}/redeliver`, fields });
    assert.equal(again.status, 403);
    assert.match(again.words, /Resend 1 undelivered event\?/);
    assert.match(again.text, /<details><summary>Only those since a time/);
    assert.doesNotMatch(again.text, /value="1970-01-01T00:00:00"/);
    await started.core.dismissFailed({ organization: { id: 1 }, deliveryId });
    assert.equal((await client.send({ path: `${page}/redeliver`, fields })).location, page);
  });
});
