import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Refusal, Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { password } from '../../support/core/people-service.js';
import { refused, tokenOf } from '../../support/core/refused.js';
import {
  acceptAsKnown,
  acceptAsNew,
  dana,
  enableWebhook,
  events,
  invite,
  usersTest,
} from '../../support/core/users-service.js';

describe('acceptInvitation', () => {
  usersTest('a new person chooses a password, becomes a member and is signed in', async (service) => {
    const invited = await invite(service);
    const opened = await service.core.readPendingInvitation({ token: tokenOf(invited.invitationUrl) });
    assert.deepEqual(opened, {
      organization: { id: 1, name: 'Organization 1' },
      email: 'dana@example.test',
      firstName: 'Dana',
      lastName: 'Kim',
      role: 'member',
      inviter: null,
      expiresAt: null,
      hasAccount: false,
      canSignIn: false,
    });

    const { session, boundTo, organizationId } = await acceptAsNew(service, invited.invitationUrl);
    assert.deepEqual([boundTo, organizationId], [null, 1]);
    assert.equal((await service.core.resumeSession({ session: session.reveal() }))?.boundTo, null);
    const member = await service.ports.members.byUuid({ organizationId: 1, uuid: invited.uuid });
    assert.deepEqual(
      [member?.role, member?.user.email, member?.user.uuid],
      ['member', 'dana@example.test', invited.uuid],
    );
    await service.core.signIn({ email: 'DANA@example.test', password, address: 'a' });
  });

  usersTest('stores the membership and its event together, once', async (service) => {
    await enableWebhook(service);
    const { invitationUrl, uuid } = await invite(service);
    await acceptAsNew(service, invitationUrl);
    await assert.rejects(acceptAsNew(service, invitationUrl), refused('invitation-used'));
    const [event, ...more] = await events(service);
    assert.equal(more.length, 0);
    const payload = JSON.parse(event?.body ?? '');
    assert.deepEqual(Object.keys(payload), ['event', 'event_id', 'timestamp', 'organization', 'user']);
    assert.deepEqual(payload, {
      event: 'user.registered',
      event_id: event?.eventId,
      timestamp: '2026-11-20T12:00:00.000Z',
      organization: { id: 1, name: 'Organization 1' },
      user: {
        id: payload.user.id,
        uuid,
        email: 'dana@example.test',
        first_name: 'Dana',
        last_name: 'Kim',
        created_at: '2026-11-20T12:00:00.000Z',
      },
    });
  });

  usersTest('a person with an account needs its password to accept', async (service) => {
    const invited = await invite(service, { ...dana, email: aUser(1).email });
    const { invitationUrl } = invited;
    assert.equal(
      (await service.core.readPendingInvitation({ token: tokenOf(invitationUrl) })).hasAccount,
      true,
    );
    await assert.rejects(acceptAsNew(service, invitationUrl), refused('sign-in-required'));
    await assert.rejects(
      acceptAsKnown(service, invitationUrl, new Secret('a guess')),
      refused('wrong-credentials'),
    );

    await enableWebhook(service);
    const { user, boundTo, organizationId } = await acceptAsKnown(service, invitationUrl);
    assert.deepEqual([user.id, user.firstName, boundTo, organizationId], [1, 'First1', null, 1]);
    const [event] = await events(service);
    assert.equal(JSON.parse(event?.body ?? '').user.uuid, invited.uuid);
    assert.equal((await service.ports.members.byUuid({ organizationId: 1, uuid: invited.uuid }))?.user.id, 1);
  });

  usersTest(
    'an organization that invites a person with an account elsewhere cannot sign in as them',
    async (service) => {
      const { invitationUrl, uuid } = await invite(service, { ...dana, email: aUser(1).email });
      const token = tokenOf(invitationUrl);
      const chosen = new Secret('chosen by the organization');
      const attempts = [
        () => acceptAsNew(service, invitationUrl),
        () => acceptAsKnown(service, invitationUrl, chosen),
        () => service.core.issueLoginLink({ organization: { id: 1 }, uuid }),
        () => service.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid }),
        () => service.core.redeemLoginLink({ token }),
        () => service.core.signIn({ email: aUser(1).email, password: chosen, address: 'a' }),
      ];
      for (const attempt of [...attempts, ...attempts]) await assert.rejects(attempt, Refusal);
      assert.deepEqual(await service.core.resumeSession({ session: token }), null);
      assert.equal(await service.ports.members.byUserId({ organizationId: 1, userId: 1 }), null);
      const hash = () => service.ports.users.passwordHash(1);
      assert.equal(await service.ports.passwords.verify({ password, hash }), true);
    },
  );

  usersTest(
    'a person whose password changes meanwhile has joined, and signs in with the new one',
    async (service) => {
      const { invitationUrl } = await invite(service, { ...dana, email: aUser(1).email });
      const { members } = service.ports;
      const { register } = members;
      const changed = new Secret('another correct horse');
      Object.assign(members, {
        register: async (...entry: Parameters<typeof register>) => {
          await service.core.setPassword({ email: aUser(1).email, password: changed });
          return register.apply(members, entry);
        },
      });
      await assert.rejects(acceptAsKnown(service, invitationUrl), refused('session-not-started'));
      assert.equal((await members.byUserId({ organizationId: 1, userId: 1 }))?.role, 'member');
      await service.core.signIn({ email: aUser(1).email, password: changed, address: 'a' });
    },
  );

  usersTest('an account without a password cannot be taken over by choosing one', async (service) => {
    const { invitationUrl } = await invite(service, { ...dana, email: aUser(2).email });
    const { hasAccount, canSignIn } = await service.core.readPendingInvitation({
      token: tokenOf(invitationUrl),
    });
    assert.deepEqual([hasAccount, canSignIn], [true, false]);
    await assert.rejects(acceptAsNew(service, invitationUrl), refused('sign-in-required'));
    await assert.rejects(acceptAsKnown(service, invitationUrl, new Secret('')), refused('wrong-credentials'));
  });

  usersTest('refuses unknown and malformed tokens alike', async (service) => {
    const { invitationUrl } = await invite(service);
    const token = tokenOf(invitationUrl);
    for (const text of [
      '',
      'x',
      `${token}x`,
      token.slice(1),
      token.split('').reverse().join(''),
      '\0',
      '%00',
    ]) {
      await assert.rejects(
        service.core.readPendingInvitation({ token: text }),
        refused('invitation-unknown'),
        text,
      );
    }
  });

  usersTest('reports every problem with the names and the password at once', async (service) => {
    const { invitationUrl } = await invite(service);
    const attempt = service.core.acceptInvitation({
      token: tokenOf(invitationUrl),
      person: { is: 'new', firstName: ' ', lastName: '', password: new Secret('short') },
      address: 'a',
    });
    await assert.rejects(attempt, (error) => error instanceof Refusal && error.problems.length === 3);
    assert.equal(
      (await service.core.readPendingInvitation({ token: tokenOf(invitationUrl) })).hasAccount,
      false,
    );
  });
});
