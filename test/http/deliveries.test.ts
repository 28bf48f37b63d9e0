import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SentAttempt, WebhookRequest } from '@rollcall/core';
import { eventName } from '#core/testing/subscribe.js';
import { apiSuite } from '../support/http/api-suite.js';
import type { Json, Reply } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { holdNext, type TestOrganization } from '../support/http/service.js';
import { webhookAt } from '../support/webhook-at.js';

const webhook = webhookAt('https://hooks.northwind.test/rollcall');
const now = '2026-11-20T12:00:00.000Z';

const response = {
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Trace': 'a, b' },
  body: 'The database is away.\u0000 é 🌍',
  isTruncated: true,
};

/** The result of an attempt with this status; null: nothing answers. */
function sentWith(status: number | null, { url, headers }: WebhookRequest): SentAttempt {
  const request = { url, headers: { ...headers, Host: new URL(url).host } };
  if (status === null) {
    const reason = 'connection refused';
    return { duration: 3, outcome: 'failed', phase: 'connect', status, reason, request, response: null };
  }
  const outcome = status < 300 ? 'delivered' : 'failed';
  return { duration: 12, outcome, phase: 'answer', status, reason: `answered ${status}`, request, response };
}

apiSuite((service) => {
  /** An organization with a webhook whose endpoint gives these answers in turn, and then 200. */
  const withWebhook = async (...statuses: readonly (number | null)[]): Promise<TestOrganization> => {
    const left = [...statuses];
    service().replace('webhookSender', {
      send: async (request) => sentWith(left.length > 0 ? (left.shift() as number | null) : 200, request),
    });
    const organization = await service().organization();
    assert.equal((await organization.post('/webhook', { webhook })).status, 200);
    return organization;
  };
  let people = 0;
  const register = async ({ id }: TestOrganization): Promise<void> => {
    people += 1;
    const email = `delivered-${people}@example.test`;
    await service().core.registerUser({ organizationId: id, email, firstName: 'Zoë', lastName: 'Ōno' });
  };
  const deliver = async (): Promise<void> => {
    await Promise.all(await service().core.deliverWebhooks({ limit: 10 }));
  };
  /** Registers people one after another, a minute apart, and delivers each event. */
  const delivered = async (organization: TestOrganization, count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) {
      await register(organization);
      await deliver();
      service().clock.advance(60_000);
    }
  };
  const list = async ({ get }: TestOrganization, query = ''): Promise<readonly Json[]> => {
    const { status, json, text } = await get(`/webhook/deliveries${query}`);
    assert.equal(status, 200, text);
    return json.deliveries;
  };
  const read = async ({ get }: TestOrganization, id: number): Promise<Json> =>
    (await get(`/webhook/deliveries/${id}`)).json.delivery;
  const refusal = ({ status, headers, json }: Reply) => [status, headers['x-error-code'], json.error];
  const audited = async (organization: TestOrganization): Promise<Json> => {
    const { items } = await service().core.listActivity({ organization });
    const [{ action, subject, actor }] = items as Json;
    return { action, subject, actor };
  };
  const caller = { who: { kind: 'access-key' }, from: '127.0.0.1' };

  describe('GET /organizations/:organization_id/webhook/deliveries', () => {
    test('without deliveries, the list is empty', async () => {
      const { get } = await service().organization();
      const { status, json } = await get('/webhook/deliveries');
      assert.deepEqual([status, json], [200, { success: true, deliveries: [], next: null }]);
    });

    test('lists each event with the result of its last attempt, newest first', async () => {
      const organization = await withWebhook(500, null);
      await delivered(organization, 3);
      await register(organization);
      const listed = await list(organization);
      assert.deepEqual(
        listed.map((one) => [one.state, one.attempt_count, one.last_attempt?.result ?? null]),
        [
          ['pending', 0, null],
          ['delivered', 1, 'answered 200'],
          ['failed', 1, 'connection refused'],
          ['failed', 1, 'answered 500'],
        ],
      );
      const { id, event_id } = listed[3];
      assert.deepEqual(listed[3], {
        id,
        event_id,
        event: eventName,
        state: 'failed',
        is_test: false,
        created_at: now,
        attempt_count: 1,
        last_attempt: {
          number: 1,
          started_at: now,
          duration_ms: 12,
          phase: 'answer',
          status: 500,
          result: 'answered 500',
        },
      });
    });

    test('each page continues after the last one, with a Link, and new deliveries do not shift it', async () => {
      const organization = await withWebhook();
      await delivered(organization, 5);
      const all = (await list(organization)).map(({ id }) => id);
      const seen: number[] = [];
      let path: string | null = '/webhook/deliveries?limit=2';
      while (path !== null) {
        const { json, headers } = await organization.get(path);
        seen.push(...json.deliveries.map(({ id }: Json) => id));
        const next =
          /<[^>]*\/organizations\/\d+(\/[^>]*)>; rel="next"/.exec(String(headers.link))?.[1] ?? null;
        assert.equal(next === null, json.next === null);
        path = json.next === null ? null : `/webhook/deliveries?limit=2&after=${json.next}`;
        if (path !== null) assert.equal(next, path);
        await register(organization);
      }
      assert.deepEqual(seen, all);
      await deliver();
      const others = await service().organization();
      const { json } = await organization.get('/webhook/deliveries?limit=2');
      assert.deepEqual(await list(others, `?after=${json.next}`), []);
    });

    test('state, event_id, since and until select deliveries', async () => {
      const organization = await withWebhook(500);
      await delivered(organization, 2);
      await organization.patch('/webhook', { webhook: { enabled: true } });
      await register(organization);
      const [pending, good, bad] = await list(organization);
      const idsOf = async (query: string) => (await list(organization, query)).map(({ id }) => id);
      assert.deepEqual(await idsOf('?state=failed'), [bad.id]);
      assert.deepEqual(await idsOf('?state=delivered'), [good.id]);
      assert.deepEqual(await idsOf('?state=pending'), [pending.id]);
      assert.deepEqual(await idsOf('?state=skipped'), []);
      assert.deepEqual(await idsOf('?state=sending'), []);
      assert.deepEqual(await idsOf(`?event_id=${bad.event_id.toUpperCase()}`), [bad.id]);
      assert.deepEqual(await idsOf('?event_id=0f8fad5b-d9cb-469f-a165-70867728950e'), []);
      assert.deepEqual(await idsOf(`?since=${good.created_at}`), [pending.id, good.id]);
      assert.deepEqual(await idsOf(`?until=${good.created_at}`), [bad.id]);
      assert.deepEqual(await idsOf('?until=2026-11-20T13:01%2B01:00'), [bad.id]);
      assert.deepEqual(await idsOf('?since=2026-11-20T12:00Z&until=2026-11-20T12:00:00.001Z'), [bad.id]);
    });

    test('a held delivery is shown as pending, in the order of all pending ones, until it is resent', async () => {
      const organization = await withWebhook();
      for (let number = 0; number < 2; number += 1) {
        await register(organization);
        service().clock.advance(60_000);
      }
      await service().ports.outbox.hold();
      await register(organization);
      const [newest, held, oldest] = await list(organization);
      assert.equal(held.state, 'pending');
      const pending = (query: string) => list(organization, `?state=pending${query}`);
      assert.deepEqual(await pending(''), [newest, held, oldest]);
      const { json } = await organization.get('/webhook/deliveries?state=pending&limit=2');
      assert.deepEqual(json.deliveries, [newest, held]);
      assert.deepEqual(await pending(`&after=${json.next}`), [oldest]);
      assert.deepEqual(await list(organization, '?state=failed'), []);
      await deliver();
      assert.equal((await read(organization, held.id)).state, 'pending');
      assert.equal((await organization.post(`/webhook/deliveries/${held.id}/redeliver`)).status, 202);
      await deliver();
      assert.equal((await read(organization, held.id)).state, 'delivered');
    });

    test('400 that names the parameter: an unknown one, and every value that is not allowed', async () => {
      const { get } = await service().organization();
      const time = 'must be a time with its offset from UTC, such as 2026-11-20T18:00:00Z';
      const names = 'state, event_id, since, until, limit, after';
      for (const [query, error] of [
        ['state=held', 'state must be one of pending, sending, delivered, failed, skipped'],
        ['event_id=1', 'event_id must be a UUID'],
        ['since=yesterday', `since ${time}`],
        ['until=2026-11-20T18:00:00', `until ${time}`],
        ['since=2026-11-20T18:00:00+01:00', `since ${time}. In a URL, write + as %2B`],
        ['after=WyJ1c2VycyIsMV0', 'after must be the `next` of an earlier answer'],
        ['page=2', `page is not a parameter of this operation, which has only ${names}`],
      ] as const)
        assert.deepEqual(refusal(await get(`/webhook/deliveries?${query}`)), [400, 'invalid-request', error]);
    });
  });

  describe('GET /organizations/:organization_id/webhook/deliveries/:delivery_id', () => {
    test('shows each request as it was sent, and each response', async () => {
      const organization = await withWebhook(500, null);
      await delivered(organization, 1);
      const [{ id, event_id }] = await list(organization);
      await organization.patch('/webhook', { webhook: { ...webhook, url: 'https://new.test/' } });
      await organization.post(`/webhook/deliveries/${id}/redeliver`);
      await deliver();
      const delivery = await read(organization, id);
      const { attempts, ...listed } = delivery;
      assert.deepEqual([listed], await list(organization));
      const [first, second] = attempts;
      const { 'X-Acme-Care-Signature': signature, ...headers } = first.request.headers;
      assert.match(signature ?? first.request.headers['X-Service-Signature'] ?? '', /^sha256=[0-9a-f]{64}$/);
      assert.ok(Object.values(headers).includes(event_id));
      assert.deepEqual(
        { ...first, request: { url: first.request.url, host: headers.Host } },
        {
          number: 1,
          started_at: now,
          duration_ms: 12,
          phase: 'answer',
          status: 500,
          result: 'answered 500',
          request: { url: webhook.url, host: 'hooks.northwind.test' },
          response: {
            status: 500,
            headers: response.headers,
            body: response.body,
            is_truncated: true,
          },
        },
      );
      assert.equal(JSON.parse(first.request.body).event_id, event_id);
      assert.deepEqual(
        [second.number, second.phase, second.request.url, second.request.body, second.response],
        [2, 'connect', 'https://new.test/', first.request.body, null],
      );
      assert.deepEqual(delivery.last_attempt, {
        number: 2,
        started_at: '2026-11-20T12:01:00.000Z',
        duration_ms: 3,
        phase: 'connect',
        status: null,
        result: 'connection refused',
      });
    });

    test('an interrupted attempt has neither request nor response', async () => {
      const organization = await withWebhook();
      await register(organization);
      const { outbox } = service().ports;
      await outbox.claim({ limit: 10, perOrganization: 10, claim: 'lost', at: new Date(now) });
      await outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at: new Date(now) });
      const [{ id }] = await list(organization);
      const { attempts } = await read(organization, id);
      const { started_at, ...attempt } = attempts[0];
      assert.deepEqual(attempt, {
        number: 1,
        duration_ms: null,
        phase: null,
        status: null,
        result: 'cut off before an outcome was known',
        request: null,
        response: null,
      });
      await deliver();
    });

    test('404 for an unknown, a malformed and a foreign id', async () => {
      const organization = await withWebhook();
      await register(organization);
      const other = await service().organization();
      const [{ id }] = await list(organization);
      for (const path of [`/webhook/deliveries/${id}`, '/webhook/deliveries/0', '/webhook/deliveries/x']) {
        const which = path.endsWith(`/${id}`) ? `delivery ${id}` : 'such delivery';
        const expected = [404, 'delivery-not-found', `There is no ${which}`];
        assert.deepEqual(refusal(await other.get(path)), expected);
        assert.deepEqual(refusal(await other.post(`${path}/redeliver`)), expected);
      }
      for (const unknown of [
        await other.get('/webhook/deliveries/12'),
        await other.post('/webhook/deliveries/12/redeliver'),
      ])
        assert.deepEqual(refusal(unknown), [404, 'delivery-not-found', 'There is no delivery 12']);
      for (const spelling of [`0${id}`, `+${id}`, `${id}.0`, `${id}e0`, '9007199254740993', `%20${id}`])
        assert.equal((await organization.get(`/webhook/deliveries/${spelling}`)).status, 404);
      assert.equal((await read(organization, id)).state, 'pending');
      await deliver();
    });
  });

  test('400 for a parameter, which the operation does not have', async () => {
    const { get, post } = await withWebhook();
    const expected = [400, 'invalid-request', 'page is not a parameter of this operation, which has none'];
    assert.deepEqual(refusal(await get('/webhook/deliveries/1?page=1')), expected);
    assert.deepEqual(refusal(await post('/webhook/deliveries/1/redeliver?page=1')), expected);
    assert.deepEqual(refusal(await post('/webhook/test?page=1')), expected);
  });

  describe('POST /organizations/:organization_id/webhook/deliveries/:delivery_id/redeliver', () => {
    test('410 once the person is erased; the log keeps the delivery without the person', async () => {
      const organization = await withWebhook(500);
      await delivered(organization, 1);
      const [{ id }] = await list(organization);
      const before = await read(organization, id);
      await service().core.eraseUser({ email: `delivered-${people}@example.test` });
      const erased = [{ ...before.attempts[0], request: null, response: null }];
      assert.deepEqual(await read(organization, id), { ...before, attempts: erased });
      assert.deepEqual(refusal(await organization.post(`/webhook/deliveries/${id}/redeliver`)), [
        ...[410, 'delivery-erased', 'The person was erased, so this event cannot be sent again'],
      ]);
      const { json } = await organization.post('/webhook/redeliver_failed', { since: now });
      assert.equal(json.count, 0);
    });

    test('202: the same event is sent again, and the call is audited', async () => {
      const organization = await withWebhook(500);
      await delivered(organization, 1);
      const [{ id, event_id }] = await list(organization);
      const before = await read(organization, id);
      const reply = await organization.post(`/webhook/deliveries/${id}/redeliver`);
      assert.equal(reply.status, 202);
      const { attempts: _attempts, ...listed } = before;
      assert.deepEqual(reply.json, { success: true, delivery: { ...listed, state: 'pending' } });
      assert.deepEqual(await audited(organization), {
        action: 'delivery-redelivered',
        subject: event_id,
        actor: caller,
      });
      await deliver();
      const { state, attempts } = await read(organization, id);
      assert.deepEqual([state, attempts.length], ['delivered', 2]);
      assert.equal(attempts[1].request.body, attempts[0].request.body);
    });
  });

  describe('POST /organizations/:organization_id/webhook/redeliver_failed', () => {
    test('202: resends what has failed since the time, without tests, and is audited', async () => {
      const organization = await withWebhook(500, 500, 200, 500, 500);
      await delivered(organization, 4);
      await organization.post('/webhook/test');
      const since = '2026-11-20T12:01:00.000Z';
      const { status, json } = await organization.post('/webhook/redeliver_failed', { since });
      assert.deepEqual([status, json], [202, { success: true, count: 2 }]);
      assert.deepEqual(
        (await list(organization)).map(({ state }) => state),
        ['failed', 'pending', 'delivered', 'pending', 'failed'],
      );
      assert.deepEqual(await audited(organization), {
        action: 'deliveries-redelivered',
        subject: '2',
        actor: caller,
      });
      const later = { since: '2026-11-21T12:00:00+01:00' };
      const none = await organization.post('/webhook/redeliver_failed', later);
      assert.deepEqual([none.status, none.json], [202, { success: true, count: 0 }]);
      await deliver();
    });

    test('400 that names what is wrong: no time, a malformed one, another field, and an unknown parameter', async () => {
      const { post } = await service().organization();
      const refused = async (body: unknown, query = '') =>
        refusal(await post(`/webhook/redeliver_failed${query}`, body));
      const invalid = (text: string) => [400, 'invalid-request', text];
      const time = 'since must be a time with its offset from UTC, such as 2026-11-20T18:00:00Z';
      assert.deepEqual(await refused({}), invalid('since is required'));
      assert.deepEqual(await refused({ since: null }), invalid('since must be a string'));
      assert.deepEqual(await refused({ since: '2026-11-20' }), invalid(time));
      assert.deepEqual(
        await refused({ since: now, until: now }),
        invalid('until is not a field of this request, which has only since'),
      );
      assert.deepEqual(
        await refused({ since: now }, '?since=1'),
        invalid('since is not a parameter of this operation, which has none'),
      );
    });
  });

  describe('POST /organizations/:organization_id/webhook/test', () => {
    test('200 when the attempt has ended, whatever its result, and it is audited', async () => {
      const organization = await withWebhook(200, 500, null);
      const expected = [
        ['delivered', 'answered 200'],
        ['failed', 'answered 500'],
        ['failed', 'connection refused'],
      ];
      for (const [state, result] of expected) {
        const { status, json } = await organization.post('/webhook/test');
        const { delivery } = json;
        assert.deepEqual(
          [status, delivery.state, delivery.is_test, delivery.attempts.length, delivery.last_attempt.result],
          [200, state, true, 1, result],
        );
        const { request } = delivery.attempts[0];
        assert.equal(request.url, webhook.url);
        assert.equal(Object.entries(request.headers).find(([name]) => name.endsWith('-Test'))?.[1], 'true');
        assert.deepEqual(await read(organization, delivery.id), delivery);
        const { action, subject, actor } = await audited(organization);
        assert.deepEqual([action, subject, actor], ['webhook-tested', delivery.event_id, caller]);
      }
    });

    test('422 without a URL', async () => {
      const { post } = await service().organization();
      const { status, headers, json } = await post('/webhook/test');
      assert.deepEqual([status, headers['x-error-code']], [422, 'invalid-webhook']);
      assert.deepEqual(json, {
        success: false,
        errors: ['webhook.url is required before a test can be sent'],
      });
    });

    test('409 while another test is under way', async () => {
      const organization = await withWebhook();
      const { held, release } = holdNext(service().ports.webhookSender, 'send');
      const first = organization.post('/webhook/test');
      await held();
      assert.deepEqual(refusal(await organization.post('/webhook/test')), [
        409,
        'webhook-test-under-way',
        'A test of this webhook is under way already',
      ]);
      release();
      assert.equal((await first).status, 200);
    });

    test('429 after ten tests in a minute', async () => {
      const organization = await withWebhook();
      for (let number = 0; number < 10; number += 1)
        assert.equal((await organization.post('/webhook/test')).status, 200);
      const { status, headers } = await organization.post('/webhook/test');
      assert.deepEqual([status, headers['x-error-code']], [429, 'too-many-requests']);
      assert.ok(Number(headers['retry-after']) >= 1);
    });
  });
});

testSeenAnswers('deliveries');
