import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe } from 'node:test';
import { createCore, type ProblemCode, Refusal, type Secret } from '@rollcall/core';
import { configure, deliver, deliveriesTest, register } from '../../support/core/deliveries-service.js';
import { organization } from '../../support/core/organization.js';
import { standardSignature } from '../../support/core/standard-signature.js';
import { links } from '../../support/core/webhook-core.js';
import { type TestService, testNow } from '../../support/test-service.js';

const by = { who: { kind: 'command-line' }, from: '192.0.2.7' } as const;
const HOUR_MS = 60 * 60 * 1000;
const hoursLater = (hours: number): Date => new Date(testNow.getTime() + hours * HOUR_MS);

describe('A rotation with an overlap', () => {
  deliveriesTest(
    'signs for receivers with either secret until it ends, and then with the new one',
    async (service) => {
      const { secret: old } = await configure(service);
      const rotated = await rotate(service, { overlapHours: 24 });
      assert.notEqual(rotated.secret?.reveal(), old?.reveal());
      assert.deepEqual(rotated.rotationEndsAt, hoursLater(24));
      assert.deepEqual((await service.core.readWebhook({ organization }))?.rotationEndsAt, hoursLater(24));

      await assertSigned(service, { own: old, standard: [rotated.secret, old] });
      service.clock.set(new Date(hoursLater(24).getTime() - 1));
      await assertSigned(service, { own: old, standard: [rotated.secret, old] });
      service.clock.set(hoursLater(24));
      await assertSigned(service, { own: rotated.secret, standard: [rotated.secret] });
      assert.equal((await service.core.readWebhook({ organization }))?.rotationEndsAt, null);
    },
  );

  deliveriesTest('ends at once when it is finished', async (service) => {
    await configure(service);
    const { secret } = await rotate(service, { overlapHours: 1 });
    service.clock.advance(1000);
    const finished = await service.core.finishRotation({ organization });
    assert.deepEqual(
      [finished?.rotationEndsAt, finished?.secret, finished?.updatedAt, finished?.isFinished],
      [null, null, service.clock.now(), true],
    );
    assert.equal((await service.ports.webhooks.of(1))?.previousSecret, null);
    await assertSigned(service, { own: secret, standard: [secret] });
  });

  deliveriesTest('decides on what another request has changed meanwhile, and keeps it', async (service) => {
    const { webhooks } = service.ports;
    let meanwhile: () => Promise<unknown> = () =>
      configure(service, { enabled: true, url: 'https://moved.test/' });
    const of = async (id: number) => {
      const webhook = await webhooks.of(id);
      await meanwhile();
      return webhook;
    };
    await configure(service);
    await rotate(service, { overlapHours: 1 });
    const core = createCore({ ...service.ports, webhooks: { ...webhooks, of } }, { links });
    const finished = await core.finishRotation({ organization });
    assert.deepEqual([finished?.isFinished, finished?.url], [true, 'https://moved.test/']);
    await rotate(service, { overlapHours: 1 });
    meanwhile = async () => {
      await service.core.finishRotation({ organization });
      await rotate(service, { overlapHours: 2 });
    };
    const other = await core.finishRotation({ organization, endsAt: hoursLater(1) });
    assert.deepEqual([other?.isFinished, other?.rotationEndsAt], [false, hoursLater(2)]);
  });

  deliveriesTest('is ended by a rotation without an overlap, and by no other change', async (service) => {
    const { secret: old } = await configure(service);
    const { secret: second } = await rotate(service, { overlapHours: '168' });
    const kept = await configure(service, { enabled: true, url: 'https://moved.test/' });
    assert.deepEqual(kept.rotationEndsAt, hoursLater(168));
    await assertSigned(service, { own: old, standard: [second, old] });
    const { secret: third, rotationEndsAt } = await rotate(service, {});
    assert.equal(rotationEndsAt, null);
    assert.equal((await service.ports.webhooks.of(1))?.previousSecret, null);
    await assertSigned(service, { own: third, standard: [third] });
  });

  deliveriesTest(
    'is refused while another one is under way, and allowed when that has ended',
    async (service) => {
      const { secret: old } = await configure(service);
      const { secret: second } = await rotate(service, { overlapHours: 2 });
      await assert.rejects(rotate(service, { overlapHours: 1 }), refusedWith('rotation-under-way'));
      await assertSigned(service, { own: old, standard: [second, old] });
      service.clock.set(hoursLater(2));
      const { secret: third, rotationEndsAt } = await rotate(service, { overlapHours: 1 });
      assert.deepEqual(rotationEndsAt, hoursLater(3));
      await assertSigned(service, { own: second, standard: [third, second] });
    },
  );

  deliveriesTest('the audit trail has both ends, and nothing where nothing was finished', async (service) => {
    assert.equal(await service.core.finishRotation({ organization }), null);
    await configure(service);
    assert.equal((await service.core.finishRotation({ organization }))?.rotationEndsAt, null);
    await rotate(service, { overlapHours: 1 });
    service.clock.advance(1000);
    const other = await service.core.finishRotation({ organization, endsAt: hoursLater(2) });
    assert.deepEqual([other?.rotationEndsAt, other?.isFinished], [hoursLater(1), false]);
    assert.deepEqual((await service.core.readWebhook({ organization }))?.updatedAt, testNow);
    const finished = await service.core.finishRotation({ organization, endsAt: hoursLater(1), by });
    assert.deepEqual([finished?.rotationEndsAt, finished?.isFinished], [null, true]);
    service.clock.advance(1000);
    const again = await service.core.finishRotation({ organization });
    assert.deepEqual([again?.isFinished, again?.updatedAt], [false, finished?.updatedAt]);
    const { items } = await service.core.listActivity({ organization });
    assert.deepEqual(
      items
        .map(({ action, subject, actor }) => [action, subject, actor])
        .filter(([action]) => action !== 'webhook-configured'),
      [
        ['secret-rotation-finished', null, by],
        ['signing-secret-rotated', 'the old one works for 1 hour', { who: { kind: 'program' }, from: null }],
      ],
    );
  });
});

function rotate(service: TestService, { overlapHours }: { readonly overlapHours?: unknown }) {
  return service.core.configureWebhook({
    organization,
    how: 'change',
    webhook: { enabled: true },
    regenerateSecret: true,
    overlapHours,
  });
}

let registered = 0;

interface Signers {
  /** The secret of `X-Service-Signature`. */
  readonly own: Secret | null;
  /** The secrets of `webhook-signature`, in order. */
  readonly standard: readonly (Secret | null)[];
}

/** Sends an event and checks its signatures. */
async function assertSigned(service: TestService, { own, standard }: Signers): Promise<void> {
  registered += 1;
  await register(service, `person-${registered}@example.test`);
  const [report] = await deliver(service);
  assert.equal(report?.state, 'delivered');
  const request = service.webhookSender.sent.at(-1);
  const digest = createHmac('sha256', own?.reveal() ?? '')
    .update(request?.body ?? '')
    .digest('hex');
  assert.equal(request?.headers['X-Service-Signature'], `sha256=${digest}`);
  assert.equal(
    request?.headers['webhook-signature'],
    standard.map((secret) => standardSignature(request, secret)).join(' '),
  );
}

function refusedWith(code: ProblemCode) {
  return (error: unknown) =>
    error instanceof Refusal &&
    error.code === 'invalid-webhook' &&
    error.problems.length === 1 &&
    error.problems[0]?.field === 'overlapHours' &&
    error.problems[0].code === code;
}
