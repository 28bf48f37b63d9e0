import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebhookSender } from '@rollcall/core';
import { adviceFor } from '#adapters/express/pages/webhooks/delivery-texts.js';
import { answered as answeredWith, reasonOf, tlsRefusal } from '#adapters/node/webhook/reasons.js';
import { readableText } from '#test/support/page/client.js';
import {
  answered,
  type Ending,
  settings,
  settingsPage,
  testPage,
  webhookSite,
  withWebhook,
} from '#test/support/page/webhook-site.js';

describe('A test of the webhook', () => {
  test('is sent, and the page shows its result, also after a reload', async (t) => {
    const { client, sent } = await withWebhook(t, [answered(500), answered(204)]);
    const answer = await client.fillIn(testPage, {});
    assert.deepEqual([answer.status, answer.location], [303, testPage]);
    const landed = (await client.open(testPage)).text;
    const failed = readableText(landed);
    assert.match(landed, /<div class="test-result error" role="alert">/);
    assert.doesNotMatch(landed, /class="banner/, 'the result is shown beside the button only');
    assert.match(failed, /for a made-up user to https:\/\/partner\.test\/hooks\S* \. This can take/);
    assert.match(failed, /The test was just sent: Failed answered 500 Your endpoint had an internal error/);
    assert.match(failed, /Last test: 20 Nov 2026, 12:00:00 \(UTC\), 1\.5 s/);
    assert.match((await client.open(testPage)).text, /<div class="test-result error">/);
    assert.equal(sent[0]?.headers['X-Acme-Care-Test'], 'true');

    await client.fillIn(testPage, {});
    assert.match((await client.open(testPage)).text, /<div class="test-result success" role="status">/);
    assert.match(await client.read(testPage), /Delivered answered 204/);
    assert.equal(sent.length, 2);
  });

  test('is marked as older than the saved settings if the URL has changed since', async (t) => {
    const { started, client } = await withWebhook(t, [answered(500)]);
    const shown = () => client.read(testPage);
    await client.fillIn(testPage, {});
    assert.doesNotMatch(await shown(), /before the webhook last changed/);
    started.clock.advance(60_000);
    await client.fillIn(settingsPage, { ...settings, url: 'https://other.test/hooks' });
    assert.match(await shown(), /This test was sent before the webhook last changed\./);
    await client.fillIn(testPage, {});
    assert.doesNotMatch(await shown(), /before the webhook last changed/);
  });

  test('says so if a test is in progress, and if there is no URL', async (t) => {
    let end: (ending: Ending) => void = () => undefined;
    const webhookSender: WebhookSender = {
      refusalOf: () => null,
      async send({ url, headers }) {
        const ending = await new Promise<Ending>((resolve) => (end = resolve));
        return { ...ending, request: { url, headers }, response: null };
      },
    };
    const started = await webhookSite(t, { webhookSender });
    const client = await started.signedIn(101);
    const { form_token = '' } = await client.fieldsOf(testPage);
    const send = () => client.send({ path: testPage, fields: { form_token } });

    assert.equal((await send()).location, testPage);
    assert.match(await client.read(testPage), /There is no webhook yet\./);
    await client.fillIn(settingsPage, { ...settings, enabled: '0', url: '' });
    await send();
    assert.match(await client.read(testPage), /No test was sent\. Save a URL first/);
    await client.fillIn(settingsPage, settings);
    const first = send();
    while (!started.changes.includes('outbox.startTest'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await send()).status, 303);
    const meanwhile = await client.read(testPage);
    assert.match(meanwhile, /A test is already running/);
    assert.match(meanwhile, /Sending no answer yet/);
    end(answered(200));
    assert.equal((await first).status, 303);
  });

  test('is sent at most ten times a minute, and the page says when the next one can be sent', async (t) => {
    const { client, sent } = await withWebhook(t);
    const { form_token = '' } = await client.fieldsOf(testPage);
    const send = () => client.send({ path: testPage, fields: { form_token } });
    for (let at = 0; at < 10; at += 1) assert.equal((await send()).status, 303);
    const { status, words, headers } = await send();
    assert.deepEqual([status, headers.get('retry-after'), sent.length], [429, '60', 10]);
    assert.match(words, /At most 10 tests a minute can be sent; try again in 60 s\./);
  });
});

describe('A test that is sent to a real receiver', () => {
  test('has advice for every reason that the sender gives', () => {
    const phases = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'] as const;
    const codes = ['', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED'];
    const moreCodes = [
      'CERT_NOT_YET_VALID',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'HPE_INVALID',
      'HPE_HEADER_OVERFLOW',
      'ERR_INVALID_CHAR',
    ];
    const reasons = [...codes, ...moreCodes, 'SELF_SIGNED_CERT_IN_CHAIN'].flatMap((code) =>
      phases.map((phase) => reasonOf(Object.assign(new Error('a secret'), { code }), phase)),
    );
    const weak = ['EE certificate key too weak', 'CA signature digest algorithm too weak', 'another'].map(
      (text) => reasonOf(Object.assign(new Error(text), { code: 'UNSPECIFIED' }), 'tls'),
    );
    const refusals = [40, 42, 48, 70, 71, 80, 112, 116].map((number) =>
      String(tlsRefusal(new Error(`:SSL alert number ${number}`))),
    );
    const texts = [reasonOf(new Error(':error:0A00010B:'), 'tls')];
    const statuses = [101, 200, 204, 301, 400, 401, 403, 404, 405, 410, 429, 500, 503];
    const otherReasons = [
      'resolves to a private address',
      'the request could not be made',
      'cut off before an outcome was known',
      'the signing secret cannot be read: its key 1a2b3c4d is not configured',
    ];
    const limits = ['no connection', 'no answer', 'not finished'].map((what) => `${what} within 5 s`);
    for (const reason of [
      ...reasons,
      ...weak,
      ...refusals,
      ...texts,
      ...statuses.map(answeredWith),
      ...limits,
      ...otherReasons,
    ])
      assert.notEqual(adviceFor(reason), null, reason);
    assert.equal(adviceFor('something new'), null);
  });
});
