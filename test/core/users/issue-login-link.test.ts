import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { refused, tokenOf } from '../../support/core/refused.js';
import { acceptAsNew, invite, usersTest } from '../../support/core/users-service.js';

describe('issueLoginLink', () => {
  usersTest('refuses unknown and malformed UUIDs and users of other organizations alike', async (service) => {
    const uuids = [
      aUser(2).uuid,
      'ffffffff-ffff-4fff-8fff-ffffffffffff',
      '',
      'x',
      '\0',
      `${aUser(1).uuid} `,
      '1',
    ];
    for (const uuid of uuids) {
      const attempt = service.core.issueLoginLink({ organization: { id: 2 }, uuid });
      await assert.rejects(attempt, refused('user-not-found', 'User not found'), uuid);
    }
    const foreign = service.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid });
    await assert.rejects(foreign, refused('user-not-found', 'User not found'));
  });

  usersTest('refuses a user who has not accepted the invitation with a separate code', async (service) => {
    const { uuid, invitationUrl } = await invite(service);
    const attempt = () => service.core.issueLoginLink({ organization: { id: 1 }, uuid });
    await assert.rejects(attempt, refused('invitation-pending'));
    await acceptAsNew(service, invitationUrl);
    await attempt();
  });

  usersTest('accepts a UUID in any case', async (service) => {
    const uuid = 'abcdefab-cdef-4abc-8def-abcdefabcdef';
    await service.load({
      users: [aUser(3, { uuid })],
      memberships: [{ organizationId: 2, userId: 3, role: 'member', idpId: null }],
    });
    await service.core.issueLoginLink({ organization: { id: 2 }, uuid: uuid.toUpperCase() });
  });

  usersTest(
    'issues at most 1,000 links for a member in five minutes, and all of them work',
    async ({ core, ports, clock, load }) => {
      const member = { organization: { id: 2 }, uuid: aUser(1).uuid };
      const first = await core.issueLoginLink(member);
      const limit = { name: 'login-links', points: 1_000, seconds: 300 };
      for (let count = 1; count < 999; count += 1) await ports.limits.consume(limit, '2/1');
      const last = await core.issueLoginLink(member);
      await assert.rejects(core.issueLoginLink(member), refused('too-many-requests'));
      const memberships = [{ organizationId: 2, userId: 3, role: 'member', idpId: null } as const];
      await load({ users: [aUser(3)], memberships });
      await core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(3).uuid });
      for (const { url } of [first, last]) await core.readLoginLink({ token: tokenOf(url) });
      clock.advance(300_000);
      await core.issueLoginLink(member);
    },
  );

  usersTest('tells when the link ends, and the log of the organization who issued it', async (service) => {
    const by: Actor = { who: { kind: 'access-key' }, from: '192.0.2.7' };
    const now = service.clock.now();
    const organization = { id: 2 };
    const { expiresAt } = await service.core.issueLoginLink({ organization, uuid: aUser(1).uuid, by });
    assert.equal(expiresAt.getTime(), now.getTime() + 5 * 60 * 1000);
    const { items } = await service.core.listActivity({ organization });
    assert.deepEqual(
      items.map(({ action, subject, actor, at }) => ({ action, subject, actor, at })),
      [{ action: 'login-link-issued', subject: aUser(1).email, actor: by, at: now }],
    );
  });
});
