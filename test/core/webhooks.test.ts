import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Attempt, createCore, Refusal, Unavailable } from '@rollcall/core';
import { webhookRequest } from '@rollcall/core/adapters';
import { anOrganization, aUser, fixedClock, memoryPorts, recordingSender } from '@rollcall/core/testing';
import { databaseKinds } from '../support/storage.js';
import { startTestService, type TestService } from '../support/test-service.js';

const organization = { id: 1 };
const enabled = { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] };

describe('configureWebhook', () => {
  test('creates the one configuration and shows its secret then only', async () => {
    const { core } = await started();
    assert.equal(await core.readWebhook({ organization }), null);
    const created = await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    assert.match(created.secret?.reveal() ?? '', /^whsec_/);
    assert.deepEqual(
      [created.url, created.enabled, created.events],
      [enabled.url, true, ['user.registered']],
    );
    const changed = await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    assert.deepEqual([changed.id, changed.secret], [created.id, null]);
    assert.deepEqual(await core.readWebhook({ organization }), changed);
  });

  test('regenerate_secret "1", 1 or true rotates; absent, "0", 0 or false does not; anything else is refused', async () => {
    const { core, secretOf } = await started();
    await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    const rotate = (regenerateSecret: unknown) =>
      core.configureWebhook({ organization, how: 'change', webhook: { enabled: true }, regenerateSecret });
    for (const yes of ['1', 1, true]) {
      const before = await secretOf();
      const { secret } = await rotate(yes);
      assert.notEqual(secret?.reveal(), before);
      assert.equal(await secretOf(), secret?.reveal());
    }
    for (const no of [undefined, '0', 0, false]) assert.equal((await rotate(no)).secret, null);
    for (const other of ['true', 'yes', 2, null, '', [], {}, '01']) {
      await assert.rejects(rotate(other), refusedWith(/^regenerateSecret must be/), String(other));
    }
  });

  test('where it was changed since the moment that is named, or is gone, nothing is changed', async () => {
    const { core, clock, secretOf } = await started();
    const rotate = (unchangedSince: Date) =>
      core.configureWebhook({
        organization,
        how: 'change',
        webhook: { enabled: true },
        regenerateSecret: true,
        unchangedSince,
      });
    const changed = (error: unknown) => error instanceof Refusal && error.code === 'webhook-outdated';
    await assert.rejects(rotate(clock.now()), changed);
    assert.equal(await core.readWebhook({ organization }), null);

    const { updatedAt } = await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    const before = await secretOf();
    await assert.rejects(rotate(new Date(updatedAt.getTime() - 1)), changed);
    await assert.rejects(rotate(new Date(Number.NaN)), changed);
    assert.equal(await secretOf(), before);
    clock.advance(1);
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(updatedAt)));
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.notEqual(await secretOf(), before);
  });

  test('PATCH keeps what is left out, so it switches off and on again', async () => {
    const { core } = await started();
    const change = (webhook: unknown) => core.configureWebhook({ organization, how: 'change', webhook });
    await assert.rejects(
      change({ enabled: true }),
      refusedWith(/webhook.url is required/, /webhook.events must name/),
    );
    await change(enabled);
    const off = await change({ enabled: false });
    assert.deepEqual([off.enabled, off.url, off.events], [false, enabled.url, ['user.registered']]);
    const on = await change({ enabled: true });
    assert.deepEqual([on.enabled, on.url, on.events], [true, enabled.url, ['user.registered']]);
    const moved = await change({ enabled: true, url: 'https://other.test/' });
    assert.deepEqual([moved.url, moved.events], ['https://other.test/', ['user.registered']]);
  });

  test('POST with enabled needs url and events in the body; without it keeps the stored ones', async () => {
    const { core } = await started();
    const set = (webhook: unknown) => core.configureWebhook({ organization, how: 'set', webhook });
    await set(enabled);
    await assert.rejects(
      set({ enabled: true }),
      refusedWith(/webhook.url is required/, /webhook.events must name/),
    );
    const off = await set({ enabled: false });
    assert.deepEqual([off.enabled, off.url, off.events], [false, enabled.url, ['user.registered']]);
  });

  test('a first configuration may be switched off and empty', async () => {
    const { core } = await started();
    const first = await core.configureWebhook({ organization, how: 'set', webhook: { enabled: false } });
    assert.deepEqual([first.url, first.events, first.enabled], [null, [], false]);
    assert.match(first.secret?.reveal() ?? '', /^whsec_/);
  });

  test('every message comes at once', async () => {
    const { core } = await started();
    await assert.rejects(
      core.configureWebhook({
        organization,
        how: 'set',
        webhook: { url: 5, enabled: 'yes', events: 'user.registered' },
        regenerateSecret: 'maybe',
      }),
      refusedWith(/^webhook.enabled/, /^webhook.url/, /^webhook.events/, /^regenerateSecret/),
    );
  });

  test('url must be a valid HTTPS URL without credentials', async () => {
    const { core } = await started();
    const wrong = [
      'http://partner.test/',
      'ftp://partner.test/',
      'https://',
      'https:/partner.test',
      'partner.test',
      'https://part ner.test/',
      ' https://partner.test/',
      'https://partner.test/\n',
      'https://partner.test/\0',
      'https://partner.test/\ud800',
      'https://user:secret@partner.test/',
      'https://user@partner.test/',
      `https://partner.test/${'x'.repeat(2048)}`,
      'javascript:alert(1)',
      '',
      5,
      [enabled.url],
      { href: enabled.url },
      true,
    ];
    for (const url of wrong) {
      const attempt = core.configureWebhook({ organization, how: 'set', webhook: { ...enabled, url } });
      await assert.rejects(attempt, refusedWith(/^webhook.url/), JSON.stringify(url));
    }
    for (const url of [
      'https://10.0.0.1:8443/x?y=%20#z',
      'HTTPS://Partner.test',
      'https://[::1]/',
      'https://ü.test/',
    ]) {
      const kept = await core.configureWebhook({ organization, how: 'set', webhook: { ...enabled, url } });
      assert.equal(kept.url, url);
    }
  });

  test('events must be supported and, when enabled, not empty', async () => {
    const { core } = await started();
    for (const events of [
      [],
      ['user.deleted'],
      ['user.registered', 'x'],
      [5],
      'user.registered',
      {},
      null,
      [null],
    ]) {
      const attempt = core.configureWebhook({ organization, how: 'set', webhook: { ...enabled, events } });
      await assert.rejects(attempt, refusedWith(/^webhook.events.*user.registered/), JSON.stringify(events));
    }
    const twice = { ...enabled, events: ['user.registered', 'user.registered'] };
    const kept = await core.configureWebhook({ organization, how: 'set', webhook: twice });
    assert.deepEqual(kept.events, ['user.registered']);
  });

  test('a body that is no object is refused by name', async () => {
    const { core } = await started();
    for (const webhook of [undefined, null, [], 'x', 5]) {
      await assert.rejects(
        core.configureWebhook({ organization, how: 'set', webhook }),
        refusedWith(/^webhook must be/),
      );
    }
  });
});

describe('The delivery request', () => {
  test('has the headers of section 6.2 with the service’s name', () => {
    const delivery = { eventId: 'id', eventName: 'user.registered', body: '{}' } as const;
    const request = (serviceName: string) =>
      webhookRequest({ delivery, url: 'https://partner.test/', signature: 'abc', serviceName });
    assert.deepEqual(request('Service'), {
      url: 'https://partner.test/',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service Webhook',
        'X-Service-Signature': 'sha256=abc',
        'X-Service-Event': 'user.registered',
        'X-Service-Event-Id': 'id',
      },
      body: '{}',
    });
    const branded = Object.keys(request('Grief Circle').headers);
    assert.deepEqual(branded.slice(2), [
      'X-Grief-Circle-Signature',
      'X-Grief-Circle-Event',
      'X-Grief-Circle-Event-Id',
    ]);
    assert.equal(request('Grief Circle').headers['User-Agent'], 'Grief Circle Webhook');
  });
});

for (const database of databaseKinds) {
  describe(`Deliveries over ${database}`, () => {
    const serviceTest = (name: string, work: (service: TestService) => Promise<void>) =>
      test(name, async () => {
        const service = await startTestService({ database });
        try {
          await service.load({
            organizations: [anOrganization(1), anOrganization(2)],
            users: [aUser(1), aUser(2)],
          });
          await work(service);
        } finally {
          await service.stop();
        }
      });
    const configure = (service: TestService, webhook: unknown = enabled, regenerateSecret?: unknown) =>
      service.core.configureWebhook({ organization, how: 'change', webhook, regenerateSecret });
    const register = (service: TestService, email = 'new@example.test') =>
      service.core.registerUser({ organizationId: 1, email, firstName: 'New', lastName: 'Person' });
    const deliver = async (service: TestService) =>
      Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
    const log = (service: TestService) => service.ports.deliveries.list({ organizationId: 1, limit: 10 });

    serviceTest(
      'sends the stored bytes once, signed with the whole secret over exactly these bytes',
      async (service) => {
        const { secret } = await configure(service);
        await register(service);
        const [report] = await deliver(service);
        assert.equal(report?.state, 'delivered');
        assert.deepEqual(await deliver(service), []);

        const [request, ...more] = service.webhookSender.sent;
        assert.equal(more.length, 0);
        const [delivery] = await log(service);
        assert.equal(request?.body, delivery?.body);
        const digest = createHmac('sha256', secret?.reveal() ?? '')
          .update(Buffer.from(request?.body ?? ''))
          .digest('hex');
        assert.equal(request?.headers['X-Service-Signature'], `sha256=${digest}`);
        assert.equal(request?.headers['X-Service-Event-Id'], delivery?.eventId);
      },
    );

    serviceTest(
      'a failure is recorded and never sent again by itself; redelivery has the same bytes',
      async (service) => {
        const failing = await startTestService({
          database,
          ports: { webhookSender: recordingSender(() => answered500) },
        });
        try {
          await failing.load({ organizations: [anOrganization(1)] });
          await configure(failing);
          await register(failing);
          const [report] = await deliver(failing);
          assert.deepEqual([report?.state, report?.attempt?.status], ['failed', 500]);
          assert.deepEqual(await deliver(failing), []);

          const [delivery] = await log(failing);
          await failing.core.redeliver({ organization, deliveryId: delivery?.id ?? 0 });
          await deliver(failing);
          assert.deepEqual(await deliver(failing), []);
          const [after] = await log(failing);
          assert.deepEqual(
            [after?.state, after?.attempts.length, after?.body],
            ['failed', 2, delivery?.body],
          );
        } finally {
          await failing.stop();
        }
        await assert.rejects(service.core.redeliver({ organization, deliveryId: 9 }), Refusal);
      },
    );

    serviceTest('what failed since a moment is sent again, of one organization or of all', async () => {
      const failing = await startTestService({
        database,
        ports: { webhookSender: recordingSender(() => answered500) },
      });
      try {
        await failing.load({ organizations: [anOrganization(1), anOrganization(2)] });
        await configure(failing);
        for (const name of ['early', 'late']) {
          await register(failing, `${name}@example.test`);
          await deliver(failing);
          failing.clock.advance(60_000);
        }
        const since = new Date(failing.clock.now().getTime() - 60_000);
        const { core } = failing;
        assert.equal(await core.redeliverFailed({ organization: { id: 2 }, since: new Date(0) }), 0);
        assert.equal(await core.redeliverFailed({ organization, since }), 1);
        const states = async () =>
          (await core.listDeliveries({ organization: null })).deliveries.map(({ state }) => state);
        assert.deepEqual(await states(), ['pending', 'failed']);
        assert.equal(await core.redeliverFailed({ organization: null, since: new Date(0) }), 1);
        assert.deepEqual(await states(), ['pending', 'pending']);
        const none = { deliveries: [], older: null };
        assert.deepEqual(await core.listDeliveries({ organization, state: 'failed' }), none);
        assert.equal((await core.listDeliveries({ organization, limit: 0 })).deliveries.length, 1);
        assert.deepEqual(await core.listDeliveries({ organization: { id: 2 } }), none);
      } finally {
        await failing.stop();
      }
    });

    serviceTest('URL and secret are read when sending', async (service) => {
      await configure(service);
      await register(service);
      const { secret } = await configure(service, { enabled: true, url: 'https://moved.test/' }, '1');
      await deliver(service);
      const [request] = service.webhookSender.sent;
      assert.equal(request?.url, 'https://moved.test/');
      const signature = createHmac('sha256', secret?.reveal() ?? '')
        .update(request?.body ?? '')
        .digest('hex');
      assert.equal(request?.headers['X-Service-Signature'], `sha256=${signature}`);
    });

    serviceTest('an event whose webhook is disabled meanwhile is recorded as skipped', async (service) => {
      await configure(service);
      await register(service);
      await configure(service, { enabled: false });
      const [report] = await deliver(service);
      assert.deepEqual([report?.state, report?.attempt], ['skipped', null]);
      assert.equal((await log(service))[0]?.state, 'skipped');
      assert.deepEqual(service.webhookSender.sent, []);
    });

    serviceTest(
      'a secret whose key is gone fails the delivery, and says which key that is',
      async (service) => {
        await configure(service);
        await register(service);
        await service.ports.webhooks.configure(1, (current) => {
          assert.ok(current);
          return { ...current, encryptedSecret: 'v1.gone.nothing' };
        });
        const [report] = await deliver(service);
        assert.deepEqual(
          [report?.state, report?.attempt?.reason],
          ['failed', 'the signing secret cannot be read: its key gone is not configured'],
        );
        assert.ok(report?.error instanceof Error);
        assert.equal((await log(service))[0]?.state, 'failed');
        assert.deepEqual(service.webhookSender.sent, []);
      },
    );

    serviceTest('nothing is queued while it is disabled or not subscribed', async (service) => {
      await configure(service, { ...enabled, enabled: false });
      await register(service);
      await configure(service, { enabled: false, events: [] });
      await register(service, 'other@example.test');
      assert.deepEqual(await log(service), []);
    });

    serviceTest(
      'what a crash cut off is sent again with the same event id and bytes, three times at most',
      async (service) => {
        await configure(service);
        await register(service);
        for (const [again, failed] of [
          [1, 0],
          [1, 0],
          [0, 1],
        ]) {
          await service.ports.outbox.claim({
            limit: 1,
            perOrganization: 4,
            claim: 'crashed',
            at: service.clock.now(),
          });
          service.clock.advance(1000);
          assert.deepEqual(await service.core.recoverDeliveries({ olderThanMs: null }), {
            again,
            failed,
          });
        }
        const [delivery] = await log(service);
        assert.equal(delivery?.state, 'failed');
        assert.deepEqual(
          delivery?.attempts.map(({ outcome }) => outcome),
          ['interrupted', 'interrupted', 'interrupted'],
        );
      },
    );
  });
}

describe('Known outcomes', () => {
  test('are written once the database is back, and the request is not repeated', async () => {
    const memory = memoryPorts();
    let away = 5;
    const { finish } = memory.ports.outbox;
    const outbox = {
      ...memory.ports.outbox,
      finish: (result: Parameters<typeof finish>[0]) => {
        away -= 1;
        return away >= 0 ? Promise.reject(new Unavailable('The database is away')) : finish(result);
      },
    };
    const core = createCore(
      { ...memory.ports, outbox },
      { links: { invitation: () => '', login: () => '', defaultAvatar: '' } },
    );
    await memory.load({ organizations: [anOrganization(1)] });
    await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    await core.registerUser({
      organizationId: 1,
      email: 'new@example.test',
      firstName: 'New',
      lastName: 'Person',
    });
    const reports = await Promise.all(await core.deliverWebhooks({ limit: 1 }));
    assert.deepEqual(
      reports.map(({ state }) => state),
      ['delivered'],
    );
    assert.equal(memory.webhookSender.sent.length, 1);
    assert.equal(
      (await memory.ports.deliveries.list({ organizationId: 1, limit: 1 }))[0]?.state,
      'delivered',
    );
  });
});

const answered500: Omit<Attempt, 'startedAt'> = {
  duration: 5,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
};

async function started() {
  const { ports, load } = memoryPorts();
  await load({ organizations: [anOrganization(1)] });
  const clock = fixedClock(new Date('2026-11-20T12:00:00.000Z'));
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  const core = createCore({ ...ports, clock }, { links });
  const secretOf = async () => {
    const webhook = await ports.webhooks.of(1);
    return ports.secrets.decrypt({ encrypted: webhook?.encryptedSecret ?? '', organizationId: 1 }).reveal();
  };
  return { core, clock, secretOf };
}

function refusedWith(...messages: readonly RegExp[]) {
  return (error: unknown) =>
    error instanceof Refusal &&
    error.problems.length === messages.length &&
    messages.every((message, index) => message.test(error.texts()[index] ?? ''));
}
