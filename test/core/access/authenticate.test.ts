import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Refusal, type SecurityEvent, Unavailable } from '@rollcall/core';
import { countTouches, links, startAuditedWithKey } from '../../support/core/audited-core.js';
import { startWithAccessKey } from '../../support/core/core-with-access-key.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import { wrongKeyLimit } from '../../support/wrong-key-limit.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('authenticate', () => {
  test('exchanges a current access key for a token of one day', async () => {
    const { core, clock, accessKey } = await startWithAccessKey();
    const { token } = await core.authenticate({ accessKey, address: 'a' });
    const authorize = () => core.authorize({ token: token.reveal(), organizationId: '1' });

    assert.equal((await authorize()).id, 1);
    clock.advance(DAY_MS - 1);
    assert.equal((await authorize()).id, 1);
    clock.advance(1);
    await assert.rejects(authorize, refused('unauthorized-access', 'Unauthorized Access'));
  });

  test('refuses a missing or malformed access key like a wrong one', async () => {
    const { core, accessKey } = await startWithAccessKey();
    const wrong = [
      '0'.repeat(24),
      accessKey.slice(1),
      `${accessKey}1`,
      `${accessKey.slice(1)}a`,
      `${accessKey.slice(1)}\0`,
      '١'.repeat(24),
      `${accessKey} `,
      `${accessKey}\n`,
      '',
      undefined,
      null,
      5,
      {},
      [accessKey],
    ];
    for (const key of wrong) {
      await assert.rejects(
        core.authenticate({ accessKey: key, address: 'a' }),
        refused('invalid-access-key', 'Invalid Access Key'),
        String(key),
      );
    }
  });

  test('counts wrong keys of an address under the name of the use-case, and tells the security log', async () => {
    const { ports, clock, accessKey } = await startWithAccessKey();
    const events: SecurityEvent[] = [];
    const limits: unknown[] = [];
    const core = createCore(
      {
        ...ports,
        securityLog: { record: (event) => events.push(event) },
        limits: {
          ...ports.limits,
          consume: (limit, subject) => {
            limits.push({ ...limit, subject });
            return ports.limits.consume(limit, subject);
          },
        },
      },
      { links, ...wrongKeyLimit(1) },
    );
    const wrong = () => core.authenticate({ accessKey: '1'.repeat(24), address: '192.0.2.1' });
    await assert.rejects(wrong, refused('invalid-access-key'));
    const seconds = 'Too many wrong access keys; try again in 60 seconds';
    await assert.rejects(wrong, refused('too-many-requests', seconds));
    const event = { address: '192.0.2.1', account: null };
    assert.deepEqual(events, [
      { kind: 'authenticate-failed', ...event },
      { kind: 'authenticate-refused', ...event },
    ]);
    assert.deepEqual(limits, [{ name: 'authenticate', points: 1, seconds: 60, subject: '192.0.2.1' }]);
    await assert.rejects(
      core.authenticate({ accessKey, address: '192.0.2.1' }),
      refused('too-many-requests'),
    );
    await core.authenticate({ accessKey, address: '192.0.2.2' });
    clock.advance(60_000);
    await assert.rejects(wrong, refused('invalid-access-key'));
  });

  test('looks for no organization if the key is malformed', async () => {
    const { ports } = await startWithAccessKey();
    const byAccessKeyHash = () => assert.fail('was called');
    const core = createCore(
      { ...ports, organizations: { ...ports.organizations, byAccessKeyHash } },
      { links },
    );
    await assert.rejects(core.authenticate({ accessKey: 'x', address: 'a' }), refused('invalid-access-key'));
  });

  test('does not count wrong access keys if the limit is 0', async () => {
    const { core } = await startWithAccessKey(wrongKeyLimit(0));
    for (let count = 0; count < 200; count += 1) {
      await assert.rejects(
        core.authenticate({ accessKey: 'x', address: 'a' }),
        refused('invalid-access-key'),
      );
    }
  });
});

describe('The last use of an access key', () => {
  test('is recorded at authentication, at most once a minute', async () => {
    const { core, ports, clock, accessKey } = await startAuditedWithKey();
    const createdAt = clock.now();
    const use = async () => {
      await core.authenticate({ accessKey, address: 'a' });
      return (await core.readAccessKey({ organization }))?.usedAt;
    };
    assert.deepEqual(await core.readAccessKey({ organization }), {
      ...{ createdAt, usedAt: null, lastDigits: '0001', name: null },
      previous: null,
    });
    assert.equal(await core.readAccessKey({ organization: { id: 2 } }), null);

    const writes = countTouches(ports.organizations);
    clock.advance(1000);
    const first = clock.now();
    assert.deepEqual(await use(), first);
    clock.advance(59_999);
    assert.deepEqual(await use(), first);
    assert.equal(writes(), 1);
    clock.advance(1);
    assert.deepEqual(await use(), clock.now());
    assert.equal(writes(), 2);
    await assert.rejects(core.authenticate({ accessKey: '1'.repeat(24), address: 'a' }), Refusal);
    assert.equal(writes(), 2);
    await core.generateAccessKey({ organizationId: 1 });
    assert.deepEqual(await core.readAccessKey({ organization }), {
      createdAt: clock.now(),
      usedAt: null,
      lastDigits: '0002',
      name: null,
      previous: null,
    });
  });
});

describe('Rehashing an access key with the current secret key', () => {
  test('happens only if the stored hash is not the current one', async () => {
    const { ports, accessKey } = await startAuditedWithKey();
    const [stored = ''] = ports.secrets.accessKeyHashes(accessKey);
    const table: readonly (readonly [hashes: readonly string[], moved: readonly unknown[]])[] = [
      [['the new hash', stored], [{ organizationId: 1, from: stored, to: 'the new hash' }]],
      [[stored, 'the older hash'], []],
    ];
    for (const [hashes, expected] of table) {
      const moved: unknown[] = [];
      const moveAccessKeyHash = async (move: unknown) => moved.push(move) > 0;
      const core = createCore(
        {
          ...ports,
          secrets: { ...ports.secrets, accessKeyHashes: () => hashes },
          organizations: { ...ports.organizations, moveAccessKeyHash },
        },
        { links },
      );
      await core.authenticate({ accessKey, address: 'a' });
      assert.deepEqual(moved, expected);
    }
  });

  test('authentication neither fails nor waits if that, or its use, cannot be stored', async () => {
    const { ports, accessKey } = await startAuditedWithKey();
    const accessKeyHashes = (key: string) => ['the new hash', ...ports.secrets.accessKeyHashes(key)];
    const busy = async () => {
      throw new Unavailable('busy');
    };
    for (const method of ['moveAccessKeyHash', 'touchAccessKey'])
      for (const work of [busy, () => new Promise<never>(() => {})]) {
        const secrets = { ...ports.secrets, accessKeyHashes };
        const organizations = { ...ports.organizations, [method]: work };
        const core = createCore({ ...ports, secrets, organizations }, { links });
        const { token } = await core.authenticate({ accessKey, address: 'a' });
        assert.equal((await core.authorize({ token: token.reveal(), organizationId: '1' })).id, 1);
      }
  });
});
