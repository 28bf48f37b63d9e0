import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Actor, type AuditAction, createCore, Refusal, type Secret, Unavailable } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

const organization = { id: 1 };
const owner: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const client: Actor = { who: { kind: 'access-key' }, from: '2001:db8::1' };
const operator: Actor = { who: { kind: 'command-line' }, from: null };

describe('The audit trail', () => {
  test('tells who did what, from where, with the newest first', async () => {
    const { core, actions } = await started();
    await core.generateAccessKey({ organizationId: 1, by: operator });
    await core.generateAccessKey({ organizationId: 1, by: owner });
    const webhook = {
      url: 'https://partner.test:8443/hooks/a-secret',
      enabled: true,
      events: ['user.registered'],
    };
    await core.configureWebhook({ organization, how: 'set', webhook, by: client });
    await core.configureWebhook({
      organization,
      how: 'change',
      webhook: { enabled: true },
      regenerateSecret: '1',
      by: owner,
    });
    await core.setTimeZone({ organization, timeZone: 'Europe/Berlin', by: owner });
    await core.setTimeZone({ organization, timeZone: null });
    assert.deepEqual(await actions(), [
      ['time-zone-set', null, { who: { kind: 'program' }, from: null }, undefined],
      ['time-zone-set', 'Europe/Berlin', owner, aUser(1).email],
      ['signing-secret-rotated', null, owner, aUser(1).email],
      ['webhook-configured', 'partner.test:8443', owner, aUser(1).email],
      ['webhook-configured', 'partner.test:8443', client, undefined],
      ['access-key-replaced', null, owner, aUser(1).email],
      ['access-key-generated', null, operator, undefined],
    ]);
    assert.deepEqual(await actions(2), []);
  });

  test('tells of login links, who asked for one and who signed in with it, from where', async () => {
    const { core, actions } = await started();
    const { url } = await core.issueLoginLink({ organization, uuid: aUser(1).uuid, by: client });
    const token = url.slice('login:'.length);
    await core.readLoginLink({ token });
    await core.redeemLoginLink({ token, address: '[2001:db8::7]:443' });
    await assert.rejects(core.redeemLoginLink({ token, address: '192.0.2.9' }), Refusal);
    await core.issueLoginLink({ organization, uuid: aUser(1).uuid });
    const { email } = aUser(1);
    assert.deepEqual(await actions(), [
      ['login-link-issued', email, { who: { kind: 'program' }, from: null }, undefined],
      ['login-link-redeemed', email, { who: { kind: 'user', userId: 1 }, from: '2001:db8::7' }, email],
      ['login-link-issued', email, client, undefined],
    ]);
  });

  test('tells of redeliveries, each of an event, or how many', async () => {
    const { core, ports, actions } = await started();
    const webhook = { url: 'https://partner.test/', enabled: true, events: ['user.registered'] };
    await core.configureWebhook({ organization, how: 'set', webhook });
    await core.registerUser({ organizationId: 1, email: 'dana@example.test', firstName: 'D', lastName: 'K' });
    const [claimed] = await ports.outbox.claim({
      limit: 1,
      perOrganization: 1,
      claim: 'c',
      at: ports.clock.now(),
    });
    const { deliveryId, claim, eventId } = claimed ?? assert.fail('no delivery');
    const end = { deliveryId, state: 'failed', attempt: null, at: ports.clock.now() } as const;
    await ports.outbox.finish({ ...end, claim });
    await core.redeliver({ organization: null, deliveryId, by: operator });
    await core.redeliver({ organization, deliveryId, by: operator });
    await ports.outbox.claim({ limit: 1, perOrganization: 1, claim: 'd', at: ports.clock.now() });
    await ports.outbox.finish({ ...end, claim: 'd' });
    await core.redeliverFailed({ organization, since: new Date(0), by: owner });
    await core.redeliverFailed({ organization, since: new Date(0), by: owner });
    assert.deepEqual((await actions()).slice(0, -1), [
      ['deliveries-redelivered', '1', owner, aUser(1).email],
      ['delivery-redelivered', eventId, operator, undefined],
    ]);
  });

  test('has nothing of what was refused', async () => {
    const { core, actions } = await started();
    const refusals = [
      core.generateAccessKey({ organizationId: 99 }),
      core.configureWebhook({ organization, how: 'set', webhook: { enabled: true } }),
      core.setTimeZone({ organization, timeZone: 'Europe/Nowhere' }),
      core.setTimeZone({ organization, timeZone: '+02:00' }),
      core.setTimeZone({ organization: { id: 99 }, timeZone: 'UTC' }),
      core.addMember({ organizationId: 1, email: aUser(1).email, role: 'member', idpId: null }),
      core.redeliver({ organization, deliveryId: 5 }),
    ];
    for (const refusal of refusals) await assert.rejects(refusal, Refusal);
    assert.deepEqual(await actions(), []);
  });

  test('keeps what an embedding program says of an actor short and fit to be stored', async () => {
    const { core, actions } = await started();
    const from = (text: string) => ({ who: { kind: 'access-key' }, from: text }) as const;
    await core.setTimeZone({ organization, timeZone: 'UTC', by: from('x'.repeat(1000)) });
    await core.setTimeZone({ organization, timeZone: 'UTC', by: from('a\0b') });
    await core.setTimeZone({ organization, timeZone: 'UTC', by: from('👩'.repeat(400)) });
    assert.deepEqual(
      (await actions()).map(([, , { from: kept }]) => kept),
      ['👩'.repeat(150), null, 'x'.repeat(300)],
    );
  });

  test('comes in pages', async () => {
    const { core } = await started();
    for (let count = 0; count < 5; count += 1) await core.setTimeZone({ organization, timeZone: 'UTC' });
    const page = await core.listActivity({ organization, page: 3, size: '2' });
    assert.deepEqual(
      [page.items.length, page.page, page.size, page.totalItems, page.totalPages],
      [1, 3, 2, 5, 3],
    );
  });

  test('that can’t be written leaves the old key as it was: none is lost unseen', async () => {
    const { core, ports, accessKey } = await withKey();
    const { replaceAccessKey } = ports.organizations;
    const away = async (change: Parameters<typeof replaceAccessKey>[0]) =>
      replaceAccessKey(change, () => {
        throw new Unavailable('the trail is away');
      });
    const broken = createCore(
      { ...ports, organizations: { ...ports.organizations, replaceAccessKey: away } },
      { links },
    );
    await assert.rejects(broken.generateAccessKey({ organizationId: 1, by: owner }), Unavailable);
    await core.authenticate({ accessKey, address: 'a' });
  });
});

describe('The last use of an access key', () => {
  test('is noted when it authenticates, once a minute', async () => {
    const { core, ports, clock, accessKey } = await withKey();
    const createdAt = clock.now();
    const use = async () => {
      await core.authenticate({ accessKey, address: 'a' });
      return (await core.readAccessKey({ organization }))?.usedAt;
    };
    assert.deepEqual(await core.readAccessKey({ organization }), { createdAt, usedAt: null });
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
    assert.deepEqual(await core.readAccessKey({ organization }), { createdAt: clock.now(), usedAt: null });
  });

  test('fails no authentication, and holds none up', async () => {
    const { ports, accessKey } = await withKey();
    for (const touchAccessKey of [
      async () => {
        throw new Unavailable('busy');
      },
      () => new Promise<void>(() => {}),
    ]) {
      const core = createCore(
        { ...ports, organizations: { ...ports.organizations, touchAccessKey } },
        { links },
      );
      const { token } = await core.authenticate({ accessKey, address: 'a' });
      assert.equal((await core.authorize({ token: token.reveal(), organizationId: '1' })).id, 1);
    }
  });
});

const links = {
  invitation: () => '',
  login: (token: Secret) => `login:${token.reveal()}`,
  defaultAvatar: '',
};

async function started() {
  const { ports, clock, load } = memoryPorts();
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }],
  });
  const core = createCore(ports, { links });
  const actions = async (
    id = 1,
  ): Promise<readonly (readonly [AuditAction, string | null, Actor, string | undefined])[]> => {
    const { items } = await core.listActivity({ organization: { id } });
    return items.map(({ action, subject, actor, user }) => [action, subject, actor, user?.email]);
  };
  return { core, ports, clock, actions };
}

async function withKey() {
  const service = await started();
  const { accessKey } = await service.core.generateAccessKey({ organizationId: 1 });
  return { ...service, accessKey: accessKey.reveal() };
}

/** Counts from now on how often the port is asked to write. */
function countTouches(organizations: { touchAccessKey: (use: never) => Promise<void> }): () => number {
  let count = 0;
  const { touchAccessKey } = organizations;
  organizations.touchAccessKey = (use) => {
    count += 1;
    return touchAccessKey(use);
  };
  return () => count;
}
