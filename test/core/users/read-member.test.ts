import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

describe('readMember', () => {
  peopleTest('finds a member by user ID, in their own organization only', async ({ core }) => {
    const { user, role } = await core.readMember({ organization, userId: 2 });
    assert.deepEqual([user, role], [aUser(2), 'admin']);
    for (const userId of [4, 99, 0, Number.NaN, 1.5]) {
      await assert.rejects(core.readMember({ organization, userId }), refused('member-not-found'));
    }
    const elsewhere = core.readMember({ organization: { id: 2 }, userId: 2 });
    await assert.rejects(elsewhere, refused('member-not-found'));
  });
});
