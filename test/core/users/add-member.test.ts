import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { operator } from '../../support/core/audited-core.js';
import { organization } from '../../support/core/organization.js';
import { by, password, peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';
import { dana, enableWebhook, events, usersTest } from '../../support/core/users-service.js';

describe('addMember', () => {
  usersTest('addUser, addMember and setPassword make a member who can sign in', async (service) => {
    const user = await service.core.addUser({ ...dana, password: null });
    await assert.rejects(service.core.addUser({ ...dana, password: null }), refused('invalid-request'));
    const request = { organizationId: 1, email: dana.email, role: 'admin', idpId: 'idp-9' } as const;
    const member = await service.core.addMember(request);
    assert.deepEqual([member.user.id, member.role, member.idpId], [user.id, 'admin', 'idp-9']);
    await assert.rejects(service.core.addMember(request), refused('already-member'));
    await assert.rejects(
      service.core.addMember({ ...request, organizationId: 9 }),
      refused('organization-not-found'),
    );
    await assert.rejects(
      service.core.addMember({ ...request, email: 'x@example.test' }),
      refused('user-not-found'),
    );
    await assert.rejects(
      service.core.addMember({ ...request, email: aUser(2).email }),
      refused('invalid-request', 'idpId belongs to another member'),
    );
    await service.core.inviteUser({ ...dana, organization, email: 'kim@example.test', idpId: 'invited' });
    await assert.rejects(
      service.core.addMember({ ...request, email: aUser(2).email, idpId: 'invited' }),
      refused('invalid-request', 'idpId belongs to a pending invitation'),
    );
    await service.core.setPassword({ email: dana.email, password });
    await service.core.signIn({ email: dana.email, password, address: 'a' });
    const unknown = service.core.setPassword({ email: 'x@example.test', password });
    await assert.rejects(unknown, refused('user-not-found'));
  });

  usersTest('creates no event', async (service) => {
    await enableWebhook(service);
    await service.core.addMember({ organizationId: 1, email: aUser(2).email, role: 'member', idpId: null });
    assert.deepEqual(await events(service), []);
  });
});

describe('addMember by a user', () => {
  peopleTest('an owner adds someone who has an account, but only as a member', async (service) => {
    const { core } = service;
    const added = { organizationId: 1, email: aUser(4).email, role: 'member', idpId: 'idp-4' } as const;
    const message = 'role must be member: check who this is, and change it afterwards';
    for (const role of ['owner', 'admin'] as const)
      await assert.rejects(core.addMember({ ...added, role, by }), refused('invalid-request', message));
    await assert.rejects(core.readMember({ organization, userId: 4 }), refused('member-not-found'));
    await assert.rejects(
      core.addMember({ ...added, email: 'nobody@example.test', by }),
      refused('user-not-found'),
    );
    const member = await core.addMember({ ...added, by });
    assert.deepEqual([member.user.id, member.role, member.idpId], [4, 'member', 'idp-4']);
    const { items } = await core.listActivity({ organization });
    assert.deepEqual([items[0]?.action, items[0]?.actor], ['member-added', by]);
  });

  peopleTest('an access key can add no member, and the operator any', async ({ core }) => {
    const added = { organizationId: 1, email: aUser(4).email, role: 'member', idpId: null } as const;
    const key: Actor = { who: { kind: 'access-key' }, from: null };
    await assert.rejects(
      core.addMember({ ...added, by: key }),
      refused('invalid-request', 'by must not be an access-key: invite instead'),
    );
    await assert.rejects(core.readMember({ organization, userId: 4 }), refused('member-not-found'));
    assert.equal((await core.addMember({ ...added, role: 'owner', by: operator })).role, 'owner');
  });

  peopleTest('the pending invitation is accepted: its UUID gets login links at once', async ({ core }) => {
    const person = { email: aUser(4).email, firstName: 'Dana', lastName: 'Kim' };
    const invited = await core.inviteUser({ organization, ...person, idpId: 'invited' });
    const pending = core.issueLoginLink({ organization, uuid: invited.uuid });
    await assert.rejects(pending, refused('invitation-pending'));
    const added = { organizationId: 1, email: person.email, role: 'member', idpId: null } as const;
    const member = await core.addMember(added);
    assert.deepEqual([member.uuid, member.idpId], [invited.uuid, 'invited']);
    assert.match((await core.issueLoginLink({ organization, uuid: invited.uuid })).url, /login/);
    const token = invited.invitationUrl.slice(invited.invitationUrl.lastIndexOf('/') + 1);
    await assert.rejects(core.readPendingInvitation({ token }), refused('invitation-used'));
  });
});
