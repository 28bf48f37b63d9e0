import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UnknownKey } from '@rollcall/core/adapters';
import { anOrganization } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import { startTestService } from '../../support/test-service.js';

const organization = { id: 1 };
const call = { organization, operation: 'invite', key: 'key 1' };

async function start() {
  const service = await startTestService({ database: 'memory' });
  await service.load({ organizations: [anOrganization(1), anOrganization(2)] });
  const answerOnce = (work: () => Promise<string>) =>
    service.core.answerOnce({ ...call, fingerprint: 'one', work });
  return { service, answerOnce, read: service.core.readAnswer };
}

describe('readAnswer', () => {
  test('returns the answer of a call for 24 hours, as often as it is read', async () => {
    const { service, answerOnce, read } = await start();
    await answerOnce(async () => 'the answer 🔑');
    for (const hours of [0, 12, 12]) {
      service.clock.advance(hours * 3_600_000);
      assert.equal(await read(call), 'the answer 🔑');
    }
    service.clock.advance(1);
    assert.equal(await read(call), null);
  });

  test('returns null without a call, while it runs, and after it failed', async () => {
    const { answerOnce, read } = await start();
    assert.equal(await read(call), null);
    let during: string | null = 'unread';
    await assert.rejects(
      answerOnce(async () => {
        during = await read(call);
        throw new Error('failed');
      }),
      /failed/,
    );
    assert.deepEqual([during, await read(call)], [null, null]);
  });

  test('finds the answers of this organization, operation and key only', async () => {
    const { answerOnce, read } = await start();
    await answerOnce(async () => 'answer');
    for (const other of [{ organization: { id: 2 } }, { operation: 'other' }, { key: 'key 2' }])
      assert.equal(await read({ ...call, ...other }), null);
  });

  test('returns null when the secret key that encrypted the answer is no longer configured', async () => {
    const { service, answerOnce, read } = await start();
    await answerOnce(async () => 'answer');
    service.ports.secrets.decrypt = () => {
      throw new UnknownKey('old');
    };
    assert.equal(await read(call), null);
    service.ports.secrets.decrypt = () => {
      throw new Error('a bug');
    };
    await assert.rejects(read(call), /a bug/);
  });

  test('refuses what is not a key or not an organization', async () => {
    const { read } = await start();
    for (const key of ['', 'x'.repeat(256), 'ü'])
      await assert.rejects(read({ ...call, key }), refused('invalid-request'));
    await assert.rejects(read({ ...call, organization: { id: 0 } }), TypeError);
  });
});
