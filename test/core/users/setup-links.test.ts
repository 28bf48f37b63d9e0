import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { refused, tokenOf } from '../../support/core/refused.js';
import { usersTest } from '../../support/core/users-service.js';
import type { TestService } from '../../support/test-service.js';

const organization = { id: 2 };
const ended = refused('setup-link-unknown');

const issue = async ({ core }: TestService) =>
  tokenOf((await core.issueSetupLink({ organization, userId: 1 })).url);

async function opened({ core }: TestService, token: string) {
  const { session } = await core.openSetupLink({ token, address: '192.0.2.1', device: 'Firefox' });
  return session.reveal();
}

const resumed = ({ core }: TestService, session: string) => core.resumeSession({ session });

describe('A set-up link', () => {
  usersTest('opens for five minutes, again and again, for 24 hours', async (service) => {
    const { core, clock } = service;
    const token = await issue(service);
    assert.deepEqual(await core.readSetupLink({ token }), { organizationName: 'Organization 2' });
    const first = await opened(service, token);
    clock.advance(5 * 60_000 - 1);
    assert.equal((await resumed(service, first))?.endsInMs, 1);
    clock.advance(1);
    assert.equal(await resumed(service, first), null);
    clock.advance(24 * 3_600_000 - 5 * 60_000 - 1);
    const last = await opened(service, token);
    clock.advance(1);
    await assert.rejects(core.openSetupLink({ token }), ended);
    await assert.rejects(core.readSetupLink({ token }), ended);
    assert.equal(await core.findSetupLink({ organization }), null);
    assert.notEqual(await resumed(service, last), null, 'what was opened lasts its five minutes');
  });

  usersTest('opens what is set up, and nothing else, in its own organization', async (service) => {
    const { core } = service;
    await service.load({ memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }] });
    const session = await resumed(service, await opened(service, await issue(service)));
    assert.ok(session);
    const open = (organizationId: number, isForSetup: boolean) =>
      core.authorizeMember({ session, organizationId, role: 'member', isForSetup });
    assert.equal((await open(2, true)).organization.id, 2);
    for (const [organizationId, isForSetup] of [
      [2, false],
      [1, true],
      [1, false],
    ] as const)
      await assert.rejects(open(organizationId, isForSetup), refused('session-bound'));
    const value = await opened(service, await issue(service));
    await assert.rejects(core.listSessions({ session: value }), refused('session-bound'));
  });

  usersTest('ends with the next one, and by an owner', async (service) => {
    const { core } = service;
    const first = await issue(service);
    const session = await opened(service, first);
    const second = await issue(service);
    await assert.rejects(core.openSetupLink({ token: first }), ended);
    assert.equal(await resumed(service, session), null);
    const other = await opened(service, second);
    await core.endSetupLink({ organization });
    await core.endSetupLink({ organization });
    assert.equal(await resumed(service, other), null);
    await assert.rejects(core.openSetupLink({ token: second }), ended);
    await assert.rejects(
      core.issueSetupLink({ organization: { id: 1 }, userId: 1 }),
      refused('organization-not-found'),
    );
    for (const token of ['', 'x', first.slice(1), `${second}a`])
      await assert.rejects(core.readSetupLink({ token }), ended);
  });

  usersTest(
    'is in the audit trail when it is made, opened and ended, and shows when it was opened',
    async (service) => {
      const { core, clock } = service;
      const token = await issue(service);
      const createdAt = clock.now();
      clock.advance(1000);
      await opened(service, token);
      const link = await core.findSetupLink({ organization });
      const expiresAt = new Date(createdAt.getTime() + 24 * 3_600_000);
      assert.deepEqual(link, { createdAt, expiresAt, openedAt: clock.now() });
      await core.endSetupLink({ organization });
      const { items: entries } = await core.listActivity({ organization });
      assert.deepEqual(
        entries.map(({ action, actor }) => [action, actor.who.kind, actor.from]),
        [
          ['setup-link-ended', 'program', null],
          ['setup-link-opened', 'setup-link', '192.0.2.1'],
          ['setup-link-issued', 'program', null],
        ],
      );
    },
  );
});
