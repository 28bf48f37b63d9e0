import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Refusal, type Role } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import { dana, enableWebhook, events, usersTest } from '../../support/core/users-service.js';

describe('registerUser', () => {
  usersTest('makes a new or existing user a member, with one event each', async (service) => {
    await enableWebhook(service);
    await service.core.registerUser({ organizationId: 1, ...dana, idpId: 'idp-7' });
    const known = await service.core.registerUser({ organizationId: 1, ...dana, email: aUser(1).email });
    assert.equal(known.user.id, 1);
    assert.equal((await events(service)).length, 2);
    await assert.rejects(
      service.core.registerUser({ organizationId: 1, ...dana }),
      refused('already-member'),
    );
    const taken = service.core.registerUser({
      organizationId: 1,
      ...dana,
      email: 'x@example.test',
      idpId: 'idp-7',
    });
    await assert.rejects(taken, refused('invalid-request'));
    assert.equal((await events(service)).length, 2);
  });

  usersTest('accepts the pending invitation, whose UUID the event and login links have', async (service) => {
    await enableWebhook(service);
    const { core } = service;
    const organization = { id: 1 };
    const invited = await core.inviteUser({ organization, ...dana, idpId: 'invited' });
    const member = await core.registerUser({ organizationId: 1, ...dana, idpId: 'given' });
    assert.deepEqual([member.uuid, member.idpId], [invited.uuid, 'given']);
    assert.notEqual(member.user.uuid, invited.uuid);
    const [event] = await events(service);
    assert.equal(JSON.parse(event?.body ?? '').user.uuid, invited.uuid);
    assert.match((await core.issueLoginLink({ organization, uuid: invited.uuid })).url, /login/);
    const { items } = await core.listInvitations({ organization });
    assert.deepEqual(
      items.map(({ state, userUuid }) => [state, userUuid]),
      [['accepted', invited.uuid]],
    );
  });

  usersTest(
    'refuses an invalid role and idpId, names both at once, and registers no one',
    async (service) => {
      const wrong: readonly (readonly [role: unknown, idpId: unknown, problems: readonly string[]])[] = [
        ['king', null, ['role not-allowed']],
        [null, null, ['role not-allowed']],
        ['member', '', ['idpId empty']],
        ['member', 7, ['idpId wrong-type']],
        ['member', 'a\0b', ['idpId not-storable']],
        ['member', 'x'.repeat(501), ['idpId too-long']],
        [Number.NaN, Number.NaN, ['role not-allowed', 'idpId wrong-type']],
      ];
      for (const [role, idpId, problems] of wrong) {
        const request = { ...dana, role: role as Role, idpId: idpId as string };
        await assert.rejects(service.core.registerUser({ organizationId: 1, ...request }), (error) => {
          assert.ok(error instanceof Refusal, String(error));
          assert.equal(error.code, 'invalid-request');
          assert.deepEqual(
            error.problems.map(({ field, code }) => `${field} ${code}`),
            problems,
          );
          return true;
        });
      }
      assert.equal(await service.ports.users.byEmail(dana.email), null);
    },
  );
});
