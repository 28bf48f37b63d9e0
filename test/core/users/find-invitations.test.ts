import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { encodeCursor } from '#core/values/cursor.js';
import { accept, invitationsTest } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

describe('findInvitations', () => {
  const find = (service: TestService, request: object = {}) =>
    service.core.findInvitations({ organization, ...request });

  invitationsTest('walks the whole list, newest first, while invitations are added', async (service) => {
    for (let number = 1; number <= 5; number += 1) {
      await service.core.inviteUser({ organization, ...dana, email: `p${number}@example.test` });
      if (number % 2 === 0) service.clock.advance(1000);
    }
    const all = (await find(service)).items.map(({ email }) => email);
    assert.deepEqual(
      [...all].sort(),
      [1, 2, 3, 4, 5].map((number) => `p${number}@example.test`),
    );
    assert.equal(all[0], 'p5@example.test');

    const walked: string[] = [];
    let after: string | undefined;
    for (let part = 1; part <= 3; part += 1) {
      const { items, next } = await find(service, { limit: 2, after });
      walked.push(...items.map(({ email }) => email));
      assert.equal(next === null, part === 3);
      after = next ?? undefined;
      service.clock.advance(1000);
      await service.core.inviteUser({ organization, ...dana, email: `later-${part}@example.test` });
    }
    assert.deepEqual(walked, all);
  });

  invitationsTest(
    'finds by address in any case and by state, with the URL while it works',
    async (service) => {
      const first = await service.core.inviteUser({ organization, ...dana, idpId: 'd-1' });
      await service.core.inviteUser({ organization, ...dana, email: 'kim@example.test' });
      service.clock.advance(1000);
      const { invitationUrl } = await service.core.renewInvitation({ organization, uuid: first.uuid });
      const shown = async (request: object) =>
        (await find(service, request)).items.map((item) => [
          item.state,
          item.userUuid === first.uuid,
          item.invitationUrl,
          item.replacedBy,
        ]);
      assert.deepEqual(await shown({ email: ' DANA@example.test' }), [
        ['pending', true, invitationUrl, null],
        ['revoked', false, null, first.uuid],
      ]);
      assert.deepEqual(await shown({ email: dana.email, state: 'replaced' }), [
        ['revoked', false, null, first.uuid],
      ]);
      assert.deepEqual(await shown({ idpId: 'd-1' }), await shown({ email: dana.email }));
      assert.deepEqual(await shown({ idpId: 'd-1', state: 'pending' }), [
        ['pending', true, invitationUrl, null],
      ]);
      assert.deepEqual(await find(service, { email: 'nobody@example.test' }), { items: [], next: null });
      for (const text of ['', 'x', 'D-1', '\0', '%'])
        assert.deepEqual(await find(service, { idpId: text }), { items: [], next: null });
      for (const email of ['', 'x', 'a b@example.test', '\0'])
        await assert.rejects(find(service, { email }), refused('invalid-request'), email);
      await accept(service, invitationUrl);
      assert.deepEqual(await shown({ state: 'accepted' }), [['accepted', true, null, null]]);
      const { items } = await service.core.findInvitations({ organization: { id: 2 } });
      assert.deepEqual(items, []);
    },
  );

  invitationsTest('refuses a cursor that it did not make', async (service) => {
    for (let number = 1; number <= 2; number += 1)
      await service.core.inviteUser({ organization, ...dana, email: `p${number}@example.test` });
    const { next } = await find(service, { limit: 1 });
    const id = '11111111-1111-4111-8111-111111111111';
    const forged = [
      '2026',
      '2026-11-20T10:00:00Z',
      '0000-01-01T00:00:00.000Z',
      '+010000-01-01T00:00:00.000Z',
      '-000001-01-01T00:00:00.000Z',
    ].map((time) => encodeCursor('invitations', [time, id]));
    for (const after of ['', 'x', `${next}x`, next?.slice(0, -2), next?.toLowerCase(), ...forged]) {
      await assert.rejects(find(service, { after }), refused('invalid-request'));
    }
    const forgedKeys = [
      [7, id],
      [next, 7],
      ['2026-11-20T10:00:00.000Z', 7],
      ['2026-11-20T10:00:00.000Z', 'x'],
    ];
    for (const key of [...forgedKeys, ['2026-11-20T10:00:00.000Z', id, 'x'], ['2026-11-20T10:00:00.000Z']])
      await assert.rejects(
        find(service, { after: encodeCursor('invitations', key as string[]) }),
        refused('invalid-request', 'after must be the `next` of an earlier answer'),
      );
    const known = encodeCursor('invitations', ['2026-11-20T10:00:00.000Z', id]);
    assert.deepEqual(await find(service, { after: known }), { items: [], next: null });
    await assert.rejects(find(service, { state: 'open' }), /^TypeError: state must be one of /);
  });

  invitationsTest(
    'asks the storage for what it can store and for one more than it returns',
    async (service) => {
      const asked: (number | undefined)[] = [];
      service.ports.invitations.find = async ({ limit }) => {
        asked.push(limit);
        return [];
      };
      for (const text of ['\0', '\ud800', 'a\0b'])
        assert.deepEqual(await find(service, { idpId: text }), { items: [], next: null });
      assert.deepEqual(asked, []);
      await find(service, { limit: 7, email: 'dana@example.test', idpId: 'd-1' });
      await find(service);
      assert.deepEqual(asked, [8, 51]);
    },
  );
});
