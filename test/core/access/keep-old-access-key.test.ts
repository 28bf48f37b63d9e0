import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Organization, Refusal } from '@rollcall/core';
import { anOrganization } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import { serviceTest } from '../../support/core/service-test.js';
import { startTestService, type TestService, testNow } from '../../support/test-service.js';

const HOUR_MS = 60 * 60 * 1000;
const hoursLater = (hours: number): Date => new Date(testNow.getTime() + hours * HOUR_MS);

const keysTest = serviceTest({ organizations: [anOrganization(1), anOrganization(2)] });

describe('keepOldForHours', () => {
  keysTest('the old key and its tokens work until the end, and not from then on', async (service) => {
    const old = await generate(service);
    const before = await tokenOf(service, old);
    const current = await generate(service, 24);
    const during = await tokenOf(service, old);
    for (const token of [before, during, await tokenOf(service, current)])
      assert.equal((await authorize(service, token)).id, 1);

    service.clock.set(new Date(hoursLater(24).getTime() - 1));
    const last = await tokenOf(service, old);
    assert.equal((await authorize(service, last)).id, 1);
    service.clock.set(hoursLater(24));
    await assert.rejects(tokenOf(service, old), refused('invalid-access-key'));
    for (const token of [during, last])
      await assert.rejects(authorize(service, token), refused('unauthorized-access'));
    assert.equal((await authorize(service, await tokenOf(service, current))).id, 1);
  });

  keysTest('without it, and with 0, the old key and its tokens stop at once', async (service) => {
    for (const hours of [undefined, 0]) {
      const old = await generate(service);
      const token = await tokenOf(service, old);
      await generate(service, hours);
      await assert.rejects(tokenOf(service, old), refused('invalid-access-key'));
      await assert.rejects(authorize(service, token), refused('unauthorized-access'));
    }
  });

  keysTest('a key that was kept stops with the next replacement', async (service) => {
    const first = await generate(service);
    const token = await tokenOf(service, first);
    const second = await generate(service, 168);
    const third = await generate(service, 1);
    await assert.rejects(tokenOf(service, first), refused('invalid-access-key'));
    await assert.rejects(authorize(service, token), refused('unauthorized-access'));
    for (const key of [second, third])
      assert.equal((await authorize(service, await tokenOf(service, key))).id, 1);
  });

  keysTest('the old key still belongs to its own organization only', async (service) => {
    const old = await generate(service);
    await generate(service, 1);
    const { token } = await service.core.authenticate({ accessKey: old, address: 'a' });
    await assert.rejects(
      service.core.authorize({ token: token.reveal(), organizationId: '2' }),
      refused('not-authorized'),
    );
  });

  keysTest(
    'callers at once get tokens of their own organization, and with a wrong key none',
    async (service) => {
      const old = await generate(service);
      const current = await generate(service, 24);
      const others = await service.core.generateAccessKey({ organizationId: 2 });
      const keys = [old, '0'.repeat(24), current, others.accessKey.reveal(), '1'.repeat(24), old];
      const tokens = await Promise.all(
        keys.map((key) => tokenOf(service, key).catch(refused('invalid-access-key'))),
      );
      const works = async (token: string | boolean, organizationId: string): Promise<boolean> =>
        typeof token === 'string' &&
        (await service.core.authorize({ token, organizationId }).then(
          () => true,
          () => false,
        ));
      const organizations = await Promise.all(
        tokens.map(async (token) => [await works(token, '1'), await works(token, '2')]),
      );
      const [ofFirst, ofSecond, ofNone] = [
        [true, false],
        [false, true],
        [false, false],
      ];
      assert.deepEqual(organizations, [ofFirst, ofNone, ofFirst, ofSecond, ofNone, ofFirst]);
      assert.equal((await authorize(service, await tokenOf(service, old))).id, 1);
    },
  );

  keysTest(
    'both keys show when they were used, and the audit trail for how long the old one works',
    async (service) => {
      const old = await generate(service);
      const fresh = await generate(service, 24);
      const organization = { id: 1 };
      assert.deepEqual(await service.core.readAccessKey({ organization }), {
        ...{ createdAt: testNow, usedAt: null, lastDigits: fresh.slice(-4), name: null },
        previous: { until: hoursLater(24), usedAt: null, lastDigits: old.slice(-4), name: null },
      });
      service.clock.advance(1000);
      await tokenOf(service, old);
      const used = async () => (await service.core.readAccessKey({ organization }))?.previous?.usedAt;
      for (let waited = 0; (await used()) == null && waited < 100; waited += 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(await used(), service.clock.now());
      assert.equal((await service.core.readAccessKey({ organization }))?.usedAt, null);

      service.clock.set(hoursLater(24));
      assert.deepEqual(await service.core.readAccessKey({ organization }), {
        ...{ createdAt: testNow, usedAt: null, lastDigits: fresh.slice(-4), name: null },
        previous: null,
      });
      const { items } = await service.core.listActivity({ organization });
      assert.deepEqual(
        items.map(({ action, subject }) => [action, subject]),
        [
          ['access-key-replaced', 'the old one works for 24 hours'],
          ['access-key-generated', null],
        ],
      );
    },
  );
});

test('keepOldForHours is a whole number from 0 to 168', async () => {
  const service = await startTestService();
  await service.load({ organizations: [anOrganization(1)] });
  const accessKey = await generate(service);
  for (const hours of [-1, 0.5, 169, Number.NaN, Number.POSITIVE_INFINITY, '1' as never, null as never]) {
    await assert.rejects(
      service.core.generateAccessKey({ organizationId: 1, keepOldForHours: hours }),
      (error) =>
        error instanceof Refusal &&
        error.code === 'invalid-request' &&
        error.message === 'keepOldForHours must be a whole number from 0 to 168',
    );
  }
  await tokenOf(service, accessKey);
  await generate(service, 168);
});

async function generate({ core }: TestService, keepOldForHours?: number): Promise<string> {
  const { accessKey } = await core.generateAccessKey({ organizationId: 1, keepOldForHours });
  return accessKey.reveal();
}

async function tokenOf({ core }: TestService, accessKey: string): Promise<string> {
  return (await core.authenticate({ accessKey, address: 'a' })).token.reveal();
}

function authorize({ core }: TestService, token: string): Promise<Organization> {
  return core.authorize({ token, organizationId: '1' });
}
