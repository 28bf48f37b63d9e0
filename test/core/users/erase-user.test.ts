import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

const by: Actor = { who: { kind: 'command-line' }, from: null };
const { email, uuid } = aUser(3);

describe('eraseUser', () => {
  peopleTest('erases the person everywhere, and every organization learns that', async ({ core }) => {
    await core.addMember({ organizationId: 2, email: aUser(1).email, role: 'owner', idpId: null });
    const erased = await core.eraseUser({ email: ` ${email.toUpperCase()} `, by });
    assert.deepEqual(erased, { organizationIds: [1, 2], withoutOwner: [] });
    await assert.rejects(core.readUser({ organization, uuid }), refused('member-not-found'));
    await assert.rejects(
      core.readUserData({ email }),
      refused('user-not-found', `email: there is no user ${email}`),
    );
    for (const id of [1, 2]) {
      const { items } = await core.listActivity({ organization: { id } });
      const [entry] = items;
      assert.deepEqual([entry?.action, entry?.subject, entry?.actor], ['user-erased', null, by]);
      assert.ok(!JSON.stringify(items).includes(email));
    }
  });

  peopleTest('keeps a last owner, unless it is forced', async ({ core }) => {
    await assert.rejects(
      core.eraseUser({ email }),
      refused('last-owner', 'This is the last owner of organization 2. Make someone else an owner first'),
    );
    assert.equal((await core.readUserData({ email })).account?.id, 3);
    const erased = await core.eraseUser({ uuid: uuid.toUpperCase(), force: true });
    assert.deepEqual(erased, { organizationIds: [1, 2], withoutOwner: [2] });
  });

  peopleTest('knows nobody under another address or UUID', async ({ core }) => {
    for (const [person, text] of [
      [{ email: 'nobody@example.test' }, 'email: there is no user nobody@example.test'],
      [{ uuid: aUser(99).uuid }, 'Nobody has this UUID'],
      [{ uuid: 'x' }, 'Nobody has this UUID'],
    ] as const) {
      await assert.rejects(core.eraseUser(person), refused('user-not-found', text));
      await assert.rejects(core.readUserData(person), refused('user-not-found', text));
    }
  });
});

describe('readUserData', () => {
  peopleTest('reads the data of a person, by the address in any case or by UUID', async ({ core }) => {
    const record = await core.readUserData({ email: ` ${email.toUpperCase()} ` });
    assert.equal(record.account?.id, 3);
    assert.deepEqual(
      record.memberships.map(({ organizationId, isOnlyOwner }) => [organizationId, isOnlyOwner]),
      [
        [1, false],
        [2, true],
      ],
    );
    assert.deepEqual(await core.readUserData({ uuid: uuid.toUpperCase() }), record);
  });
});

describe('eraseMember', () => {
  peopleTest('erases a member whom no other organization has', async ({ core }) => {
    const two = aUser(2);
    await core.eraseMember({ organization, uuid: two.uuid.toUpperCase(), by });
    await assert.rejects(core.readUserData({ email: two.email }), refused('user-not-found'));
    const { items } = await core.listActivity({ organization });
    assert.deepEqual([items[0]?.action, items[0]?.subject, items[0]?.actor], ['user-erased', null, by]);
    await assert.rejects(core.eraseMember({ organization, uuid: two.uuid }), refused('member-not-found'));
  });

  peopleTest('keeps owners and members of other organizations', async ({ core }) => {
    await assert.rejects(core.eraseMember({ organization, uuid: aUser(1).uuid }), refused('is-owner'));
    await assert.rejects(
      core.eraseMember({ organization, uuid }),
      refused(
        'in-other-organization',
        'This account is also used outside this organization, so it cannot be erased here. Remove the user without erase, or ask the operator of this service',
      ),
    );
    assert.equal((await core.listMembers({ organization })).totalItems, 3);
  });
});
