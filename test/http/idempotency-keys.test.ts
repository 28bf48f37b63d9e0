import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import type { Reply } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { holdNext, type TestOrganization } from '../support/http/service.js';
import { webhookAt } from '../support/webhook-at.js';

const webhook = webhookAt('https://hooks.northwind.test/rollcall');
const rotation = { webhook, regenerate_secret: '1' };
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** A call that takes a key. */
interface Call {
  readonly method: 'post' | 'patch';
  readonly path: string;
  readonly body: unknown;
  /** Another request of the same operation. */
  readonly other: readonly [path: string, body: unknown];
  readonly status: number;
  /** What the activity has of its effects. */
  readonly action: string;
  /** Holds it while it runs. */
  hold(): ReturnType<typeof holdNext>;
}

apiSuite((service) => {
  const configured = async (): Promise<TestOrganization> => {
    const organization = await service().organization();
    await organization.post('/webhook', { webhook });
    return organization;
  };
  const effects = async (organization: TestOrganization, of: string): Promise<number> => {
    const { items } = await service().core.listActivity({ organization });
    return items.filter(({ action }) => action === of).length;
  };
  const rotations = (organization: TestOrganization) => effects(organization, 'signing-secret-rotated');

  /** Two deliveries of the organization that have failed. */
  const failures = async (organization: TestOrganization): Promise<readonly number[]> => {
    const reason = 'answered 500';
    const attempt = { duration: 1, outcome: 'failed', phase: 'answer', status: 500, reason } as const;
    const restore = service().replace('webhookSender', {
      send: async ({ url, headers }) => ({ ...attempt, request: { url, headers }, response: null }),
    });
    for (const email of ['one@example.test', 'two@example.test'])
      await service().core.registerUser({
        ...{ organizationId: organization.id, email: `${organization.id}-${email}` },
        ...{ firstName: 'Dana', lastName: 'Kim' },
      });
    await Promise.all(await service().core.deliverWebhooks({ limit: 10 }));
    restore();
    const { json } = await organization.get('/webhook/deliveries?state=failed');
    return json.deliveries.map(({ id }: { readonly id: number }) => id);
  };
  const rotating = (method: Call['method']): Call => ({
    ...{ method, path: '/webhook', body: rotation, status: 200, action: 'signing-secret-rotated' },
    other: ['/webhook', { webhook: { ...webhook, enabled: false }, regenerate_secret: '1' }],
    hold: () => holdNext(service().ports.webhooks, 'configure'),
  });
  let lists = 0;
  /** 20 new people and a wrong one. */
  const people = () => {
    lists += 1;
    const emails = Array.from({ length: 20 }, (_, index) => `list-${lists}-${index}@example.test`);
    return {
      users: [...emails, 'nobody'].map((email) => ({ email, first_name: 'Dana', last_name: 'Kim' })),
    };
  };

  const calls: Readonly<Record<string, (organization: TestOrganization) => Promise<Call>>> = {
    'POST webhook': async () => rotating('post'),
    'PATCH webhook': async () => rotating('patch'),
    async redeliver(organization) {
      const [one, two] = await failures(organization);
      return {
        ...{ method: 'post', path: `/webhook/deliveries/${one}/redeliver`, body: undefined },
        other: [`/webhook/deliveries/${two}/redeliver`, undefined],
        ...{ status: 202, action: 'delivery-redelivered' },
        hold: () => holdNext(service().ports.deliveries, 'redeliver'),
      };
    },
    async redeliver_failed(organization) {
      await failures(organization);
      const path = '/webhook/redeliver_failed';
      return {
        ...{ method: 'post', path, body: { since: '2020-01-01T00:00:00Z' } },
        other: [path, { since: '2030-01-01T00:00:00Z' }],
        ...{ status: 202, action: 'deliveries-redelivered' },
        hold: () => holdNext(service().ports.deliveries, 'redeliverMatching'),
      };
    },
    invite_users: async () => ({
      ...{ method: 'post', path: '/invite_users', body: people(), other: ['/invite_users', people()] },
      ...{ status: 200, action: 'user-invited' },
      hold: () => holdNext(service().ports.invitations, 'findOrCreatePending'),
    }),
  };

  for (const [name, callOf] of Object.entries(calls))
    describe(`Idempotency-Key with ${name}`, () => {
      test('the same request gets the same answer, with one effect, and another is refused with 422', async () => {
        const organization = await configured();
        const { method, path, body, other, status, action } = await callOf(organization);
        const first = await organization[method](path, body, withKey('k'));
        assert.equal(first.status, status, first.text);
        const done = await effects(organization, action);
        assert.ok(done > 0);
        for (let count = 0; count < 3; count += 1) {
          const again = await organization[method](path, body, withKey('k'));
          assert.deepEqual([again.status, again.text], [status, first.text]);
          assert.equal(again.headers['content-length'], first.headers['content-length']);
        }
        const { json, headers, ...refused } = await organization[method](...other, withKey('k'));
        assert.deepEqual(
          [refused.status, headers['x-error-code'], json],
          [422, 'idempotency-key-reused', { error: 'This Idempotency-Key was used for another request' }],
        );
        assert.equal(await effects(organization, action), done);
        assert.equal((await organization.get('/webhook')).json.webhook.enabled, true);
      });

      test('a second request while the first one runs is told to wait', async (t) => {
        const organization = await configured();
        const { method, path, body, status, hold } = await callOf(organization);
        const { held, release } = hold();
        t.after(release);
        const first = organization[method](path, body, withKey('k'));
        await held();
        const second = await organization[method](path, body, withKey('k'));
        const { 'x-error-code': code, 'retry-after': seconds } = second.headers;
        assert.deepEqual(
          [second.status, code, seconds, second.json],
          [
            ...[409, 'idempotency-key-in-use', '1'],
            { error: 'The first request with this Idempotency-Key is still running' },
          ],
        );
        release();
        const { text, ...answered } = await first;
        assert.equal(answered.status, status);
        assert.equal((await organization[method](path, body, withKey('k'))).text, text);
      });
    });

  for (const method of ['post', 'patch'] as const)
    describe(`Idempotency-Key with ${method.toUpperCase()} webhook`, () => {
      test('another key rotates again', async () => {
        const organization = await configured();
        const [one, other] = [
          await organization[method]('/webhook', rotation, withKey('k')),
          await organization[method]('/webhook', rotation, withKey('l')),
        ];
        assert.match(one.json.webhook.secret, /^whsec_.{44}$/);
        assert.notEqual(other.json.webhook.secret, one.json.webhook.secret);
        assert.equal(await rotations(organization), 2);
      });

      test('a field that is invalid makes it another body', async () => {
        const organization = await configured();
        const { events, ...withoutEvents } = webhook;
        const first = { webhook: method === 'patch' ? withoutEvents : webhook, regenerate_secret: '1' };
        await organization[method]('/webhook', first, withKey('k'));
        for (const other of [
          { ...first, webhook: { ...first.webhook, events: 'all' } },
          { ...first, overlap_hours: 'many' },
        ]) {
          const { status, headers } = await organization[method]('/webhook', other, withKey('k'));
          assert.deepEqual([status, headers['x-error-code']], [422, 'idempotency-key-reused']);
        }
        assert.equal(await rotations(organization), 1);
      });

      test('without regenerate_secret the key is ignored', async () => {
        const organization = await configured();
        for (const enabled of [false, true]) {
          const body = { webhook: { ...webhook, enabled }, regenerate_secret: '0' };
          const { json } = await organization[method]('/webhook', body, withKey('k'));
          assert.equal(json.webhook.enabled, enabled);
        }
      });
    });

  describe('Idempotency-Key', () => {
    test('must be 1 to 255 printable ASCII characters', async () => {
      const organization = await configured();
      for (const [key, method, path] of [
        ['', 'post', '/webhook'],
        ['', 'post', '/invite_users'],
        ['k'.repeat(256), 'patch', '/webhook'],
        ['ü', 'post', '/webhook'],
        ['a\tb', 'patch', '/webhook'],
      ] as const) {
        const body = path === '/webhook' ? rotation : people();
        const { status, json, headers } = await organization[method](path, body, withKey(key));
        assert.deepEqual([status, headers['x-error-code']], [400, 'invalid-request']);
        assert.deepEqual(json, { error: 'Idempotency-Key must be 1 to 255 printable ASCII characters' });
      }
      for (const key of ['k', '~'.repeat(255), '"quoted, with spaces"']) {
        const { status } = await organization.post('/webhook', rotation, withKey(key));
        assert.equal(status, 200);
      }
    });

    test('the next request gets the answer of one whose client has left', async () => {
      const organization = await configured();
      const { id, token } = organization;
      const body = JSON.stringify(rotation);
      const { held, release } = rotating('post').hold();
      const socket = connect(service().client.port, '127.0.0.1');
      const head = [
        `POST /api/v2/organizations/${id}/webhook HTTP/1.1`,
        'Host: 127.0.0.1',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Idempotency-Key: k',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
      await held();
      socket.destroy();
      await once(socket, 'close');
      release();
      const replies: Reply[] = [];
      do replies.push(await organization.post('/webhook', rotation, withKey('k')));
      while (replies.at(-1)?.status === 409);
      assert.equal(replies.at(-1)?.status, 200);
      assert.equal(await rotations(organization), 1);
    });
  });
});

testSeenAnswers('idempotency-keys');
