import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

const by: Actor = { who: { kind: 'access-key' }, from: null };

describe('removeUser', () => {
  peopleTest('ends the membership with everything that could still be used', async ({ core }) => {
    const { uuid } = aUser(3);
    const { url } = await core.issueLoginLink({ organization, uuid });
    const feed = await core.createCalendarFeed({ organizationId: 1, userId: 3 });
    const token = (text: string) => text.slice(text.lastIndexOf('/') + 1).replace('.ics', '');
    const removed = await core.removeUser({ organization, uuid, by });
    assert.equal(removed.user.id, 3);
    await assert.rejects(core.redeemLoginLink({ token: token(url) }), refused('login-link-unknown'));
    await assert.rejects(core.readCalendarFeed({ token: token(feed.url) }), refused('calendar-feed-unknown'));
    await assert.rejects(core.readUser({ organization, uuid }), refused('member-not-found'));
    await assert.rejects(core.removeUser({ organization, uuid, by }), refused('member-not-found'));
    assert.equal((await core.readMember({ organization: { id: 2 }, userId: 3 })).role, 'owner');
    const { items } = await core.listActivity({ organization });
    assert.deepEqual(
      [items[0]?.action, items[0]?.subject, items[0]?.actor],
      ['member-removed', 'user-3@example.test', by],
    );
  });

  peopleTest('removes no owner, also while there are others', async ({ core }) => {
    await core.changeRole({ organization, userId: 2, role: 'owner' });
    const refusal = refused('is-owner', 'This user is an owner. An owner removes owners on the People page');
    for (const id of [1, 2])
      await assert.rejects(core.removeUser({ organization, uuid: aUser(id).uuid, by }), refusal);
    assert.equal((await core.listMembers({ organization })).totalItems, 3);
  });
});
