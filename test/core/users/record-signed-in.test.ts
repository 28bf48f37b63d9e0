import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, Secret, type SecurityEvent } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

const password = new Secret('the right password');
const organization = { id: 1 };
const links = {
  invitation: (token: Secret) => token.reveal(),
  login: (token: Secret) => token.reveal(),
  defaultAvatar: '',
};

/** User 1, who has a password and is a member of organization 1. The security log is collected. */
async function start() {
  const events: SecurityEvent[] = [];
  const securityLog = { record: (event: SecurityEvent) => void events.push(event) };
  const { ports, load } = memoryPorts({ securityLog });
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), aUser(2)],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
  });
  for (const userId of [1, 2])
    await ports.users.setPasswordHash({ userId, hash: await ports.passwords.hash(password) });
  return { events, core: createCore(ports, { links }) };
}

test('a sign-in by a login link is recorded once, although the link is tried again', async () => {
  const { core, events } = await start();
  const { items } = await core.listUsers({ organization });
  const { url: token } = await core.issueLoginLink({ organization, uuid: items[0]?.uuid ?? '' });
  await core.redeemLoginLink({ token, address: 'no address' });
  await rejects(core.redeemLoginLink({ token, address: '192.0.2.1' }), { code: 'login-link-used' });
  deepEqual(events, [{ kind: 'signed-in', userId: 1, by: 'login-link', address: null }]);
});

test('a person who accepts an invitation is recorded, with an account and without', async () => {
  const { core, events } = await start();
  const invite = async (email: string): Promise<string> => {
    const person = { email, firstName: 'A', lastName: 'B' };
    return (await core.inviteUser({ organization, ...person })).invitationUrl;
  };
  const known = await core.acceptInvitation({
    token: await invite(aUser(2).email),
    person: { is: 'known', password },
    address: '::ffff:192.0.2.1',
  });
  const fresh = await core.acceptInvitation({
    token: await invite('new@example.test'),
    person: { is: 'new', firstName: 'A', lastName: 'B', password },
    address: '192.0.2.2',
  });
  deepEqual(events, [
    { kind: 'signed-in', userId: known.user.id, by: 'invitation', address: '192.0.2.1' },
    { kind: 'signed-in', userId: fresh.user.id, by: 'invitation', address: '192.0.2.2' },
  ]);
});

test('a wrong password of someone who accepts an invitation or changes it is recorded as a failure', async () => {
  const { core, events } = await start();
  const [{ email }, wrong] = [aUser(1), new Secret('the wrong password')];
  const invited = await core.inviteUser({ organization: { id: 2 }, email, firstName: 'A', lastName: 'B' });
  const known = { token: invited.invitationUrl, person: { is: 'known', password: wrong } } as const;
  await rejects(core.acceptInvitation({ ...known, address: '192.0.2.1' }), { code: 'wrong-credentials' });
  const { session } = await core.signIn({ email, password, address: '192.0.2.1' });
  const change = { session: session.reveal(), currentPassword: wrong, newPassword: password };
  await rejects(core.changePassword({ ...change, address: '192.0.2.2' }), { code: 'wrong-credentials' });
  deepEqual(
    events.filter(({ kind }) => kind !== 'signed-in'),
    ['192.0.2.1', '192.0.2.2'].map((address) => ({ kind: 'sign-in-failed', address, account: email })),
  );
});

test('a changed password is no sign-in', async () => {
  const { core, events } = await start();
  const { session } = await core.signIn({ email: aUser(1).email, password, address: '192.0.2.1' });
  await core.changePassword({
    session: session.reveal(),
    currentPassword: password,
    newPassword: new Secret('another right password'),
    address: '192.0.2.1',
  });
  deepEqual(
    events.map(({ kind }) => kind),
    ['signed-in'],
  );
});
