import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor, InvitedRole } from '@rollcall/core';
import { organization } from '../../support/core/organization.js';
import { by as owner, password, peopleTest } from '../../support/core/people-service.js';
import { readChunks } from '../../support/core/read-chunks.js';
import { refused, tokenOf } from '../../support/core/refused.js';
import { dana } from '../../support/core/users-service.js';
import type { TestService } from '../../support/test-service.js';

const admin: Actor = { who: { kind: 'user', userId: 2 }, from: null };
const accessKey: Actor = { who: { kind: 'access-key' }, from: null };
const program: Actor = { who: { kind: 'program' }, from: null };

const invite = ({ core }: TestService, by: Actor, role: InvitedRole = 'admin') =>
  core.inviteUser({ organization, ...dana, role, by });

const accept = (service: TestService, url: string) =>
  service.core.acceptInvitation({
    token: tokenOf(url),
    person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password },
    address: '192.0.2.9',
  });

async function roleAfter(service: TestService, url: string): Promise<string | undefined> {
  await accept(service, url);
  const { items } = await service.core.listUsers({ organization, email: dana.email });
  return items[0]?.role;
}

describe('The role of an invitation', () => {
  peopleTest('is given to the person who accepts, and the audit trail names it twice', async (service) => {
    const { invitationUrl } = await invite(service, owner);
    const opened = await service.core.readPendingInvitation({ token: tokenOf(invitationUrl) });
    assert.deepEqual([opened.role, opened.inviter?.firstName], ['admin', 'First1']);
    assert.equal(await roleAfter(service, invitationUrl), 'admin');
    const { items } = await service.core.listActivity({ organization });
    const [given, invited] = items.map(({ action, subject, actor, user, about }) => [
      ...[action, subject, actor.from],
      ...[user?.email, about?.email],
    ]);
    const email = 'dana@example.test';
    assert.deepEqual(given, ['role-changed', `${email}: admin`, '192.0.2.9', email, email]);
    assert.deepEqual(invited?.slice(0, 2), ['user-invited', `${email}: admin`]);
  });

  peopleTest('is in the audit trail if a renewal changes it', async (service) => {
    const { uuid } = await invite(service, owner);
    await service.core.renewInvitation({ organization, uuid, role: 'member', by: owner });
    const [entry] = (await service.core.listActivity({ organization })).items;
    assert.deepEqual(
      [entry?.action, entry?.subject],
      ['invitation-renewed', 'dana@example.test: admin → member'],
    );
  });

  peopleTest('can be chosen by owners and embedding programs, and is never owner', async (service) => {
    const message = 'role must be member, unless an owner invites';
    for (const by of [admin, accessKey, { who: { kind: 'user', userId: 4 }, from: null } as const])
      await assert.rejects(invite(service, by), refused('invalid-request', message));
    const wrong = invite(service, owner, 'owner' as never);
    await assert.rejects(wrong, refused('invalid-request', 'role must be one of admin, member'));
    assert.equal((await service.core.findInvitations({ organization })).items.length, 0);
    assert.equal(await roleAfter(service, (await invite(service, program)).invitationUrl), 'admin');
  });

  peopleTest('is not given if the inviter is no longer an owner', async (service) => {
    const { core } = service;
    const { invitationUrl } = await invite(service, owner);
    await core.changeRole({ organization, userId: 2, role: 'owner' });
    await core.changeRole({ organization, userId: 1, role: 'admin' });
    assert.equal((await core.readPendingInvitation({ token: tokenOf(invitationUrl) })).role, 'member');
    assert.equal(await roleAfter(service, invitationUrl), 'member');
  });

  peopleTest('stays if an owner renews the invitation, and goes if anyone else does', async (service) => {
    const { core } = service;
    const { uuid } = await invite(service, owner);
    const renew = (by: Actor, role?: InvitedRole) => core.renewInvitation({ organization, uuid, role, by });
    assert.equal((await renew(owner)).role, 'admin');
    await assert.rejects(
      renew(admin, 'admin'),
      refused('invalid-request', 'role must be member, unless an owner invites'),
    );
    assert.equal((await renew(accessKey)).role, 'member');
    assert.equal((await renew(owner, 'admin')).role, 'admin');
    const { role, invitationUrl } = await renew(admin);
    assert.equal(role, 'member');
    assert.equal(await roleAfter(service, invitationUrl), 'member');
  });

  peopleTest('is that of a pending invitation, which inviting again leaves as it is', async (service) => {
    await invite(service, owner, 'member');
    await invite(service, owner);
    const { items } = await service.core.listInvitations({ organization });
    assert.equal(items[0]?.role, 'member');
  });
});

describe('The end of an invitation', () => {
  peopleTest('closes it, and inviting again makes a new one, also with its ID', async (service) => {
    const { core, clock } = service;
    const person = { organization, ...dana, idpId: 'd-1', by: owner };
    const first = await core.inviteUser({ ...person, expiresInDays: 1 });
    clock.advance(24 * 60 * 60_000 - 1);
    await core.readPendingInvitation({ token: tokenOf(first.invitationUrl) });
    clock.advance(1);
    await assert.rejects(accept(service, first.invitationUrl), refused('invitation-expired'));
    const kim = await core.inviteUser({ ...person, email: 'kim@example.test' });
    assert.equal(kim.isNew, true, 'the ID is free again');
    await core.revokeInvitation({ organization, uuid: kim.uuid });
    const again = await core.inviteUser(person);
    assert.deepEqual([again.isNew, again.uuid === first.uuid], [true, false]);
    await assert.rejects(accept(service, first.invitationUrl), refused('invitation-expired'));
    await accept(service, again.invitationUrl);
  });

  peopleTest('shows in every list, though nothing can be written', async ({ core, clock, ports }) => {
    const { uuid } = await core.inviteUser({ organization, ...dana, expiresInDays: 1 });
    clock.advance(24 * 60 * 60_000);
    const listed = await core.listInvitations({ organization, state: 'revoked' });
    const found = await core.findInvitations({ organization, state: 'revoked' });
    const file = await readChunks(await core.exportInvitations({ organization, state: 'revoked' }));
    const read = await core.readInvitation({ organization, uuid });
    for (const invitation of [...listed.items, ...found.items, read])
      assert.deepEqual(
        [invitation.state, invitation.revokedAt, invitation.invitationUrl],
        ['revoked', invitation.expiresAt, null],
      );
    assert.deepEqual([listed.items.length, found.items.length, listed.counts.pending], [1, 1, 0]);
    assert.match(file.join(''), /,"revoked",/);
    // The person is none who has yet to accept.
    await assert.rejects(core.issueLoginLink({ organization, uuid }), refused('user-not-found'));
    await assert.rejects(core.listUserMeetings({ organization, uuid }), refused('member-not-found'));
    assert.equal((await ports.invitations.byUserUuid({ organizationId: 1, uuid }))?.revokedAt, null);
  });

  peopleTest('frees its ID for a member', async ({ core, clock }) => {
    await core.inviteUser({ organization, ...dana, idpId: 'd-1', expiresInDays: 1 });
    const [member] = (await core.listUsers({ organization, role: 'member' })).items;
    const set = () => core.setIdpId({ organization, uuid: member?.uuid ?? '', idpId: 'd-1' });
    await assert.rejects(set(), refused('invalid-request', 'idpId belongs to a pending invitation'));
    clock.advance(24 * 60 * 60_000);
    assert.equal((await set()).idpId, 'd-1');
  });

  peopleTest('is 1 to 365 days from now', async ({ core }) => {
    for (const expiresInDays of [0, 366, 1.5, Number.NaN])
      await assert.rejects(
        core.inviteUser({ organization, ...dana, expiresInDays }),
        refused('invalid-request', 'expiresInDays must be a whole number from 1 to 365'),
      );
    const { uuid } = await core.inviteUser({ organization, ...dana, expiresInDays: 365 });
    const renew = core.renewInvitation({ organization, uuid, expiresInDays: 0 });
    await assert.rejects(renew, refused('invalid-request'));
  });
});
