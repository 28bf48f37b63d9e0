import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { Ports } from '@rollcall/core';
import { apiSuite } from '../support/http/api-suite.js';
import type { Reply } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';
import { webhookAt } from '../support/webhook-at.js';

const webhook = webhookAt('https://hooks.northwind.test/rollcall');
const rotation = { webhook, regenerate_secret: '1' };
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

apiSuite((service) => {
  const configured = async (): Promise<TestOrganization> => {
    const organization = await service().organization();
    await organization.post('/webhook', { webhook });
    return organization;
  };
  const rotations = async (organization: TestOrganization): Promise<number> => {
    const { items } = await service().core.listActivity({ organization });
    return items.filter(({ action }) => action === 'signing-secret-rotated').length;
  };

  for (const method of ['post', 'patch'] as const) {
    describe(`Idempotency-Key with ${method.toUpperCase()} webhook and regenerate_secret`, () => {
      test('the same request gets the same answer, with one effect', async () => {
        const organization = await configured();
        const first = await organization[method]('/webhook', rotation, withKey('k'));
        assert.match(first.json.webhook.secret, /^whsec_.{44}$/);
        for (let count = 0; count < 3; count += 1) {
          const again = await organization[method]('/webhook', rotation, withKey('k'));
          assert.deepEqual([again.status, again.text], [200, first.text]);
          assert.equal(again.headers['content-length'], first.headers['content-length']);
        }
        assert.equal(await rotations(organization), 1);
        const next = await organization[method]('/webhook', rotation, withKey('l'));
        assert.notEqual(next.json.webhook.secret, first.json.webhook.secret);
        assert.equal(await rotations(organization), 2);
      });

      test('a second request while the first one runs is told to wait', async (t) => {
        const organization = await configured();
        const { hold, release } = holdWebhooks();
        t.after(release);
        const first = organization[method]('/webhook', rotation, withKey('k'));
        await hold;
        const second = await organization[method]('/webhook', rotation, withKey('k'));
        assert.equal(second.status, 409);
        assert.deepEqual(second.json, {
          error: 'The first request with this Idempotency-Key is still running',
        });
        const { 'x-error-code': code, 'retry-after': seconds } = second.headers;
        assert.deepEqual([code, seconds], ['idempotency-key-in-use', '1']);
        release();
        const { status, text } = await first;
        assert.equal(status, 200);
        assert.equal((await organization[method]('/webhook', rotation, withKey('k'))).text, text);
      });

      test('another body with the same key is refused with 422, and changes nothing', async () => {
        const organization = await configured();
        await organization[method]('/webhook', rotation, withKey('k'));
        const other = { webhook: { ...webhook, enabled: false }, regenerate_secret: '1' };
        const { status, json, headers } = await organization[method]('/webhook', other, withKey('k'));
        assert.equal(status, 422);
        assert.deepEqual(json, { error: 'This Idempotency-Key was used for another request' });
        assert.equal(headers['x-error-code'], 'idempotency-key-reused');
        assert.equal((await organization.get('/webhook')).json.webhook.enabled, true);
        assert.equal(await rotations(organization), 1);
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
          const { json } = await organization[method](
            '/webhook',
            { webhook: { ...webhook, enabled }, regenerate_secret: '0' },
            withKey('k'),
          );
          assert.equal(json.webhook.enabled, enabled);
        }
      });
    });
  }

  describe('Idempotency-Key with redeliver and redeliver_failed', () => {
    /** An organization with two failed deliveries, and the path of each call. */
    const withFailures = async () => {
      const organization = await configured();
      const reason = 'answered 500';
      const attempt = { duration: 1, outcome: 'failed', phase: 'answer', status: 500, reason } as const;
      const restore = service().replace('webhookSender', {
        send: async ({ url, headers }) => ({ ...attempt, request: { url, headers }, response: null }),
      });
      for (const email of ['one@example.test', 'two@example.test'])
        await service().core.registerUser({
          organizationId: organization.id,
          email: `${organization.id}-${email}`,
          firstName: 'Dana',
          lastName: 'Kim',
        });
      await Promise.all(await service().core.deliverWebhooks({ limit: 10 }));
      restore();
      const { json } = await organization.get('/webhook/deliveries?state=failed');
      const [one, two] = json.deliveries.map(({ id }: { readonly id: number }) => id);
      assert.ok(one !== undefined && two !== undefined);
      const redelivered = async (): Promise<number> => {
        const { items } = await service().core.listActivity({ organization });
        return items.filter(({ action }) => /^deliver(y|ies)-redelivered$/.test(action)).length;
      };
      return { organization, redelivered, one: Number(one), two: Number(two) };
    };
    const since = { since: '2020-01-01T00:00:00Z' };

    test('the same request gets the same answer, with one effect', async () => {
      const { organization, redelivered, one } = await withFailures();
      const calls = [
        () => organization.post(`/webhook/deliveries/${one}/redeliver`, undefined, withKey('k')),
        () => organization.post('/webhook/redeliver_failed', since, withKey('k')),
      ];
      for (const [index, call] of calls.entries()) {
        const first = await call();
        const again = await call();
        assert.deepEqual([first.status, again.status, again.text], [202, 202, first.text]);
        assert.equal(await redelivered(), index + 1);
      }
      assert.equal((await organization.post('/webhook/redeliver_failed', since)).json.count, 0);
    });

    test('another delivery or another body with the same key is refused with 422', async () => {
      const { organization, redelivered, one, two } = await withFailures();
      await organization.post(`/webhook/deliveries/${one}/redeliver`, undefined, withKey('k'));
      await organization.post('/webhook/redeliver_failed', { since: '2030-01-01T00:00:00Z' }, withKey('k'));
      const before = await redelivered();
      const refusals = [
        await organization.post(`/webhook/deliveries/${two}/redeliver`, undefined, withKey('k')),
        await organization.post('/webhook/redeliver_failed', since, withKey('k')),
      ];
      for (const { status, headers } of refusals)
        assert.deepEqual([status, headers['x-error-code']], [422, 'idempotency-key-reused']);
      assert.equal(await redelivered(), before);
    });

    test('a second request while the first one runs is told to wait', async () => {
      const { organization, one } = await withFailures();
      for (const [method, path, body] of [
        ['redeliver', `/webhook/deliveries/${one}/redeliver`, undefined],
        ['redeliverMatching', '/webhook/redeliver_failed', since],
      ] as const) {
        const { hold, release } = holdOnce('deliveries', method);
        try {
          const first = organization.post(path, body, withKey('k'));
          await hold;
          assert.equal((await organization.post(path, body, withKey('k'))).status, 409);
          release();
          assert.equal((await first).status, 202);
        } finally {
          release();
        }
      }
    });
  });

  describe('Idempotency-Key with invite_users', () => {
    let lists = 0;
    /** 20 new people and a wrong one. */
    const people = () => {
      lists += 1;
      const emails = Array.from({ length: 20 }, (_, index) => `list-${lists}-${index}@example.test`);
      return {
        users: [...emails, 'nobody'].map((email) => ({ email, first_name: 'Dana', last_name: 'Kim' })),
      };
    };
    const invited = async (organization: TestOrganization): Promise<number> => {
      const { items } = await service().core.listActivity({ organization });
      return items.filter(({ action }) => action === 'user-invited').length;
    };

    test('the same list gets the same answer, and another list is refused with 422', async () => {
      const organization = await service().organization();
      const list = people();
      const first = await organization.post('/invite_users', list, withKey('k'));
      const again = await organization.post('/invite_users', list, withKey('k'));
      assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text]);
      assert.equal(again.json.results[0].status, 'created');
      assert.equal(again.json.results[20].status, 'error');
      assert.equal((await organization.post('/invite_users', people(), withKey('k'))).status, 422);
      assert.equal((await organization.post('/invite_users', people(), withKey(''))).status, 400);
      assert.equal(await invited(organization), 20);
    });

    test('a second request while the first one runs is told to wait', async (t) => {
      const organization = await service().organization();
      const list = people();
      const { hold, release } = holdOnce('invitations', 'findOrCreatePending');
      t.after(release);
      const first = organization.post('/invite_users', list, withKey('k'));
      await hold;
      assert.equal((await organization.post('/invite_users', list, withKey('k'))).status, 409);
      release();
      assert.equal((await first).json.results[0].status, 'created');
    });
  });

  describe('Idempotency-Key', () => {
    test('must be 1 to 255 printable ASCII characters', async () => {
      const organization = await configured();
      for (const [key, method] of [
        ['', 'post'],
        ['k'.repeat(256), 'patch'],
        ['ü', 'post'],
        ['a\tb', 'patch'],
      ] as const) {
        const { status, json, headers } = await organization[method]('/webhook', rotation, withKey(key));
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
      const { hold, release } = holdWebhooks();
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
      await hold;
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

  const holdWebhooks = () => holdOnce('webhooks', 'configure');

  /** Holds the next call of a port's method until `release` is called. `hold` resolves when one is held. */
  function holdOnce<Name extends 'webhooks' | 'deliveries' | 'invitations'>(
    port: Name,
    method: keyof Ports[Name] & string,
  ): { readonly hold: Promise<void>; release(): void } {
    const original = service().ports[port][method] as (...args: readonly unknown[]) => Promise<unknown>;
    let release = (): void => undefined;
    let held = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const hold = new Promise<void>((resolve) => (held = resolve));
    const replacement = async (...args: readonly unknown[]): Promise<unknown> => {
      restore();
      held();
      await released;
      return original(...args);
    };
    const restore = service().replace(port, { [method]: replacement } as unknown as Partial<Ports[Name]>);
    return { hold, release };
  }
});

testSeenAnswers('idempotency-keys');
