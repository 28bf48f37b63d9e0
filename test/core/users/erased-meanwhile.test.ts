import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createCore, type Ports } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused, tokenOf } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

const { email, uuid, firstName, lastName } = aUser(3);

/** A core in which the person is erased just before a port method does its work, once. */
function withErasureBefore<Port extends 'loginLinks' | 'sessions' | 'members'>(
  { core, ports }: TestService,
  port: Port,
  method: keyof Ports[Port],
): TestService['core'] {
  const work = ports[port][method] as (...values: unknown[]) => Promise<unknown>;
  let isErased = false;
  const interrupted = async (...values: unknown[]): Promise<unknown> => {
    if (!isErased) {
      isErased = true;
      await core.eraseUser({ email, force: true });
    }
    return work(...values);
  };
  return createCore(
    { ...ports, [port]: { ...ports[port], [method]: interrupted } },
    {
      links: {
        invitation: (token) => `https://service.test/${token.reveal()}`,
        login: (token) => `https://service.test/${token.reveal()}`,
        defaultAvatar: '',
      },
    },
  );
}

describe('A person who is erased during a call', () => {
  peopleTest('gets no login link, and is named nowhere afterwards', async (service) => {
    const core = withErasureBefore(service, 'loginLinks', 'store');
    await assert.rejects(core.issueLoginLink({ organization, uuid }), refused('user-not-found'));
    const { items } = await service.core.listActivity({ organization });
    assert.ok(!JSON.stringify(items).includes(email));
  });

  for (const [port, method] of [
    ['members', 'byUserId'],
    ['sessions', 'create'],
  ] as const)
    peopleTest(`is not signed in by a login link (${port}.${method})`, async (service) => {
      const { url } = await service.core.issueLoginLink({ organization, uuid });
      const core = withErasureBefore(service, port, method as never);
      await assert.rejects(
        core.redeemLoginLink({ token: tokenOf(url) }),
        refused('login-link-unknown', 'This login link does not exist'),
      );
    });

  peopleTest('is registered as somebody new', async (service) => {
    const core = withErasureBefore(service, 'members', 'register');
    const person = { organizationId: 2, email, firstName, lastName };
    await service.core.removeMember({ organization: { id: 2 }, userId: 3 }).catch(() => {});
    const member = await core.registerUser(person);
    assert.equal(member.user.email, email);
    assert.notEqual(member.user.uuid, uuid);
  });

  peopleTest('cannot be added', async (service) => {
    const core = withErasureBefore(service, 'members', 'register');
    const added = core.addMember({ organizationId: 2, email, role: 'member', idpId: null });
    await assert.rejects(added, refused('user-not-found', `email: there is no user ${email}`));
  });
});
