import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createCore, type DirectoryEntry, Refusal, type SecurityEvent } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts, testUuid } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';

const organization = { id: 1 };
const from = '192.0.2.9';

const ada: DirectoryEntry = {
  ...{ userName: 'Ada@north.test', externalId: '00uA1', givenName: 'Ada', familyName: 'King' },
  ...{ displayName: null, email: 'ada@north.test', isActive: true },
};

/** User 1 owns organization 1, where user 2 is an admin and user 3 a member. User 4 is in organization 2 only. */
async function start({ sendsMail = false } = {}) {
  const security: SecurityEvent[] = [];
  const securityLog = { record: (event: SecurityEvent) => security.push(event) };
  const mailer = { send: async () => ({ outcome: 'sent' }) as never };
  const { ports, clock, load } = memoryPorts({
    ...{ securityLog, ids: { uuid: randomUUID } },
    ...(sendsMail && { mailer }),
  });
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [1, 2, 3, 4].map((id) => aUser(id)),
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'admin', idpId: null },
      { organizationId: 1, userId: 3, role: 'member', idpId: 'idp-3' },
      { organizationId: 2, userId: 4, role: 'member', idpId: null },
    ],
  });
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  const core = createCore(ports, { links, failedAuthenticateLimit: 3 });
  const actions = async () =>
    (await core.listActivity({ organization })).items.map(({ action, subject, actor }) => [
      ...[action, subject, actor.who.kind, actor.from],
    ]);
  const change = (uuid: string, fields: Partial<DirectoryEntry>) =>
    core.changeProvisioned({ organization, uuid, from, change: (before) => ({ ...before, ...fields }) });
  return { core, ports, clock, security, actions, change };
}

/** The names of the events of organization 1. */
async function told({ core }: Awaited<ReturnType<typeof start>>): Promise<number> {
  const { events } = await core.readEvents({ organization });
  return events.length;
}

describe('The directory', () => {
  test('a new membership makes one event and an entry by the directory', async () => {
    const service = await start();
    const person = await service.core.provisionUser({ organization, entry: ada, from });
    assert.equal(await told(service), 1);
    const { events } = await service.core.readEvents({ organization });
    const body = JSON.parse(events[0]?.body ?? '');
    assert.deepEqual(
      [body.event, body.user.uuid, body.user.email, body.user.first_name],
      ['user.registered', person.uuid, 'ada@north.test', 'Ada'],
    );
    assert.deepEqual(await service.actions(), [
      ['member-added', 'ada@north.test: member', 'directory', from],
    ]);
  });

  test('deactivating, reactivating and changing make entries and no event', async () => {
    const service = await start();
    const { uuid, member } = await service.core.provisionUser({ organization, entry: ada, from });
    await service.change(uuid, { isActive: false });
    const again = await service.change(uuid, { isActive: true });
    assert.deepEqual(again.member, member);
    await service.change(uuid, { externalId: '00uA2', givenName: 'Bo', email: 'bo@north.test' });
    await service.change(uuid, {});
    assert.equal(await told(service), 1);
    assert.deepEqual((await service.actions()).map(([action, subject]) => [action, subject]).reverse(), [
      ['member-added', 'ada@north.test: member'],
      ['member-deactivated', 'ada@north.test'],
      ['member-reactivated', 'ada@north.test'],
      ['idp-id-set', 'bo@north.test: 00uA1 → 00uA2'],
      ['email-changed', 'ada@north.test → bo@north.test'],
      ['name-changed', 'bo@north.test: Ada King → Bo King'],
    ]);
  });

  test('an address known elsewhere is invited, with a mail if the service sends mail', async () => {
    for (const sendsMail of [false, true]) {
      const service = await start({ sendsMail });
      const entry = { ...ada, email: aUser(4).email };
      const person = await service.core.provisionUser({ organization, entry, from });
      assert.deepEqual([person.member, person.isActive, await told(service)], [null, true, 0]);
      assert.deepEqual(await service.actions(), [['user-invited', aUser(4).email, 'directory', from]]);
      const at = service.clock.now();
      const mails = await service.ports.mails.claim({ limit: 9, claim: testUuid(1), at, until: at });
      assert.deepEqual(
        mails.map(({ kind, email }) => [kind, email]),
        sendsMail ? [['invitation', aUser(4).email]] : [],
      );
      await service.change(person.uuid, { isActive: false });
      assert.deepEqual((await service.actions())[0]?.slice(0, 2), ['invitation-revoked', aUser(4).email]);
    }
  });

  test('a removed member is told as an end, and a last owner is signed out', async () => {
    const service = await start();
    await service.core.removeProvisioned({ organization, uuid: testUuid(3), from });
    assert.deepEqual((await service.actions())[0]?.slice(0, 2), ['member-removed', aUser(3).email]);
    await service.change(testUuid(1), { displayName: 'x' });
    await assert.rejects(service.change(testUuid(1), { isActive: false }), refused('last-owner'));
    assert.deepEqual((await service.actions())[0]?.slice(0, 2), ['member-signed-out', aUser(1).email]);
    await assert.rejects(service.change(testUuid(2), { isActive: false }), refused('directory-not-written'));
    const removal = service.core.removeProvisioned({ organization, uuid: testUuid(2), from });
    await assert.rejects(removal, refused('directory-not-written'));
  });

  test('an entry is refused with every problem, by the names of SCIM', async () => {
    const { core } = await start();
    const long = 'x'.repeat(501);
    const entry = {
      ...ada,
      userName: '',
      externalId: long,
      givenName: 'a\nb',
      displayName: long,
      email: 'no',
    };
    const error = await core.provisionUser({ organization, entry, from }).catch((caught: unknown) => caught);
    assert.ok(error instanceof Refusal);
    assert.deepEqual(
      error.problems.map(({ field, code }) => [field, code]),
      [
        ['userName', 'empty'],
        ['externalId', 'too-long'],
        ['givenName', 'not-storable'],
        ['displayName', 'too-long'],
        ['emails', 'malformed'],
      ],
    );
    const problem = async (fields: Partial<DirectoryEntry>) => {
      const refusal = core.provisionUser({ organization, entry: { ...ada, ...fields }, from });
      const caught = await refusal.catch((one: unknown) => one);
      assert.ok(caught instanceof Refusal);
      return caught.problems.map(({ field, code }) => [field, code]);
    };
    assert.deepEqual(await problem({ userName: 'ada', email: null }), [['emails', 'required']]);
    for (const externalId of ['.', '..'])
      assert.deepEqual(await problem({ externalId }), [['externalId', 'not-allowed']]);
    assert.deepEqual(await problem({ externalId: ' a' }), [['externalId', 'malformed']]);
  });

  test('a name is made of what there is', async () => {
    const { core } = await start();
    const names = { givenName: null, familyName: null };
    const made: string[] = [];
    for (const [index, displayName] of ['Ada King', 'Ada', null].entries()) {
      const [userName, externalId] = [`n${index}@north.test`, null];
      const entry = { ...ada, ...names, displayName, userName, externalId, email: null };
      const { member } = await core.provisionUser({ organization, entry, from });
      made.push(`${member?.user.firstName} ${member?.user.lastName}`);
    }
    assert.deepEqual(made, ['Ada King', 'Ada -', 'n2 -']);
  });

  test('what was stored before is not checked again, so that anyone can be deactivated', async () => {
    const { core, ports, change } = await start();
    const stored = { organizationId: 1, uuid: testUuid(3), at: new Date(0) };
    const ids = { uuid: testUuid(90), invitationId: testUuid(91), keyId: 'key', retiredUuid: testUuid(92) };
    const account = { email: aUser(3).email, firstName: 'A', lastName: 'B' };
    await ports.directory.change({ ...stored, ids }, (one) => ({
      entry: { ...one, email: 'not an address', displayName: 'a\nb' },
      account,
    }));
    assert.equal((await change(testUuid(3), { isActive: false })).isActive, false);
    await assert.rejects(change(testUuid(3), { displayName: 'c\nd' }), refused('invalid-request'));
    assert.equal(
      (await core.findProvisioned({ organization, attribute: 'id', value: testUuid(3) }))?.isActive,
      false,
    );
  });

  test('an idpId that it keeps is refused elsewhere, with the reason', async () => {
    const { core } = await start();
    const { uuid } = await core.provisionUser({ organization, entry: ada, from });
    const refusal = refused(
      'invalid-request',
      'idpId is kept by the directory: change it at the identity provider',
    );
    await assert.rejects(core.setIdpId({ organization, uuid, idpId: 'other' }), refusal);
    await assert.rejects(core.setIdpId({ organization, uuid, idpId: null }), refusal);
    assert.equal((await core.setIdpId({ organization, uuid: testUuid(3), idpId: 'other' })).idpId, 'other');
  });

  test('people are found by each attribute, and by no text that cannot be stored', async () => {
    const { core } = await start();
    const { uuid } = await core.provisionUser({ organization, entry: ada, from });
    const find = async (attribute: 'id' | 'userName' | 'externalId' | 'emails', value: string) =>
      (await core.findProvisioned({ organization, attribute, value }))?.uuid ?? null;
    assert.equal(await find('id', uuid.toUpperCase()), uuid);
    assert.equal(await find('userName', 'ADA@north.test'), uuid);
    assert.equal(await find('externalId', ' 00uA1 '), uuid);
    assert.equal(await find('emails', 'ADA@north.test'), uuid);
    for (const value of ['00ua1', 'a\0b', '', 'x'])
      assert.deepEqual([await find('externalId', value), await find('id', value)], [null, null]);
  });
});

describe('The token of a directory', () => {
  test('opens its own organization, also while the one before is kept', async () => {
    const { core, clock, actions } = await start();
    const issue = async (keepOldForHours?: number) =>
      (await core.issueDirectoryToken({ organization, keepOldForHours })).token.reveal();
    const opens = (token: string | null, organizationId = '1') =>
      core.authorizeDirectory({ token, organizationId, address: from }).then(
        ({ id }) => id,
        (error: Refusal) => error.code,
      );
    const first = await issue();
    assert.equal(await opens(first), 1);
    const second = await issue(1);
    assert.deepEqual([await opens(first), await opens(second)], [1, 1]);
    clock.advance(3_600_000);
    assert.deepEqual([await opens(first), await opens(second)], ['directory-unauthorized', 1]);
    for (const other of ['2', '01', '1.0', '', 'one', '99'])
      assert.notEqual(await opens(second, other), 1, other);
    await core.endDirectoryTokens({ organization, which: 'all' });
    clock.advance(60_000);
    assert.equal(await opens(second), 'directory-unauthorized');
    await assert.rejects(
      core.endDirectoryTokens({ organization, which: 'all' }),
      refused('directory-token-outdated'),
    );
    assert.deepEqual((await actions()).map(([action, subject]) => [action, subject]).reverse(), [
      ['directory-token-issued', null],
      ['directory-token-issued', 'the old one works for 1 hour'],
      ['directory-token-ended', null],
    ]);
  });

  test('wrong ones are counted for the network and logged without the token', async () => {
    const { core, security, clock } = await start();
    const { token } = await core.issueDirectoryToken({ organization });
    const wrong = () =>
      core.authorizeDirectory({ token: 'directory-99', organizationId: '1', address: from });
    const missing = () => core.authorizeDirectory({ token: null, organizationId: '1', address: from });
    for (let count = 0; count < 5; count += 1)
      await assert.rejects(missing(), refused('directory-unauthorized'));
    for (let count = 0; count < 3; count += 1)
      await assert.rejects(wrong(), refused('directory-unauthorized'));
    await assert.rejects(wrong(), refused('too-many-requests'));
    const right = () =>
      core.authorizeDirectory({ token: token.reveal(), organizationId: '1', address: from });
    await assert.rejects(right(), refused('too-many-requests'));
    assert.deepEqual(
      security.map(({ kind }) => kind),
      [...Array(3).fill('directory-failed'), 'directory-refused', 'directory-refused'],
    );
    assert.doesNotMatch(JSON.stringify(security), /directory-99|directory-1"/);
    clock.advance(60_000);
    assert.equal((await right()).id, 1);
  });

  test('an organization has 500 requests in ten seconds', async () => {
    const { core, clock } = await start();
    const { token } = await core.issueDirectoryToken({ organization });
    const right = () =>
      core.authorizeDirectory({ token: token.reveal(), organizationId: '1', address: from });
    for (let count = 0; count < 500; count += 1) await right();
    const error = await right().catch((caught: unknown) => caught);
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.retryAfter], ['too-many-requests', 10]);
    clock.advance(10_000);
    await right();
  });

  test('a repeated request replaces no newer token', async () => {
    const { core, clock } = await start();
    await core.issueDirectoryToken({ organization, replaces: null });
    const outdated = refused('directory-token-outdated');
    await assert.rejects(core.issueDirectoryToken({ organization, replaces: null }), outdated);
    await core.issueDirectoryToken({ organization, replaces: clock.now() });
    await assert.rejects(
      core.issueDirectoryToken({ organization, keepOldForHours: 169 }),
      refused('invalid-request'),
    );
    await assert.rejects(core.endDirectoryTokens({ organization, which: 'old' }), outdated);
  });

  test('is shown with its times, beside the numbers and the latest 200 requests', async () => {
    const { core, clock } = await start();
    const at = clock.now();
    const { token } = await core.issueDirectoryToken({ organization });
    await core.authorizeDirectory({ token: token.reveal(), organizationId: '1', address: from });
    for (let status = 1; status <= 205; status += 1)
      await core.recordDirectoryRequest({ organization, method: 'GET', status, reason: 'r', uuid: null });
    const { tokens, counts, requests } = await core.readDirectory({ organization });
    assert.deepEqual(tokens, [{ createdAt: at, usedAt: at, endsAt: null }]);
    assert.deepEqual(counts, { active: 3, inactive: 0, withoutIdpId: 2, invited: 0 });
    assert.deepEqual(
      requests.map(({ status }) => status),
      Array.from({ length: 200 }, (_, index) => 205 - index),
    );
    await core.issueDirectoryToken({ organization, keepOldForHours: 1 });
    assert.equal((await core.readDirectory({ organization })).tokens.length, 2);
    clock.advance(3_600_000);
    assert.equal((await core.readDirectory({ organization })).tokens.length, 1);
  });
});
