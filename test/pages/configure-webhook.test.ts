import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordingSender } from '@rollcall/core/testing';
import { gotWebhookSender } from '#adapters/node/index.js';
import { follow } from '#test/support/page/client.js';
import {
  answered,
  page,
  secretIn,
  settings,
  settingsPage,
  testPage,
  url,
  webhookSite,
  withWebhook,
} from '#test/support/page/webhook-site.js';
import { webhookAt } from '../support/webhook-at.js';

describe('The settings of the webhook', () => {
  test('are empty at first, and say what to do', async (t) => {
    const client = await (await webhookSite(t)).signedIn(101);
    const { status, text, headers } = await client.open(settingsPage);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    for (const path of [page, testPage]) {
      const empty = await client.open(path);
      assert.match(empty.words, /There is no webhook yet\. Save the URL of your endpoint first\./);
      assert.match(empty.text, /<a href="\/organizations\/1\/webhooks\/settings"[^>]*>Set up the webhook</);
      assert.doesNotMatch(empty.text, /<nav[^>]*aria-label="Webhooks"|Recent deliveries/);
    }
    assert.doesNotMatch(text, /whsec_/);
    assert.match(text, /value="1" checked[^>]*>\s*<label[^>]*>user\.registered</);
  });

  test('are saved, and show the secret in one answer only, however often the form is sent', async (t) => {
    const started = await webhookSite(t);
    const client = await started.signedIn(101);
    const fields = { ...(await client.fieldsOf(settingsPage)), ...settings };
    const sent = await client.send({ path: settingsPage, fields });
    const created = await follow(client, sent);
    const secret = secretIn(created.text);
    assert.equal(created.status, 200);
    assert.match(created.words, /Webhook saved\. Copy the new signing secret/);
    assert.equal(created.headers.get('cache-control'), 'no-store');
    assert.match(created.words, /You won’t see it again/);
    assert.ok(secret !== undefined);
    assert.doesNotMatch(
      created.text,
      /data-time-zone/,
      'the script would reload the page, and hide the secret',
    );

    assert.ok(!JSON.stringify([...sent.headers]).includes(secret));
    const later = await follow(client, sent);
    assert.match(later.words, /The signing secret can’t be shown again Each signing secret is shown once/);
    assert.match(later.text, /<a href="\/organizations\/1\/webhooks\/secret"[^>]*>Rotate the secret/);
    const again = await client.send({ path: settingsPage, fields });
    assert.deepEqual([again.status, again.location], [303, settingsPage]);
    const after = await client.open(settingsPage);
    assert.match(after.words, /Webhook saved/);
    assert.ok(![later, again, after].some(({ text }) => text.includes(secret)));
    assert.doesNotMatch(await client.read(settingsPage), /Webhook saved/);
    const stored = await started.core.readWebhook({ organization: { id: 1 } });
    assert.deepEqual(
      [stored?.url, stored?.enabled, stored?.events, stored?.secret],
      [url, true, ['user.registered'], null],
    );
  });

  test('are one of three parts, which link to each other and say which one is open', async (t) => {
    const { client } = await withWebhook(t);
    const parts = { [page]: 'Log', [testPage]: 'Test', [settingsPage]: 'Settings and secret' };
    for (const [path, title] of Object.entries(parts)) {
      const { status, text } = await client.open(path);
      assert.equal(status, 200, path);
      const [nav = ''] = /<nav[^>]*aria-label="Webhooks".*?<\/nav>/s.exec(text) ?? [];
      const links = [...nav.matchAll(/<a href="([^"]*)"([^>]*)>([^<]*)/g)];
      assert.deepEqual(Object.fromEntries(links.map(([, href, , name]) => [href, name])), parts);
      const chosen = links.filter(([, , attributes]) => attributes?.includes('aria-current'));
      assert.deepEqual(
        chosen.map(([, , , name]) => name),
        [title],
      );
    }
  });

  test('warn about a saved URL to which nothing can be sent, until it is changed', async (t) => {
    const { refusalOf } = gotWebhookSender({ allowedNetworks: ['127.0.0.0/8'] });
    const webhookSender = { ...recordingSender(), refusalOf };
    const client = await (await webhookSite(t, { webhookSender })).signedIn(101);
    const openAfterSaving = async (saved: string) => {
      await client.fillIn(settingsPage, { ...settings, url: saved });
      return client.read(settingsPage);
    };
    const warning = /Nothing can be sent to the saved URL: private address\. The URL points to a private/;
    await openAfterSaving(url);
    for (const saved of [
      'https://10.0.0.1/x',
      'https://[fd00::1]/',
      'https://0xa000001/',
      'https://192.168.0.9:8443',
    ])
      assert.match(await openAfterSaving(saved), warning, saved);
    const unreachable = await client.read(page);
    assert.match(unreachable, warning);
    assert.match(unreachable, /On, but unreachable URL /);
    for (const saved of [url, 'https://127.0.0.1/x', 'https://8.8.8.8/'])
      assert.doesNotMatch(await openAfterSaving(saved), /Nothing can be sent/, saved);
  });

  test('show each problem next to its field, and keep the input', async (t) => {
    const started = await webhookSite(t);
    const client = await started.signedIn(101);
    const wrong = (fields: Readonly<Record<string, string>>) => client.send({ path: settingsPage, fields });
    const hidden = await client.fieldsOf(settingsPage);
    const { form_token = '' } = hidden;
    const before = [...started.changes];

    const http = await wrong({ form_token, url: 'http://partner.test/"><b>', enabled: '1' });
    assert.equal(http.status, 422);
    assert.match(
      http.text,
      /id="url-hint">URL must be a valid HTTPS URL such as https:\/\/example\.com\/hooks</,
    );
    assert.match(http.text, /id="events-hint">Select at least one event</);
    assert.match(http.text, /<title>Error: Webhook settings/);
    assert.match(
      http.text,
      /value="http:\/\/partner\.test\/&quot;>&lt;b>"|value="http:\/\/partner\.test\/&quot;&gt;/,
    );

    const missing = await wrong({ form_token, enabled: '1', 'event.user.registered': '1' });
    assert.match(missing.text, /id="url-hint">Enter a URL</);
    const credentials = await wrong({ form_token, ...settings, url: 'https://a:b@partner.test/' });
    assert.match(credentials.text, /URL must not contain a user name or password/);
    assert.equal(await started.core.readWebhook({ organization: { id: 1 } }), null);
    assert.deepEqual(
      started.changes.slice(before.length).filter((change) => change !== 'webhooks.configure'),
      [],
    );
  });

  test('that someone else has changed in the meantime are shown beside the typed ones, and replaced only when saved again', async (t) => {
    const { started, client } = await withWebhook(t);
    started.clock.advance(1000);
    const opened = await client.fieldsOf(settingsPage);
    started.clock.advance(1000);
    const theirs = { url: 'https://theirs.test/a', enabled: false, events: [] };
    await started.core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook: theirs });
    const stored = async () => {
      const webhook = await started.core.readWebhook({ organization: { id: 1 } });
      return webhook && { url: webhook.url, enabled: webhook.enabled, events: webhook.events };
    };
    const typed = { ...settings, url: 'https://mine.test/b' };
    const stale = await client.send({ path: settingsPage, fields: { ...opened, ...typed } });
    assert.equal(stale.status, 422);
    assert.match(
      stale.words,
      /Someone changed the webhook or its secret after you opened this page\. Nothing was saved\. .* Saved now URL https:\/\/theirs\.test\/a Events None Delivery Off URL/,
    );
    assert.match(stale.text, /<input id="url"[^>]* value="https:\/\/mine\.test\/b"/);
    assert.deepEqual(await stored(), theirs);

    const again = stale.fields;
    started.clock.advance(1000);
    assert.equal((await client.send({ path: settingsPage, fields: { ...again, ...typed } })).status, 303);
    const mine = webhookAt('https://mine.test/b');
    assert.deepEqual(await stored(), mine);
    const older = await client.send({ path: settingsPage, fields: { ...again, ...typed, enabled: '' } });
    assert.equal(older.status, 422);
    assert.deepEqual(await stored(), mine);
    const wrong = await client.send({ path: settingsPage, fields: { ...older.fields, url: 'x' } });
    assert.match(wrong.text, /URL must be a valid HTTPS URL/);
    assert.doesNotMatch(wrong.words, /Saved now/);
    assert.equal(wrong.fields.unchanged_since, older.fields.unchanged_since);
  });

  test('keep the URL and the events when the webhook is disabled', async (t) => {
    const { started, client } = await withWebhook(t);
    await client.send({
      path: settingsPage,
      fields: { ...(await client.fieldsOf(settingsPage)), enabled: '0' },
    });
    const off = await started.core.readWebhook({ organization: { id: 1 } });
    assert.deepEqual([off?.enabled, off?.url, off?.events], [false, url, ['user.registered']]);
    const { words } = await client.open(testPage);
    assert.match(words, /even though the webhook is off/);
  });
});

test('Every page says “on” and “off” of the webhook, never “enabled” and “disabled”', async (t) => {
  const { started, client, register } = await withWebhook(t, [answered(500)]);
  const failed = await register('ada');
  await started.core.registerUser({
    organizationId: 1,
    email: 'bea@example.test',
    firstName: 'Bea',
    lastName: 'Byron',
  });
  const organization = { id: 1 };
  await started.core.configureWebhook({ organization, how: 'change', webhook: { enabled: false } });
  await started.deliver();
  const [skipped] = (await started.core.listDeliveries({ organization, state: 'skipped' })).deliveries;
  const expected = {
    [page]: /^.* Off Events that happen .* the webhook was off /,
    [settingsPage]: /On: send events to this URL/,
    [`${page}/deliveries/${failed}`]: /The webhook is off\. Turn it on first, or this will be skipped\./,
    [`${page}/deliveries/${skipped?.id}`]: /Skipped Result the webhook was off/,
    [`${page}/redeliver?since=2026-11-20T11:00`]:
      /The webhook is off\. Turn it on first, or it will be skipped/,
  };
  for (const [path, words] of Object.entries(expected)) {
    const text = await client.read(path);
    assert.match(text, words, path);
    assert.doesNotMatch(text, /\b(?:en|dis)abled?\b/i, path);
  }
});

describe('Rotating the secret', () => {
  test('asks first, shows the new secret in one answer, and refuses the same form again', async (t) => {
    const { started, client } = await withWebhook(t);
    started.clock.advance(1000);
    const question = await client.open(`${page}/secret`);
    assert.match(question.words, /The current secret goes on working for the time that you choose/);
    assert.match(question.text, /<option value="24" selected>1 day</, 'no event is missed');
    const fields = { ...question.fields, overlap_hours: '' };
    const answer = await follow(client, await client.send({ path: `${page}/secret`, fields }));
    const secret = secretIn(answer.text);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.ok(secret !== undefined);
    assert.match(answer.text, new RegExp(`href="${testPage}"[^>]*>I have copied it`));

    started.clock.advance(1000);
    const again = await client.send({ path: `${page}/secret`, fields });
    assert.equal(again.status, 409);
    assert.match(again.words, /The webhook has changed Nothing was changed\./);
    for (const path of [settingsPage, `${page}/secret`, `${page}/secret/new`])
      assert.ok(!(await client.open(path)).text.includes(secret), path);
    const { items: entries } = await started.core.listActivity({ organization: { id: 1 } });
    assert.equal(entries.filter(({ action }) => action === 'signing-secret-rotated').length, 1);
  });

  test('is refused unless the form names the state that the question was about', async (t) => {
    const { client } = await withWebhook(t);
    const { form_token = '' } = await client.fieldsOf(`${page}/secret`);
    for (const unchanged_since of ['', 'never', '2026-11-20T11:00:00.000Z']) {
      const { status, text } = await client.send({
        path: `${page}/secret`,
        fields: { form_token, unchanged_since },
      });
      assert.deepEqual([status, secretIn(text)], [409, undefined]);
    }
  });

  test('can keep the old secret in use, and that can be finished at once', async (t) => {
    const { started, client } = await withWebhook(t);
    started.clock.advance(1000);
    const fields = await client.fieldsOf(`${page}/secret`);
    const sent = { path: `${page}/secret`, fields: { ...fields, overlap_hours: '24' } };
    const answer = await follow(client, await client.send(sent));
    assert.ok(secretIn(answer.text) !== undefined);
    assert.match(answer.text, new RegExp(`href="${settingsPage}"[^>]*>I have copied it`));
    const zone = /\d\d:\d\d \(UTC\)/;
    assert.match(answer.words, /The old secret stays in use until .*\d\d:\d\d \(UTC\)\. Once/);
    const withOld = /Verify each request with the old secret until the rotation ends, then with the new one:/;
    assert.match(answer.words, withOld);
    assert.doesNotMatch(answer.words, /Use the secret to verify/);
    const organization = { id: 1 };
    const endsAt = new Date(started.clock.now().getTime() + 24 * 3_600_000);
    assert.deepEqual((await started.core.readWebhook({ organization }))?.rotationEndsAt, endsAt);

    const during = await client.read(`${page}/secret`);
    assert.match(during, /If you rotate it now, both stop working at once/);
    assert.doesNotMatch(during, /For 1 day/);
    assert.match(during, zone);
    const tested = await client.open(`${page}/test`);
    assert.match(tested.words, /The old signing secret is also in use until/);
    assert.match(tested.text, new RegExp(`<a href="${page}/secret/finish">Finish the rotation</a>`));
    const settings = await client.open(settingsPage);
    assert.match(
      settings.words,
      /The old secret is still in use until .*\(UTC\): X-Acme-Care-Signature is made with it/,
    );
    assert.match(settings.words, withOld);
    assert.match(
      settings.text,
      /class="button secondary"[^>]*>Finish now</,
      'the next step is not dangerous',
    );
    const { form_token = '' } = settings.fields;
    const finish = (ends_at: string) =>
      client.send({ path: `${page}/secret/finish`, fields: { form_token, ends_at } });
    for (const wrong of ['', 'soon']) assert.equal((await finish(wrong)).status, 400);
    await finish(started.clock.now().toISOString());
    assert.match(await client.read(settingsPage), /Nothing was changed, because another rotation/);
    assert.deepEqual((await started.core.readWebhook({ organization }))?.rotationEndsAt, endsAt);
    const { status, headers } = await finish(endsAt.toISOString());
    assert.deepEqual([status, headers.get('location')], [303, settingsPage]);
    assert.equal((await started.core.readWebhook({ organization }))?.rotationEndsAt, null);
    const after = await client.read(settingsPage);
    assert.match(
      after,
      /Only the new signing secret is used now\. Wait a minute for requests that are under way, then/,
    );
    assert.doesNotMatch(after, /Finish now/);
    assert.match(after, /Use the secret to verify each request: X-Acme-Care-Signature is sha256=/);
  });

  test('shows what is wrong with the hours, and changes nothing', async (t) => {
    const { started, client } = await withWebhook(t);
    const rotate = async (overlap_hours: string) => {
      const fields = await client.fieldsOf(`${page}/secret`);
      return client.send({ path: `${page}/secret`, fields: { ...fields, overlap_hours } });
    };
    for (const hours of ['0', '169', 'x']) {
      const { status, text } = await rotate(hours);
      assert.deepEqual([status, secretIn(text)], [422, undefined]);
      assert.match(text, /Time until the current secret stops working must be a whole number from 1 to 168/);
    }
    assert.equal((await rotate('1')).status, 303);
    const { status, words } = await rotate('1');
    assert.equal(status, 422);
    assert.match(words, /To keep the current one in use for a while, finish that rotation first/);
    const { items } = await started.core.listActivity({ organization: { id: 1 } });
    assert.equal(items.filter(({ action }) => action === 'signing-secret-rotated').length, 1);
  });

  test('has no page while there is no webhook', async (t) => {
    assert.equal((await (await (await webhookSite(t)).signedIn(101)).open(`${page}/secret`)).status, 404);
  });
});
