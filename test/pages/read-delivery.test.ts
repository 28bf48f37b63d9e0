import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answered,
  type Ending,
  page,
  settings,
  settingsPage,
  url,
  withWebhook,
} from '#test/support/page/webhook-site.js';

const unreachable: Ending = {
  duration: 4,
  outcome: 'failed',
  phase: 'connect',
  status: null,
  reason: 'connection refused',
};

describe('The page of a delivery', () => {
  test('shows the request, the body once and as it is, and every attempt', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [answered(500), answered(200)]);
    const path = `${page}/deliveries/${await register('ada')}`;
    const text = await client.read(path);
    const [request] = sent;
    assert.ok(request !== undefined);
    assert.ok(text.includes(`POST to ${url}`));
    for (const [name, value] of Object.entries(request.headers))
      assert.ok(text.includes(`${name}: ${value}`), name);
    assert.equal(text.split(request.body).length, 2);
    assert.match(
      (await client.open(path)).text,
      /<a href="\/organizations\/1\/people\?search=person-1%40example\.test"><bdi>ada/,
    );
    assert.match(text, /1 20 Nov 2026, 12:00:00 answered 500 500 response 1\.5 s/);

    const again = await client.fillIn(path, {});
    assert.deepEqual([again.status, again.location], [303, path]);
    const waiting = await client.read(path);
    assert.match(waiting, /Resending… .*Pending Result not resent yet/);
    assert.doesNotMatch(waiting, /Resending uses the same body/);
    await started.deliver();
    assert.match(await client.read(path), /Delivered .*2 20 Nov 2026, 12:01:00 answered 200/);
    assert.equal(sent[1]?.body, request.body);
    const { items: entries } = await started.core.listActivity({ organization: { id: 1 } });
    const [latest] = entries;
    assert.deepEqual(
      [latest?.action, latest?.actor.who],
      ['delivery-redelivered', { kind: 'user', userId: 101 }],
    );
  });

  test('shows the newest 20 attempts, and says how many there are', async (t) => {
    const { started, client, register } = await withWebhook(
      t,
      Array.from({ length: 22 }, () => answered(500)),
    );
    const path = `${page}/deliveries/${await register('ada')}`;
    for (let number = 2; number <= 20; number += 1) {
      await client.fillIn(path, {});
      await started.deliver();
    }
    assert.doesNotMatch((await client.open(path)).text, /The newest/);
    for (let number = 21; number <= 22; number += 1) {
      await client.fillIn(path, {});
      await started.deliver();
    }
    const text = await client.read(path);
    assert.match(text, /The newest 20 of 22 attempts\. .*Attempt 22/);
    assert.doesNotMatch(text, /Attempt 2:/);
  });

  test('shows each request and response as they were, the last one first', async (t) => {
    const response = {
      headers: { Server: 'hooks/2', 'Set-Cookie': 'a=1, b=2' },
      body: '<b>no</b>\u0000',
      isTruncated: true,
    };
    const failed = { ...answered(500), response };
    const { started, client, register } = await withWebhook(t, [failed, unreachable]);
    const id = await register('ada');
    const path = `${page}/deliveries/${id}`;
    const shown = () => client.read(path);
    const first = await shown();
    assert.match(
      first,
      /Attempt 1 Request POST to https:\/\/partner.test\/hooks.* Response Status 500 Response headers Server: hooks\/2 Set-Cookie: a=1, b=2/,
    );
    assert.match(
      first,
      /Response body <b>no<\/b>␀ .*There was more, or the end did not arrive\. We keep the first 8 KiB\./,
    );
    assert.doesNotMatch(first, /As it would be sent now|was not sent/);
    assert.match(
      first,
      /POST to .*Request headers .* Response Status 500 .* Body Exactly as signed and sent \{/,
    );
    assert.doesNotMatch((await client.open(path)).text, /<b>no/);

    await client.fillIn(settingsPage, { ...settings, url: 'https://moved.test/hooks' });
    await client.fillIn(path, {});
    await started.deliver();
    const second = await shown();
    assert.match(
      second,
      /Attempt 2 There was no connection to https:\/\/moved.test\/hooks, so nothing was sent\. Attempt 1/,
    );
    assert.match(
      second,
      /Attempt 1: answered 500 Request POST to https:\/\/partner.test\/hooks.* Response Status 500 .* Body Exactly/,
    );
  });

  test('says that a response had no body, and that an attempt was not recorded', async (t) => {
    const { started, client, register } = await withWebhook(t);
    const id = await register('ada');
    const shown = () => client.read(`${page}/deliveries/${id}`);
    assert.match(await shown(), /Status 200 .*The response had no body\./);

    const { outbox } = started.storage;
    await client.fillIn(`${page}/deliveries/${id}`, {});
    const at = started.clock.now();
    await outbox.claim({ limit: 1, perOrganization: 1, claim: 'lost', at });
    await outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at });
    assert.match(await shown(), /Attempt 2 The request and the response of this attempt were not recorded\./);
  });

  test('before the first attempt, shows the request as it would be sent now', async (t) => {
    const { started, client } = await withWebhook(t);
    const person = { email: 'new@example.test', firstName: 'New', lastName: 'Person' };
    await started.core.registerUser({ organizationId: 1, ...person });
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 } });
    const text = await client.read(`${page}/deliveries/${deliveries[0]?.id}`);
    assert.match(
      text,
      /No attempts\. Request As it would be sent now, signed with the current secret\. POST to/,
    );
    assert.match(text, /Body Exactly as it would be sent \{/);
    assert.doesNotMatch(text, /signed and sent/);
  });

  test('leads to the one before and the one after it', async (t) => {
    const { client, register } = await withWebhook(t);
    const [first, second, third] = [await register('ada'), await register('bea'), await register('cid')];
    const leadsTo = async (id: number) => {
      const { text } = await client.open(`${page}/deliveries/${id}`);
      const [nav = ''] = /<nav[^>]*aria-label="Deliveries beside this one".*?<\/nav>/s.exec(text) ?? [];
      return [...nav.matchAll(/href="[^"]*\/(\d+)"[^>]*>((?:Newer|Older) delivery)/g)].map(([, to, name]) => [
        name,
        Number(to),
      ]);
    };
    assert.deepEqual(await leadsTo(first), [['Newer delivery', second]]);
    assert.deepEqual(await leadsTo(second), [
      ['Newer delivery', third],
      ['Older delivery', first],
    ]);
    assert.deepEqual(await leadsTo(third), [['Older delivery', second]]);
  });

  test('is loaded again once after it was resent, to show the result', async (t) => {
    const { client, register } = await withWebhook(t);
    const path = `${page}/deliveries/${await register('ada')}`;
    await client.fillIn(path, {});
    const isLoadedAgain = async () => /data-reload-after="2000"/.test((await client.open(path)).text);
    assert.deepEqual([await isLoadedAgain(), await isLoadedAgain()], [true, false]);
  });

  test('says that it would be skipped while the webhook is disabled', async (t) => {
    const { started, client, register } = await withWebhook(t);
    const id = await register('ada');
    const change = { organization: { id: 1 }, how: 'change', webhook: { enabled: false } } as const;
    await started.core.configureWebhook(change);
    assert.match(
      await client.read(`${page}/deliveries/${id}`),
      /The webhook is off\. Turn it on first, or this will be skipped/,
    );
  });

  test('is found by its own organization only, and only under its exact number', async (t) => {
    const { started, register } = await withWebhook(t);
    const existing = await register('ada');
    const foreign = await started.signedIn(103);
    const own = await started.signedIn(100);
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
    const { form_token = '' } = await foreign.fieldsOf('/organizations/2/webhooks');
    const stolen = await foreign.send({
      path: `/organizations/2/webhooks/deliveries/${existing}`,
      fields: { form_token },
    });
    assert.equal(stolen.status, 404);
  });
});
