import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type Observer } from '@rollcall/core';
import { links } from '../../support/core/audited-core.js';
import { startWithAccessKey } from '../../support/core/core-with-access-key.js';
import { refused } from '../../support/core/refused.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('authorize', () => {
  test('refuses a missing or invalid token, or one of a deleted organization, with Unauthorized Access', async () => {
    const { core, ports } = await startWithAccessKey();
    const now = ports.clock.now();
    const claims = { generation: 1, issuedAt: now, expiresAt: new Date(now.getTime() + DAY_MS) };
    const deletedOrganizationToken = await ports.tokens.issue({ ...claims, organizationId: 99 });
    for (const token of [null, '', 'nonsense', deletedOrganizationToken.reveal()]) {
      const attempt = core.authorize({ token, organizationId: '1' });
      await assert.rejects(attempt, refused('unauthorized-access', 'Unauthorized Access'));
    }
  });

  test('reads no token if there is none', async () => {
    const { ports } = await startWithAccessKey();
    const read = () => assert.fail('was called');
    const core = createCore({ ...ports, tokens: { ...ports.tokens, read } }, { links });
    const attempt = core.authorize({ token: null, organizationId: '1' });
    await assert.rejects(attempt, refused('unauthorized-access', 'Unauthorized Access'));
  });

  test('refuses a token of another organization, or an ID that is not exactly its number, with Not Authorized', async () => {
    const { core, accessKey } = await startWithAccessKey();
    const { token } = await core.authenticate({ accessKey, address: 'a' });
    for (const organizationId of ['2', '99', '01', '1.0', '+1', ' 1', '1e0', 'abc', '', '１', '1\0']) {
      const attempt = core.authorize({ token: token.reveal(), organizationId });
      await assert.rejects(attempt, refused('not-authorized', 'Not Authorized'), organizationId);
    }
  });

  test('tells the observer of each accepted use of an access key that is kept, and of its tokens', async () => {
    const uses: unknown[] = [];
    const observer: Observer = { olderKeyUsed: (use) => uses.push(use) };
    const { core, accessKey, clock } = await startWithAccessKey({ observer });
    const token = async (key: string) =>
      (await core.authenticate({ accessKey: key, address: 'a' })).token.reveal();
    const older = await token(accessKey);
    const replaced = await core.generateAccessKey({ organizationId: 1, keepOldForHours: 1 });
    const newer = await token(replaced.accessKey.reveal());
    await core.authorize({ token: newer, organizationId: '1' });
    assert.deepEqual(uses, []);

    await core.authorize({ token: older, organizationId: '1' });
    await token(accessKey);
    const expected = [
      { organizationId: 1, by: 'token' },
      { organizationId: 1, by: 'access-key' },
    ];
    assert.deepEqual(uses, expected);

    clock.advance(60 * 60 * 1000);
    await assert.rejects(
      core.authorize({ token: older, organizationId: '1' }),
      refused('unauthorized-access'),
    );
    await assert.rejects(token(accessKey), refused('invalid-access-key'));
    assert.deepEqual(uses, expected);
  });
});
