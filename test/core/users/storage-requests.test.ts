import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type Ports, Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts, testUuid } from '@rollcall/core/testing';
import { tokenOf } from '../../support/core/refused.js';

const organization = { id: 1 };
const member = aUser(2, { uuid: 'abcdefab-0000-4000-8000-000000000002' });
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const password = new Secret('correct horse');

/** User 1 owns organization 1 and user 2 is a member. The first argument of each call of `asked` is collected. */
async function start(asked: `${string}.${string}`) {
  const mailer = { send: async () => ({ outcome: 'sent' }) as const };
  const { ports, clock, load } = memoryPorts({ mailer });
  const requests: unknown[] = [];
  let wakes = 0;
  ports.dispatcher.wake = () => {
    wakes += 1;
  };
  const [port = '', method = ''] = asked.split('.');
  const owner = ports[port as keyof Ports] as unknown as Record<string, (...values: unknown[]) => unknown>;
  const work = owner[method];
  owner[method] = (...values) => {
    requests.push(values[0]);
    return work?.(...values);
  };
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), member, aUser(3)],
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'member', idpId: null },
    ],
  });
  const core = createCore(ports, {
    links: {
      invitation: (token) => `https://example.test/invitations/${token.reveal()}`,
      login: () => '',
      defaultAvatar: '',
    },
  });
  return { core, ports, clock, requests, wakes: () => wakes };
}

const asNew = (invitationUrl: string) =>
  ({
    token: tokenOf(invitationUrl),
    person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password },
    address: '192.0.2.1',
  }) as const;

test('the storage gets the whole membership, however somebody becomes a member', async () => {
  const { core, clock, requests, wakes } = await start('members.register');
  const at = clock.now();
  const { uuid, invitationUrl } = await core.inviteUser({ organization, ...dana });
  const invitationId = (await core.listInvitations({ organization })).items[0]?.id;
  await core.acceptInvitation(asNew(invitationUrl));
  equal(wakes(), 1);
  const gil = { email: 'gil@example.test', firstName: 'Gil', lastName: 'Guest' };
  await core.registerUser({ organizationId: 1, ...gil, role: 'admin' });
  equal(wakes(), 2);
  await rejects(core.registerUser({ organizationId: 1, ...gil }), { code: 'already-member' });
  await core.addMember({ organizationId: 1, email: aUser(3).email, role: 'member', idpId: 'idp-3' });
  // Members who are added make no event.
  equal(wakes(), 2);
  const [accepted, registered, , added] = requests as { readonly user: Record<string, unknown> }[];
  const entry = { organizationId: 1, idpId: null, at };
  deepEqual(accepted, {
    ...{ ...entry, uuid, role: null, invitationId },
    user: { ...dana, uuid, passwordHash: accepted?.user.passwordHash, createdAt: at },
  });
  deepEqual(registered, {
    ...{ ...entry, uuid: null, role: 'admin', invitationId: null },
    user: { ...gil, uuid: registered?.user.uuid, passwordHash: null, createdAt: at },
  });
  deepEqual(typeof registered?.user.uuid, 'string');
  deepEqual(added, {
    ...{ ...entry, uuid: null, role: 'member', invitationId: null, idpId: 'idp-3' },
    user: aUser(3),
  });
});

test('an invited person with an account is sent to sign in before a password is hashed', async () => {
  const { core, requests } = await start('passwords.hash');
  const { invitationUrl } = await core.inviteUser({ organization, ...dana });
  await core.addUser({ ...dana, password: null });
  await rejects(core.acceptInvitation(asNew(invitationUrl)), { code: 'sign-in-required' });
  deepEqual(requests, []);
});

test('an erasure says who, when, and for which organization', async () => {
  const { core, clock, requests } = await start('personalData.erase');
  const by = { who: { kind: 'operator' }, from: null } as const;
  const at = clock.now();
  await core.eraseMember({ organization, uuid: member.uuid.toUpperCase(), by });
  await core.eraseUser({ uuid: aUser(3).uuid, by });
  deepEqual(requests, [
    { person: { uuid: member.uuid }, at, mayLeaveNoOwner: false, onlyOf: 1 },
    { person: { uuid: aUser(3).uuid }, at, mayLeaveNoOwner: false },
  ]);
  const { items } = await core.listActivity({ organization });
  deepEqual([items[0]?.action, items[0]?.at], ['user-erased', at]);
});

test('the last owner of two organizations is erased only by force, and the refusal names both', async () => {
  const { core } = await start('personalData.erase');
  await core.addMember({ organizationId: 2, email: aUser(1).email, role: 'owner', idpId: null });
  await rejects(core.eraseUser({ email: aUser(1).email }), {
    code: 'last-owner',
    message: 'This is the last owner of organizations 1, 2. Make someone else an owner first',
  });
});

test('a UUID in upper case and an address as an earlier release stored it find the person', async () => {
  const { core, ports } = await start('members.byUuid');
  const uuid = member.uuid.toUpperCase();
  equal((await core.readUser({ organization, uuid })).user.id, 2);
  equal((await core.readUserData({ uuid })).account?.id, 2);
  const email = 'Old.Style@Example.test';
  const { id } = (await ports.users.create({
    ...{ email, firstName: 'Old', lastName: 'Style', uuid: testUuid(70) },
    ...{ passwordHash: null, createdAt: ports.clock.now() },
  })) ?? { id: 0 };
  equal((await core.readUserData({ email })).account?.id, id);
  const changed = await core.setEmail({ email, to: 'new.style@example.test' });
  deepEqual([changed.id, changed.email], [id, 'new.style@example.test']);
  await rejects(core.setEmail({ email: changed.email, to: aUser(1).email }), { code: 'invalid-request' });
});

test('the invitation of a member who is removed ends at that time', async () => {
  for (const remove of ['removeMember', 'removeUser'] as const) {
    const { core, ports, clock } = await start('members.remove');
    await core.inviteUser({ organization, ...dana });
    await ports.users.setEmail({ from: member.email, to: dana.email });
    clock.advance(60_000);
    if (remove === 'removeMember') await core.removeMember({ organization, userId: 2 });
    else await core.removeUser({ organization, uuid: member.uuid });
    const { items } = await core.findInvitations({ organization });
    deepEqual([items[0]?.state, items[0]?.revokedAt], ['revoked', clock.now()]);
  }
});

test('a new user has a UUID and the time, and names of at most 300 characters', async () => {
  const { core, clock, requests } = await start('users.create');
  await core.addUser({ ...dana, password: null });
  const [{ uuid, ...created }] = requests as [{ readonly uuid: string }];
  deepEqual(created, { ...dana, passwordHash: null, createdAt: clock.now() });
  deepEqual(typeof uuid, 'string');
  const name = 'x'.repeat(301);
  await rejects(core.addUser({ ...dana, firstName: name, lastName: name, password: null }), {
    message: 'firstName must have at most 300 characters; lastName must have at most 300 characters',
  });
  await core.addUser({ email: 'x@example.test', firstName: name.slice(1), lastName: 'X', password: null });
});

test('a changed password starts a session like any other, and is told to the person', async () => {
  const { core, ports, clock, requests } = await start('users.replacePasswordHash');
  await ports.users.setPasswordHash({ userId: 1, hash: await ports.passwords.hash(password) });
  const { email } = aUser(1);
  const { session } = await core.signIn({ email, password, address: '192.0.2.1' });
  const changed = await core.changePassword({
    ...{ session: session.reveal(), currentPassword: password },
    ...{ newPassword: new Secret('four blue kestrels'), address: '192.0.2.1', device: ' Safari on macOS ' },
  });
  const [{ from, to, session: started, mails }] = requests as [
    { from: string; to: string; session: { hash: string }; mails: unknown },
  ];
  deepEqual([from === to, await ports.users.passwordHash(1)], [false, to]);
  const device = 'Safari on macOS';
  const expected = { userId: 1, boundTo: null, hasSecondFactor: false, createdAt: clock.now(), device };
  deepEqual(started, { hash: started.hash, ...expected });
  deepEqual(mails, [{ kind: 'password-changed', email, createdAt: clock.now() }]);
  const resumed = await core.resumeSession({ session: changed.session.reveal() });
  deepEqual([resumed?.user.id, resumed?.boundTo], [1, null]);
  deepEqual(await core.sendMails({ limit: 9 }), [
    { kind: 'password-changed', outcome: 'sent', reason: null },
  ]);
});

test('only for revoked invitations, the storage is asked which ones replace them', async () => {
  const { core, requests } = await start('invitations.current');
  const { uuid } = await core.inviteUser({ organization, ...dana });
  await core.readInvitation({ organization, uuid });
  await core.findInvitations({ organization });
  deepEqual(requests, []);
  await core.inviteUser({ organization, ...dana, email: 'gil@example.test' });
  await core.revokeInvitation({ organization, uuid });
  requests.splice(0);
  await core.findInvitations({ organization });
  deepEqual(requests, [{ organizationId: 1, emails: [dana.email] }]);
});

test('a renewed invitation is signed with the key of today', async () => {
  const { core, ports, requests } = await start('invitations.renew');
  const { uuid } = await core.inviteUser({ organization, ...dana });
  Object.assign(ports.secrets, { keyId: 'next' });
  const { invitationUrl } = await core.renewInvitation({ organization, uuid });
  const [{ fresh }] = requests as [{ readonly fresh: { readonly keyId: string; readonly id: string } }];
  equal(fresh.keyId, 'next');
  equal(tokenOf(invitationUrl), `next.${fresh.id}`);
});

test('an accepted invitation no longer explains why there is no login link', async () => {
  const { core } = await start('members.byUuid');
  const { uuid, invitationUrl } = await core.inviteUser({ organization, ...dana });
  await rejects(core.issueLoginLink({ organization, uuid }), { code: 'invitation-pending' });
  await core.acceptInvitation(asNew(invitationUrl));
  await core.removeUser({ organization, uuid });
  await rejects(core.issueLoginLink({ organization, uuid }), { code: 'user-not-found' });
});

test('a page of an invitation says whether the account can sign in, and a session lasts to its end', async () => {
  const { core, ports, clock } = await start('sessions.touch');
  const { invitationUrl } = await core.inviteUser({ organization: { id: 2 }, ...dana, email: member.email });
  const read = () => core.readPendingInvitation({ token: tokenOf(invitationUrl) });
  deepEqual([(await read()).hasAccount, (await read()).canSignIn], [true, false]);
  await ports.users.setPasswordHash({ userId: 2, hash: await ports.passwords.hash(password) });
  deepEqual([(await read()).hasAccount, (await read()).canSignIn], [true, true]);
  const { session } = await core.signIn({ email: member.email, password, address: '192.0.2.1' });
  clock.advance(30 * 60_000 - 1);
  equal((await core.resumeSession({ session: session.reveal() }))?.user.id, 2);
  clock.advance(30 * 60_000);
  equal(await core.resumeSession({ session: session.reveal() }), null);
});
