import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Refusal, type RefusalCode } from '@rollcall/core';
import { isAccessKey } from '@rollcall/core/rules';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';

const day = 24 * 60 * 60 * 1000;

describe('authenticate', () => {
  test('exchanges a current access key for a token of one day', async () => {
    const { core, clock, accessKey } = await started();
    const { token } = await core.authenticate({ accessKey, address: 'a' });
    const authorize = () => core.authorize({ token: token.reveal(), organizationId: '1' });

    assert.equal((await authorize()).id, 1);
    clock.advance(day - 1);
    assert.equal((await authorize()).id, 1);
    clock.advance(1);
    await assert.rejects(authorize, refused('unauthorized-access', 'Unauthorized Access'));
  });

  test('a key that is missing, not a string or not 24 digits is refused as a wrong one is', async () => {
    const { core, accessKey } = await started();
    const wrong = [
      '0'.repeat(24),
      accessKey.slice(1),
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

  test('the 101st wrong key in a minute is told to wait, from that address only', async () => {
    const { core, clock, accessKey } = await started();
    const wrong = (address: string) => core.authenticate({ accessKey: 'wrong', address });
    for (let count = 0; count < 100; count += 1)
      await assert.rejects(wrong('192.0.2.1'), refused('invalid-access-key'));

    await assert.rejects(
      wrong('192.0.2.1'),
      (error) =>
        error instanceof Refusal && error.code === 'too-many-requests' && (error.retryAfter ?? 0) > 0,
    );
    await assert.rejects(
      core.authenticate({ accessKey, address: '192.0.2.1' }),
      refused('too-many-requests'),
    );
    await core.authenticate({ accessKey, address: '192.0.2.2' });
    clock.advance(60_000);
    await core.authenticate({ accessKey, address: '192.0.2.1' });
  });

  test('with a limit of 0 wrong keys are not counted', async () => {
    const { core } = await started({ failedAuthenticateLimit: 0 });
    for (let count = 0; count < 200; count += 1) {
      await assert.rejects(
        core.authenticate({ accessKey: 'x', address: 'a' }),
        refused('invalid-access-key'),
      );
    }
  });
});

describe('authorize', () => {
  test('no token, an invalid one, or one of an organization that is gone: Unauthorized Access', async () => {
    const { core, ports } = await started();
    const now = ports.clock.now();
    const claims = { generation: 1, issuedAt: now, expiresAt: new Date(now.getTime() + day) };
    const ofNobody = await ports.tokens.issue({ ...claims, organizationId: 99 });
    for (const token of [null, '', 'nonsense', ofNobody.reveal()]) {
      const attempt = core.authorize({ token, organizationId: '1' });
      await assert.rejects(attempt, refused('unauthorized-access', 'Unauthorized Access'));
    }
  });

  test('a token of another organization, or an id that is not exactly its number: Not Authorized', async () => {
    const { core, accessKey } = await started();
    const { token } = await core.authenticate({ accessKey, address: 'a' });
    for (const organizationId of ['2', '99', '01', '1.0', '+1', ' 1', '1e0', 'abc', '', '１', '1\0']) {
      const attempt = core.authorize({ token: token.reveal(), organizationId });
      await assert.rejects(attempt, refused('not-authorized', 'Not Authorized'), organizationId);
    }
  });

  test('a new access key kills the old one and every token made with it at once', async () => {
    const { core, accessKey } = await started();
    const { token } = await core.authenticate({ accessKey, address: 'a' });
    const replaced = await core.generateAccessKey({ organizationId: 1 });

    assert.ok(isAccessKey(replaced.accessKey.reveal()));
    await assert.rejects(core.authenticate({ accessKey, address: 'a' }), refused('invalid-access-key'));
    await assert.rejects(
      core.authorize({ token: token.reveal(), organizationId: '1' }),
      refused('unauthorized-access'),
    );
    await core.authenticate({ accessKey: replaced.accessKey.reveal(), address: 'a' });
  });
});

describe('An access key', () => {
  test('is 24 digits and nothing else', () => {
    assert.equal(isAccessKey('0123456789'.repeat(3).slice(0, 24)), true);
    for (const text of [
      '1'.repeat(23),
      '1'.repeat(25),
      `${'1'.repeat(24)}\n`,
      ` ${'1'.repeat(23)}`,
      '１'.repeat(24),
      5,
      null,
    ]) {
      assert.equal(isAccessKey(text), false, String(text));
    }
  });
});

describe('organizations', () => {
  test('generateAccessKey of an unknown organization is refused', async () => {
    const { core } = await started();
    await assert.rejects(core.generateAccessKey({ organizationId: 99 }), refused('organization-not-found'));
  });

  test('generateAccessKey asked twice for the same generation makes one key', async () => {
    const { core, accessKey } = await started();
    const [organization] = await core.listOrganizations();
    const replaces = organization?.accessKeyGeneration;
    const first = await core.generateAccessKey({ organizationId: 1, replaces });
    await assert.rejects(
      core.generateAccessKey({ organizationId: 1, replaces }),
      refused('access-key-outdated', 'There is another access key by now; nothing was changed'),
    );
    await assert.rejects(core.authenticate({ accessKey, address: 'a' }), refused('invalid-access-key'));
    await core.authenticate({ accessKey: first.accessKey.reveal(), address: 'a' });
  });

  test('createOrganization refuses a name that says nothing', async () => {
    const { core } = await started();
    await assert.rejects(core.createOrganization({ name: ' ', eap: false }), refused('invalid-request'));
    const made = await core.createOrganization({ name: 'Clinic', eap: true });
    assert.deepEqual((await core.listOrganizations()).at(-1), made);
  });
});

async function started(settings: { readonly failedAuthenticateLimit?: number } = {}) {
  const { ports, clock, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  const core = createCore(ports, { links, ...settings });
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  return { core, ports, clock, accessKey: accessKey.reveal() };
}

function refused(code: RefusalCode, message?: string) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === code && (message === undefined || error.message === message);
}
