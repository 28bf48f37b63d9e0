import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Attempt } from '@rollcall/core';
import { anOrganization, recordingSender, testUuid } from '@rollcall/core/testing';
import { adviceOn, subjectOf } from '#adapters/pages/webhooks/delivery-words.js';
import { answered as answeredWith, reasonOf } from '#adapters/webhook/reasons.js';
import { gotWebhookSender } from '#adapters/webhook/sender.js';
import { selfSigned, testAuthority } from '#test/support/certificates.js';
import { formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { type PageSite, type StartPageSite, startPageSite } from '#test/support/page/site.js';
import { startReceiver, startTcpListener } from '#test/support/receiver.js';

const password = 'a good password';
const page = '/organizations/1/webhooks';
const url = 'https://partner.test/hooks?key=of-the-receiver';
const settings = { url, enabled: '1', 'event.user.registered': '1' };

type Ending = Omit<Attempt, 'startedAt'>;

const answered = (status: number): Ending => ({
  duration: 1500,
  outcome: status < 300 ? 'delivered' : 'failed',
  phase: 'answer',
  status,
  reason: `answered ${status}`,
});

/** An owner 100, an admin 101 and a member 102 of organization 1; an admin 103 of organization 2. */
async function site(context: TestContext, options: StartPageSite = {}): Promise<PageSite> {
  const started = await startPageSite(context, options);
  await started.load({
    organizations: [anOrganization(1, { name: 'Northwind Wellness' }), anOrganization(2)],
  });
  const people = [
    ['owner', 1],
    ['admin', 1],
    ['member', 1],
    ['admin', 2],
  ] as const;
  for (const [index, [role, organization]] of people.entries())
    await started.addUser({ id: 100 + index, password, organizations: [organization], role });
  return started;
}

async function signedIn({ visitor }: PageSite, id = 101): Promise<PageClient> {
  const client = visitor();
  await client.fillIn('/sign-in', { email: `user-${id}@example.test`, password });
  return client;
}

/** A webhook that is set up, and a receiver that answers these one after the other, the last for ever. */
async function withWebhook(context: TestContext, endings: readonly Ending[] = [answered(200)]) {
  const left = [...endings];
  let people = 0;
  const webhookSender = recordingSender(() => (left.length > 1 ? left.shift() : left[0]) as Ending);
  const started = await site(context, { webhookSender });
  const client = await signedIn(started);
  await client.fillIn(page, settings);
  /** Registers somebody, sends the event, and lets a minute pass; gives the number of the delivery. */
  const register = async (firstName: string): Promise<number> => {
    people += 1;
    const person = { email: `person-${people}@example.test`, firstName, lastName: 'Person' };
    await started.core.registerUser({ organizationId: 1, ...person });
    await started.deliver();
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 } });
    started.clock.advance(60_000);
    return deliveries[0]?.id ?? 0;
  };
  return { started, client, register, sent: webhookSender.sent };
}

const secretIn = (html: string): string | undefined => /whsec_[A-Za-z0-9+/=]{20,}/.exec(html)?.[0];

describe('The settings of the webhook', () => {
  test('are empty at first, and say what to do', async (t) => {
    const client = await signedIn(await site(t));
    const { status, text, headers } = await client.open(page);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(readableText(text), /No deliveries yet\. Save a URL above, then send a test\./);
    assert.doesNotMatch(text, /whsec_/);
    assert.match(text, /value="1" checked[^>]*>\s*<label[^>]*>user\.registered</);
  });

  test('are saved, with the secret in that one answer and no more, however often the form is sent', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    const fields = { ...formFields((await client.open(page)).text), ...settings };
    const created = await client.send({ path: page, fields });
    const secret = secretIn(created.text);
    assert.equal(created.status, 200);
    assert.equal(created.headers.get('cache-control'), 'no-store');
    assert.match(readableText(created.text), /You won’t see it again/);
    assert.ok(secret !== undefined);
    assert.doesNotMatch(
      created.text,
      /data-time-zone/,
      'the page would be loaded once more, and send the form',
    );

    const again = await client.send({ path: page, fields });
    assert.deepEqual([again.status, again.location], [303, page]);
    const after = await client.open(page);
    assert.match(readableText(after.text), /Webhook saved/);
    assert.ok(![again, after].some(({ text }) => text.includes(secret)));
    assert.doesNotMatch(readableText((await client.open(page)).text), /Webhook saved/);
    const shown = await started.core.readWebhook({ organization: { id: 1 } });
    assert.deepEqual(
      [shown?.url, shown?.enabled, shown?.events, shown?.secret],
      [url, true, ['user.registered'], null],
    );
  });

  test('warn of a URL to which nothing is ever sent, for as long as it is the saved one', async (t) => {
    const client = await signedIn(await site(t));
    const shownFor = async (saved: string) => {
      await client.fillIn(page, { ...settings, url: saved });
      return readableText((await client.open(page)).text);
    };
    const warning = /Nothing can be sent to the saved URL: private address\. The URL points to a private/;
    await shownFor(url);
    for (const saved of [
      'https://10.0.0.1/x',
      'https://[fd00::1]/',
      'https://0xa000001/',
      'https://192.168.0.9:8443',
    ])
      assert.match(await shownFor(saved), warning, saved);
    assert.match(readableText((await client.open(page)).text), warning);
    for (const saved of [url, 'https://127.0.0.1/x', 'https://8.8.8.8/'])
      assert.doesNotMatch(await shownFor(saved), /Nothing can be sent/, saved);
  });

  test('show the interface’s own messages beside the fields, and keep what was typed', async (t) => {
    const started = await site(t);
    const client = await signedIn(started);
    const wrong = (fields: Readonly<Record<string, string>>) => client.send({ path: page, fields });
    const hidden = formFields((await client.open(page)).text);
    const { form_token = '' } = hidden;
    const before = [...started.changes];

    const http = await wrong({ form_token, url: 'http://partner.test/"><b>', enabled: '1' });
    assert.equal(http.status, 422);
    assert.match(
      http.text,
      /id="url-hint">URL must be a valid HTTPS URL such as https:\/\/example\.com\/hooks</,
    );
    assert.match(http.text, /id="events-hint">Select at least one event</);
    assert.match(http.text, /<title>Error: Webhooks/);
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

  test('are saved without a URL while it is off, and are switched off with the rest kept', async (t) => {
    const { started, client } = await withWebhook(t);
    await client.send({
      path: page,
      fields: { ...formFields((await client.open(page)).text), enabled: '0' },
    });
    const off = await started.core.readWebhook({ organization: { id: 1 } });
    assert.deepEqual([off?.enabled, off?.url, off?.events], [false, url, ['user.registered']]);
    const { text } = await client.open(page);
    assert.match(readableText(text), /even though the webhook is disabled/);
  });

  test('stand in the audit trail with the person, the address and the host alone', async (t) => {
    const { started } = await withWebhook(t);
    const { items: entries } = await started.core.listActivity({ organization: { id: 1 } });
    const [{ action, actor, subject } = { action: null, actor: null, subject: null }] = entries;
    assert.deepEqual([action, subject], ['webhook-configured', 'partner.test']);
    assert.deepEqual(actor?.who, { kind: 'user', userId: 101 });
    assert.equal(actor?.from, '127.0.0.1');
  });
});

describe('Regenerating the secret', () => {
  test('asks first, shows the new one in one answer, and does not do it twice when the form comes again', async (t) => {
    const { started, client } = await withWebhook(t);
    started.clock.advance(1000);
    const question = await client.open(`${page}/secret`);
    assert.match(readableText(question.text), /The old secret stops working at once/);
    const fields = formFields(question.text);
    const answer = await client.send({ path: `${page}/secret`, fields });
    const secret = secretIn(answer.text);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.ok(secret !== undefined);

    started.clock.advance(1000);
    const again = await client.send({ path: `${page}/secret`, fields });
    assert.equal(again.status, 409);
    assert.match(readableText(again.text), /The webhook has changed Nothing was changed\./);
    for (const path of [page, `${page}/secret`])
      assert.ok(!(await client.open(path)).text.includes(secret), path);
    const { items: entries } = await started.core.listActivity({ organization: { id: 1 } });
    assert.equal(entries.filter(({ action }) => action === 'signing-secret-rotated').length, 1);
  });

  test('is refused without the moment that the question was about', async (t) => {
    const { client } = await withWebhook(t);
    const { form_token = '' } = formFields((await client.open(`${page}/secret`)).text);
    for (const unchanged_since of ['', 'never', '2026-11-20T11:00:00.000Z']) {
      const { status, text } = await client.send({
        path: `${page}/secret`,
        fields: { form_token, unchanged_since },
      });
      assert.deepEqual([status, secretIn(text)], [409, undefined]);
    }
  });

  test('has no page while there is no webhook', async (t) => {
    assert.equal((await (await signedIn(await site(t))).open(`${page}/secret`)).status, 404);
  });
});

describe('A test of the webhook', () => {
  test('is sent, and the page says what came of it, also after a reload', async (t) => {
    const { client, sent } = await withWebhook(t, [answered(500), answered(204)]);
    const answer = await client.fillIn(page, {}, `${page}/test`);
    assert.deepEqual([answer.status, answer.location], [303, `${page}#test`]);
    const landed = (await client.open(page)).text;
    const failed = readableText(landed);
    assert.match(landed, /<p class="problem[^>]*>The test failed: answered 500\. <a href="#test">/);
    assert.doesNotMatch(landed, /class="notice"/);
    assert.match(failed, /Failed answered 500 Your endpoint had an internal error/);
    assert.match(failed, /Last test: 20 Nov 2026, 12:00 , 1\.5 s/);
    assert.equal(sent[0]?.headers['X-Acme-Care-Test'], 'true');

    await client.fillIn(page, {}, `${page}/test`);
    assert.match((await client.open(page)).text, /<p class="notice"[^>]*>Test result: answered 204</);
    assert.match(readableText((await client.open(page)).text), /Delivered answered 204/);
    assert.equal(sent.length, 2);
  });

  test('of another URL is not taken for one of the saved URL', async (t) => {
    const { started, client } = await withWebhook(t, [answered(500)]);
    const shown = async () => readableText((await client.open(page)).text);
    await client.fillIn(page, {}, `${page}/test`);
    assert.doesNotMatch(await shown(), /before you last saved the settings/);
    started.clock.advance(60_000);
    await client.fillIn(page, { ...settings, url: 'https://other.test/hooks' });
    assert.match(await shown(), /This test was sent before you last saved the settings\./);
    await client.fillIn(page, {}, `${page}/test`);
    assert.doesNotMatch(await shown(), /before you last saved the settings/);
  });

  test('says so where one is under way, and where there is no URL', async (t) => {
    let end: (ending: Ending) => void = () => undefined;
    const webhookSender = { send: () => new Promise<Ending>((resolve) => (end = resolve)) };
    const started = await site(t, { webhookSender });
    const client = await signedIn(started);
    const { form_token = '' } = formFields((await client.open(page)).text);
    const send = () => client.send({ path: `${page}/test`, fields: { form_token } });

    await send();
    assert.match(readableText((await client.open(page)).text), /No test was sent\. Save a URL first/);
    await client.fillIn(page, settings);
    const first = send();
    while (!started.changes.includes('outbox.startTest'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await send()).status, 303);
    const meanwhile = readableText((await client.open(page)).text);
    assert.match(meanwhile, /A test is already running/);
    assert.match(meanwhile, /Sending no answer yet/);
    end(answered(200));
    assert.equal((await first).status, 303);
  });

  test('is sent ten times a minute at most, and a page says when the next one can be', async (t) => {
    const { client, sent } = await withWebhook(t);
    const { form_token = '' } = formFields((await client.open(page)).text);
    const send = () => client.send({ path: `${page}/test`, fields: { form_token } });
    for (let at = 0; at < 10; at += 1) assert.equal((await send()).status, 303);
    const { status, text, headers } = await send();
    assert.deepEqual([status, headers.get('retry-after'), sent.length], [429, '60', 10]);
    assert.match(readableText(text), /At most 10 tests a minute can be sent; try again in 60 s\./);
  });

  test('is not sent by opening its address', async (t) => {
    const { client, sent } = await withWebhook(t);
    assert.deepEqual((await client.open(`${page}/test`)).location, page);
    assert.equal(sent.length, 0);
  });
});

/** Where a test is sent to: a receiver with a fault of its own, or none. */
const faults: Readonly<Record<string, () => Promise<{ readonly url: string; stop?(): Promise<void> }>>> = {
  'connection refused': async () => {
    const { url, stop } = await startTcpListener();
    await stop();
    return { url };
  },
  'answered 503': () => startReceiver({ answer: (_request, response) => response.writeHead(503).end() }),
  'answered 302: redirects are not followed': () =>
    startReceiver({ answer: (_request, response) => response.writeHead(302, { location: '/' }).end() }),
  'no answer within 0.4 s': () => startReceiver({ answer: () => undefined }),
  'certificate not trusted': async () => startReceiver({ certificate: await selfSigned() }),
  'certificate expired': async () => {
    const [notBefore, notAfter] = [new Date('2020-01-01'), new Date('2020-01-02')];
    return startReceiver({ certificate: await (await testAuthority()).issue({ notBefore, notAfter }) });
  },
  'connection reset': () => startTcpListener({ onConnection: (socket) => socket.resetAndDestroy() }),
  'no connection within 1 s': () => startTcpListener(),
  'private address': async () => ({ url: 'https://10.0.0.1' }),
  'the name does not resolve': async () => ({ url: 'https://nowhere.test' }),
};

describe('A test that is sent to a real receiver', () => {
  for (const [reason, start] of Object.entries(faults)) {
    test(`says "${reason}" on the page, with what helps`, async (t) => {
      const receiver = await start();
      t.after(() => receiver.stop?.());
      const { cert } = await testAuthority();
      const webhookSender = gotWebhookSender({
        allowedNetworks: ['127.0.0.0/8'],
        certificateAuthorities: [cert],
        lookup: async () => [],
        limits: { connect: 1000, answer: 400, total: 2000 },
      });
      const started = await site(t, { webhookSender });
      const client = await signedIn(started);
      await client.fillIn(page, { ...settings, url: `${receiver.url}/hooks` });
      const { status } = await client.fillIn(page, {}, `${page}/test`);
      assert.equal(status, 303);
      const { text } = await client.open(page);
      assert.ok(readableText(text).includes(`Failed ${reason} ${adviceOn(reason)} Last test:`), reason);
    });
  }

  test('has advice for whatever the sender can say', () => {
    const phases = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'] as const;
    const codes = ['', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED'];
    const others = ['CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HPE_INVALID', 'ERR_INVALID_CHAR'];
    const said = [...codes, ...others, 'SELF_SIGNED_CERT_IN_CHAIN'].flatMap((code) =>
      phases.map((phase) => reasonOf(Object.assign(new Error('a secret'), { code }), phase)),
    );
    const statuses = [101, 200, 204, 301, 400, 401, 403, 404, 405, 410, 429, 500, 503];
    const beforeAndAfter = [
      'resolves to a private address',
      'the request could not be made',
      'cut off before an outcome was known',
      'held in a restored database: whether it was sent before is not known',
      'the signing secret cannot be read: its key 1a2b3c4d is not configured',
    ];
    const limits = ['no connection', 'no answer', 'not finished'].map((what) => `${what} within 5 s`);
    for (const reason of [...said, ...statuses.map(answeredWith), ...limits, ...beforeAndAfter])
      assert.notEqual(adviceOn(reason), null, reason);
    assert.equal(adviceOn('something new'), null);
  });
});

describe('The log of deliveries', () => {
  test('is searched by time, in the reader’s zone, and by event', async (t) => {
    const { started, client, register } = await withWebhook(t);
    const ids: number[] = [];
    for (const name of ['ada', 'bea', 'cid']) ids.push(await register(name));
    client.setCookie('time_zone', 'Asia/Tokyo');
    const found = async (query: string) => {
      const { status, text } = await client.open(`${page}?${query}`);
      assert.equal(status, 200, query);
      return [...text.matchAll(/deliveries\/(\d+)"/g)].map(([, id]) => ids.indexOf(Number(id)));
    };
    assert.deepEqual(await found('since=2026-11-20T21:01'), [2, 1]);
    assert.deepEqual(await found('until=2026-11-20T21:01'), [0]);
    assert.deepEqual(await found('since=2026-11-20T21:01&until=2026-11-20T21:02&state=delivered'), [1]);
    assert.deepEqual(await found('since=2026-11-20T21:01&state=failed'), []);
    const { deliveries } = await started.core.listDeliveries({ organization: { id: 1 } });
    assert.deepEqual(await found(`event=+${deliveries[1]?.eventId.toUpperCase()}+`), [1]);
    assert.deepEqual(await found('event=nonsense'), []);
    assert.deepEqual(await found('since=&until=&event='), [2, 1, 0]);

    const { text } = await client.open(`${page}?state=delivered&since=2026-11-20T21:01`);
    assert.match(text, /<details class="search" open>/);
    assert.match(text, /name="since"[^>]* value="2026-11-20T21:01"/);
    assert.match(text, /type="hidden" name="state" value="delivered"/);
    assert.ok(
      text.includes('href="/organizations/1/webhooks?state=failed&amp;since=2026-11-20T21%3A01#log"'),
    );
  });

  test('says beside the field what is no moment, and keeps what was typed as text', async (t) => {
    const { client } = await withWebhook(t);
    const { status, text } = await client.open(`${page}?since=%22%3E%3Cb%3E&until=soon&event=%3Cb%3E`);
    assert.equal(status, 422);
    assert.match(text, /id="since-hint">Since must be a date and time, such as 2026-11-20T18:00</);
    assert.match(text, /id="until-hint">Until must be a date and time/);
    assert.doesNotMatch(text, /<b>/);
  });

  test('shows each with its result in words, through every filter', async (t) => {
    const reasons = ['no connection within 5 s', 'certificate not trusted', 'private address'];
    const failures = reasons.map((reason) => ({
      ...answered(500),
      status: null,
      phase: 'connect' as const,
      reason,
    }));
    const { started, client, register } = await withWebhook(t, [...failures, answered(500), answered(200)]);
    for (const name of ['ada', 'bea', 'cid', 'dan', 'eva']) await register(name);
    await client.fillIn(page, {}, `${page}/test`);
    await started.core.registerUser({
      organizationId: 1,
      email: 'f@example.test',
      firstName: 'F',
      lastName: 'P',
    });

    const rows = async (show: string) => {
      const { text } = await client.open(`${page}?state=${show}`);
      const body = /<tbody>(.*)<\/tbody>/s.exec(text)?.[1] ?? '';
      return body
        .split('</tr>')
        .slice(0, -1)
        .map((row) => readableText(`<body>${row}`));
    };
    const people = ['dan 4', 'cid 3', 'bea 2', 'ada 1'].map((person) =>
      person.replace(/ (.)/, ' Person person-$1@example.test'),
    );
    const results = ['answered 500', ...reasons.toReversed()];
    const failed = results.map(
      (reason, index) => `20 Nov 2026, 12:0${3 - index} user.registered ${people[index]} Failed ${reason} 1`,
    );
    const eva = 'eva Person person-5@example.test';
    const delivered = `20 Nov 2026, 12:04 user.registered ${eva} Delivered answered 200 1`;
    const nobody = 'Webhook Test webhook-test@example.invalid';
    const tested = `20 Nov 2026, 12:05 user.registered Test ${nobody} Delivered answered 200 1`;
    const pending = '20 Nov 2026, 12:05 user.registered F P f@example.test Pending not sent yet 0';
    assert.deepEqual(await rows('failed'), failed);
    assert.deepEqual(await rows('delivered'), [tested, delivered]);
    assert.deepEqual(await rows('pending'), [pending]);
    assert.deepEqual(await rows('tests'), [tested]);
    assert.deepEqual(await rows('skipped'), []);
    assert.deepEqual(await rows('held'), []);
    for (const other of ['all', 'nonsense', '"><b>'])
      assert.deepEqual(await rows(encodeURIComponent(other)), [pending, tested, delivered, ...failed]);

    await started.storage.outbox.hold();
    const why = 'our database was restored from a backup, so this may already have been sent';
    assert.deepEqual(await rows('held'), [pending.replace('Pending not sent yet', `Held ${why}`)]);
    assert.deepEqual([await rows('pending'), await rows('failed')], [[], failed]);
    const [held] = (await started.core.listDeliveries({ organization: null, state: 'held' })).deliveries;
    const path = `${page}/deliveries/${held?.id}`;
    const shown = readableText((await client.open(path)).text);
    assert.ok(
      shown.includes(`Held Result ${why} Resend it if your endpoint has not received this event ID.`),
      shown,
    );
    assert.equal((await client.fillIn(path, {})).status, 303);
    assert.deepEqual([(await rows('pending')).length, await rows('held')], [1, []]);
    await started.storage.outbox.hold();
    assert.equal(await started.core.dropHeld({ organization: { id: 1 } }), 1);
    assert.deepEqual(await rows('skipped'), [
      pending.replace('Pending not sent yet', 'Skipped dropped while it was held'),
    ]);
  });

  test('says whom each event tells of, as text and shortened', async (t) => {
    const { client, register } = await withWebhook(t);
    await register('<b>Bea</b>');
    await register('👩🏽‍🚀'.repeat(35) + 'W'.repeat(50));
    const { text } = await client.open(page);
    const subjects = [...text.matchAll(/<bdi class="subject">([^<]*)</g)].map(([, subject]) => subject);
    assert.deepEqual(subjects, [
      `${'👩🏽‍🚀'.repeat(35)}${'W'.repeat(25)}…`,
      'person-2@example.test',
      '&lt;b>Bea&lt;/b> Person',
      'person-1@example.test',
    ]);
  });

  test('says nothing of whom an event tells where its body has another shape', () => {
    for (const body of [
      '',
      'null',
      '1',
      '[]',
      '{"user":7}',
      '{"user":{"email":1}}',
      '{"user":{"first_name":" "}}',
    ])
      assert.deepEqual(subjectOf({ body }), [], body);
    assert.deepEqual(subjectOf({ body: '{"user":{"email":"a@b.test"}}' }), ['a@b.test']);
  });

  test('is shown a page at a time, and what comes meanwhile moves nothing', async (t) => {
    const { client, register } = await withWebhook(t);
    for (let number = 1; number <= 21; number += 1) await register(`p${number}`);
    const idsOn = (text: string) => [...text.matchAll(/deliveries\/(\d+)"/g)].map(([, id]) => Number(id));
    const first = await client.open(`${page}?state=delivered`);
    const older = /href="([^"]*older=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    await register('late');
    const second = await client.open(older.replace('#log', ''));
    const [last = 0, ...others] = idsOn(second.text);
    assert.deepEqual([idsOn(first.text).length, others], [20, []]);
    assert.ok(last > 0 && last < Math.min(...idsOn(first.text)));
    assert.match(second.text, /href="\/organizations\/1\/webhooks\?state=delivered#log">Newest/);
    assert.doesNotMatch(second.text, /older=/);
    for (const older of ['nonsense', '', '1-2&older=3'])
      assert.equal((await client.open(`${page}?older=${older}`)).status, 200);
  });
});

describe('The banner of a failing webhook', () => {
  test('comes with the first failure, says that the webhook is still enabled, and goes with a success', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(503), answered(200)]);
    assert.doesNotMatch(readableText((await client.open(page)).text), /The webhook is still enabled/);
    await register('ada');
    assert.match(
      readableText((await client.open(page)).text),
      /The last delivery failed, since 20 Nov 2026, 12:00/,
    );
    await register('bea');
    assert.match(readableText((await client.open(page)).text), /The last 2 deliveries failed/);
    assert.equal((await started.core.readWebhook({ organization: { id: 1 } }))?.enabled, true);
    await register('cid');
    assert.doesNotMatch(readableText((await client.open(page)).text), /The webhook is still enabled/);
  });
});

describe('The page of a delivery', () => {
  test('shows the request, the body for reading and exactly, and every attempt', async (t) => {
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
    assert.match(text, /1 20 Nov 2026, 12:00 answered 500 500 waiting for the response 1\.5 s/);

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

  test('shows names full of markup as text', async (t) => {
    const { client, register } = await withWebhook(t);
    const id = await register('<script>alert(1)</script>');
    const { text } = await client.open(`${page}/deliveries/${id}`);
    assert.doesNotMatch(text, /<script>alert/);
    assert.ok(readableText(text).includes('<script>alert(1)</script>'));
  });

  test('says that it would be skipped while the webhook is off', async (t) => {
    const { started, client, register } = await withWebhook(t);
    const id = await register('ada');
    const change = { organization: { id: 1 }, how: 'change', webhook: { enabled: false } } as const;
    await started.core.configureWebhook(change);
    assert.match(
      readableText((await client.open(`${page}/deliveries/${id}`)).text),
      /Enable it first, or this will be skipped/,
    );
  });

  test('is there for its own organization only, under its number as it is written', async (t) => {
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

describe('Sending again all that failed since a time', () => {
  test('asks with the count, in the reader’s zone, and sends those alone', async (t) => {
    const { started, client, register, sent } = await withWebhook(t, [
      ...Array.from({ length: 4 }, () => answered(500)),
      answered(200),
    ]);
    for (const name of ['ada', 'bea', 'cid']) await register(name);
    await client.fillIn(page, {}, `${page}/test`);
    client.setCookie('time_zone', 'Asia/Tokyo');
    const asked = await client.open(`${page}/redeliver`);
    assert.match(asked.text, /type="datetime-local"/);
    assert.equal(formFields(asked.text).since, '2026-11-20T21:00');
    assert.match(readableText(asked.text), /event to resend, in Asia\/Tokyo/);

    const question = await client.open(`${page}/redeliver?since=2026-11-20T21:01`);
    assert.match(
      readableText(question.text),
      /Resend 2 events\?.*after 20 Nov 2026, 21:01 \( ?Asia\/Tokyo\)/,
    );
    assert.equal(sent.length, 4);
    const answer = await client.send({ path: `${page}/redeliver`, fields: formFields(question.text) });
    assert.deepEqual([answer.status, answer.location], [303, page]);
    await started.deliver();
    assert.deepEqual(
      sent.slice(4).map(({ body }) => JSON.parse(body).user.first_name),
      ['bea', 'cid'],
    );
    assert.match(readableText((await client.open(page)).text), /Resending the failed deliveries…/);
  });

  test('begins with the oldest failure where the last was none, and warns while the webhook is off', async (t) => {
    const { started, client, register } = await withWebhook(t, [answered(500), answered(200), answered(200)]);
    for (const name of ['ada', 'bea']) await register(name);
    assert.equal(formFields((await client.open(`${page}/redeliver`)).text).since, '2026-11-20T12:00');
    const question = () => client.open(`${page}/redeliver?since=2026-11-20T12:00`);
    assert.doesNotMatch(readableText((await question()).text), /is disabled/);
    const change = { organization: { id: 1 }, how: 'change', webhook: { enabled: false } } as const;
    await started.core.configureWebhook(change);
    assert.match(
      readableText((await question()).text),
      /Resend 1 event\? It failed .*all of them will be skipped/,
    );
  });

  test('says where nothing has failed, and what is no moment', async (t) => {
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

test('The webhook’s pages are for owners and admins of the organization: for others there is nothing', async (t) => {
  const { started, register } = await withWebhook(t);
  const delivery = `/deliveries/${await register('ada')}`;
  const paths = ['', '/secret', '/test', '/redeliver', delivery].map((path) => `${page}${path}`);
  for (const id of [102, 103]) {
    const client = await signedIn(started, id);
    const { text: unknown } = await client.open('/organizations/9/webhooks');
    const { form_token = '' } = formFields((await client.open('/account')).text);
    const before = [...started.changes];
    for (const path of paths) {
      const opened = await client.open(path);
      assert.deepEqual([opened.status, opened.text], [404, unknown], path);
      const sent = await client.send({ path, fields: { form_token, ...settings } });
      assert.ok([403, 404].includes(sent.status), path);
    }
    const touched = started.changes.slice(before.length).filter((change) => !change.startsWith('sessions.'));
    assert.deepEqual(touched, []);
  }
  const stranger = started.visitor();
  const asked = await stranger.open(`${page}${delivery}`);
  assert.equal(asked.location, `/sign-in?next=${encodeURIComponent(`${page}${delivery}`)}`);
  const linked = started.visitor();
  const link = await started.linkFor({ organizationId: 1, uuid: testUuid(101) });
  await linked.fillIn(link, {});
  for (const path of paths) assert.equal((await linked.open(path)).status, 403, path);
  const owner = await signedIn(started, 100);
  for (const path of paths) assert.notEqual((await owner.open(path)).status, 404, path);
});

test('No address of the webhook’s pages changes anything by being opened', async (t) => {
  const { started, client, register } = await withWebhook(t, [answered(500)]);
  const delivery = `/deliveries/${await register('ada')}`;
  const before = [...started.changes];
  for (const path of ['', '/secret', '/test', '/redeliver', '/redeliver?since=2020-01-01T00:00', delivery])
    for (const method of ['GET', 'HEAD']) await client.open(`${page}${path}`, { method });
  assert.deepEqual(
    started.changes.slice(before.length).filter((change) => !change.startsWith('sessions.')),
    [],
  );
});
