import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type Ports, type Role, Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';
import { tokenOf } from '../../support/core/refused.js';

const organization = { id: 1 };
const [owner, member] = [aUser(1), aUser(2)];
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const password = new Secret('correct horse');

/** User 1 owns organization 1 and user 2 is a member. `storage` replaces methods of the ports, by `port.method`. */
async function start(storage: Readonly<Record<string, unknown>> = {}) {
  const { ports, clock, load } = memoryPorts();
  const core = createCore(ports, {
    links: {
      invitation: (token) => `https://example.test/invitations/${token.reveal()}`,
      login: (token) => `https://example.test/login/${token.reveal()}`,
      defaultAvatar: '',
    },
  });
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [owner, member, aUser(3)],
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'member', idpId: 'idp-2' },
    ],
  });
  await ports.users.setPasswordHash({ userId: 2, hash: await ports.passwords.hash(password) });
  const invited = await core.inviteUser({ organization, ...dana });
  for (const [name, work] of Object.entries(storage)) {
    const [port = '', method = ''] = name.split('.');
    Object.assign(ports[port as keyof Ports] as object, { [method]: work });
  }
  return { core, ports, clock, invited };
}

type Service = Awaited<ReturnType<typeof start>>;

const accept = ({ core, invited }: Service) =>
  core.acceptInvitation({
    token: tokenOf(invited.invitationUrl),
    person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password },
    address: '192.0.2.1',
  });
const register = ({ core }: Service) => core.registerUser({ organizationId: 1, ...dana });
const add = ({ core }: Service) =>
  core.addMember({ organizationId: 1, email: aUser(3).email, role: 'member', idpId: null });
const renew = ({ core, invited }: Service) =>
  core.renewInvitation({ organization, uuid: invited.uuid, idpId: 'new', replaces: 'seen' });
const removeUser = ({ core }: Service) => core.removeUser({ organization, uuid: member.uuid });
const removeMember = ({ core }: Service) => core.removeMember({ organization, userId: 2 });
const eraseMember = ({ core }: Service) => core.eraseMember({ organization, uuid: member.uuid });
const changeRole = ({ core }: Service) => core.changeRole({ organization, userId: 2, role: 'admin' });
const redeem = async ({ core }: Service) => {
  const { url } = await core.issueLoginLink({ organization, uuid: member.uuid });
  return core.redeemLoginLink({ token: tokenOf(url) });
};
const endOwnSession = async ({ core }: Service) => {
  const signedIn = await core.signIn({ email: member.email, password, address: '192.0.2.1' });
  const session = signedIn.session.reveal();
  const { own } = await core.listSessions({ session });
  return core.endSession({ session, id: own.id });
};
const setIdpId = ({ core }: Service) => core.setIdpId({ organization, uuid: member.uuid, idpId: 'x' });

/** What another caller did just before, and what this one hears. */
const races: readonly (readonly [
  call: (service: Service) => Promise<unknown>,
  method: string,
  answer: unknown,
  expected: { readonly code: string; readonly message: string },
])[] = [
  [
    accept,
    'members.register',
    'account-exists',
    {
      code: 'sign-in-required',
      message: 'There is an account with this address: sign in with its password to accept',
    },
  ],
  [
    accept,
    'members.register',
    'invitation-closed',
    { code: 'invitation-used', message: 'This invitation was accepted already' },
  ],
  [
    accept,
    'members.register',
    'unknown-user',
    { code: 'invitation-unknown', message: 'This invitation does not exist' },
  ],
  [
    accept,
    'members.register',
    'already-member',
    { code: 'already-member', message: 'You are a member of this organization already' },
  ],
  [
    register,
    'members.register',
    'unknown-organization',
    { code: 'organization-not-found', message: 'organizationId: there is no organization 1' },
  ],
  [
    add,
    'members.register',
    'unknown-organization',
    { code: 'organization-not-found', message: 'There is no organization 1' },
  ],
  [
    add,
    'members.register',
    'already-member',
    { code: 'already-member', message: 'email: user-3@example.test is a member of Organization 1 already' },
  ],
  [
    renew,
    'invitations.renew',
    'already-member',
    { code: 'already-member', message: 'email: this user is already a member of the organization' },
  ],
  [
    removeUser,
    'members.remove',
    'not-a-member',
    { code: 'member-not-found', message: 'User not found on Service' },
  ],
  [
    removeUser,
    'members.remove',
    'last-owner',
    { code: 'last-owner', message: 'This is the last owner. Make someone else an owner first' },
  ],
  [
    removeMember,
    'members.remove',
    'not-a-member',
    { code: 'member-not-found', message: 'There is no such member' },
  ],
  [
    eraseMember,
    'personalData.erase',
    'unknown',
    { code: 'member-not-found', message: 'User not found on Service' },
  ],
  [
    setIdpId,
    'members.setIdpId',
    'not-a-member',
    { code: 'member-not-found', message: 'User not found on Service' },
  ],
  [
    redeem,
    'loginLinks.redeem',
    false,
    { code: 'login-link-used', message: 'This login link was used already' },
  ],
  [
    endOwnSession,
    'sessions.end',
    false,
    { code: 'session-not-found', message: 'The session has ended or does not exist' },
  ],
];

test('a caller hears what happened just before: each answer of the storage has its refusal', async () => {
  for (const [call, method, answer, { code, message }] of races) {
    const service = await start({ [method]: async () => answer });
    await rejects(call(service), { name: 'Refusal', code, message }, `${method}: ${String(answer)}`);
  }
});

test('an answer that breaks the promise of the storage is an error, and no success', async () => {
  for (const [call, method, answer, message] of [
    [accept, 'members.register', 'idp-id-of-member', 'an invitation cannot be accepted: idp-id-of-member'],
    [removeMember, 'members.remove', 'is-owner', 'an owner was kept without a reason'],
    [
      eraseMember,
      'personalData.erase',
      { lastOwnerOf: [1] },
      'a member who is not an owner was the last owner',
    ],
    [
      ({ core }: Service) => core.eraseUser({ email: member.email }),
      'personalData.erase',
      'is-owner',
      'nothing was erased: is-owner',
    ],
  ] as const) {
    const service = await start({ [method]: async () => answer });
    await rejects(call(service), { name: 'Error', message });
  }
});

test('a person whose account comes and goes is tried five times, and not for ever', async () => {
  for (const answer of ['account-exists', 'unknown-user']) {
    let calls = 0;
    const service = await start({
      async 'members.register'() {
        calls += 1;
        return answer;
      },
    });
    const message = 'Members.register and Users.byEmail do not agree on whether there is an account';
    await rejects(register(service), { name: 'Error', message });
    equal(calls, 5);
  }
});

test('callers learn that a member or an invitation was changed or removed meanwhile', async () => {
  const byId = (idpId: string | null | undefined) => async () => (idpId === undefined ? null : { idpId });
  for (const [idpId, message] of [
    ['other', 'idpId was changed to other in the meantime'],
    [null, 'idpId was removed in the meantime'],
    [undefined, 'idpId was removed in the meantime'],
  ] as const) {
    const service = await start({
      'invitations.renew': async () => 'outdated',
      'invitations.byId': byId(idpId),
    });
    await rejects(renew(service), { code: 'invalid-request', message });
  }
  const service = await start({
    'members.changeRole': async () => 'outdated',
    'members.byUserId': async () => null,
  });
  await rejects(changeRole(service), { code: 'member-not-found', message: 'There is no such member' });
});

test('a renewal that has seen another idpId changes nothing', async () => {
  const { core, invited } = await start();
  const request = { organization, uuid: invited.uuid, idpId: 'new' };
  await core.renewInvitation({ ...request, idpId: 'first' });
  await rejects(core.renewInvitation({ ...request, replaces: null }), {
    code: 'invalid-request',
    message: 'idpId was changed to first in the meantime',
  });
  equal((await core.renewInvitation({ ...request, replaces: 'first' })).idpId, 'new');
});

test('an error of the storage is reported by every use-case that only stores', async () => {
  const away = () => Promise.reject(new Error('the database is away'));
  for (const [method, call] of [
    ['sessions.end', ({ core }: Service) => core.signOut({ session: 'session-1' })],
    ['members.register', register],
  ] as const)
    await rejects(call(await start({ [method]: away })), /the database is away/, method);

  const { core, ports, clock } = await start({ 'sessions.touch': away });
  const at = clock.now();
  const { token, hash } = ports.secrets.newToken('session');
  await ports.sessions.create({ hash, userId: 1, boundTo: null, createdAt: at, passwordHash: null });
  clock.advance(60_000);
  await rejects(core.resumeSession({ session: token.reveal() }), /the database is away/);
});

test('an unknown organization is named first, and problems of every field together', async () => {
  const service = await start();
  const request = { organizationId: 99, email: 'nobody@example.test', role: 'member', idpId: null } as const;
  await rejects(service.core.addMember(request), {
    code: 'organization-not-found',
    message: 'There is no organization 99',
  });
  await rejects(service.core.addMember({ ...request, role: 'king' as Role, idpId: 'x'.repeat(501) }), {
    message: 'role must be one of owner, admin, member; idpId must have at most 500 characters',
  });
  for (const kind of ['operator', 'program', 'command-line'] as const) {
    const { core } = await start();
    const by = { who: { kind }, from: null };
    const added = { organizationId: 1, email: aUser(3).email, role: 'owner', idpId: null, by } as const;
    deepEqual((await core.addMember(added)).role, 'owner', kind);
  }
});
