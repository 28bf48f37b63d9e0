import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { by, peopleTest } from '../../support/core/people-service.js';
import { refused } from '../../support/core/refused.js';

const name = { firstName: 'Ána', lastName: 'Zed' };

/** Users 1 and 2 belong to organization 1 only, 3 to both, 4 to the other one. */
describe('setName', () => {
  peopleTest('corrects the name and records it once, with the old and the new one', async ({ core }) => {
    const { id, email } = aUser(2);
    for (const person of [{ email: email.toUpperCase() }, { userId: id }])
      assert.deepEqual(await core.setName({ person, ...name, by }), { ...aUser(2), ...name });
    assert.deepEqual((await core.readMember({ organization, userId: id })).user, { ...aUser(2), ...name });
    const { items } = await core.listActivity({ organization });
    assert.deepEqual(
      items.map(({ action, subject, actor }) => [action, subject, actor]),
      [['name-changed', `${email}: First2 Last2 → Ána Zed`, by]],
    );
    await core.setName({ person: { userId: 3 }, ...name });
    for (const one of [organization, { id: 2 }])
      assert.equal((await core.listActivity({ organization: one })).items[0]?.action, 'name-changed');
  });

  peopleTest('has the rules of an invitation', async ({ core }) => {
    for (const text of ['', ' ', 'x'.repeat(301), 'a\nb', 'a\u202eb', 'a\u2028b']) {
      await assert.rejects(
        core.setName({ person: { userId: 2 }, firstName: text, lastName: 'Z' }),
        refused('invalid-request'),
      );
      await assert.rejects(
        core.setName({ person: { userId: 2 }, firstName: 'Z', lastName: text }),
        refused('invalid-request'),
      );
    }
    assert.equal((await core.listActivity({ organization })).totalItems, 0);
  });

  peopleTest('by an organization changes only people whom no other has', async ({ core }) => {
    const set = (userId: number) => core.setName({ person: { userId }, ...name, onlyOf: organization, by });
    assert.equal((await set(2)).lastName, 'Zed');
    await assert.rejects(
      set(3),
      refused(
        'in-other-organization',
        'This account is also used outside this organization, so only the person or the operator of this service can correct the name',
      ),
    );
    for (const userId of [4, 99])
      await assert.rejects(set(userId), refused('member-not-found', 'There is no such member'));
    await assert.rejects(
      core.setName({ person: { userId: 99 }, ...name }),
      refused('user-not-found', 'There is no such user'),
    );
    await assert.rejects(
      core.setName({ person: { email: 'no@one.test' }, ...name }),
      refused('user-not-found', 'email: there is no user no@one.test'),
    );
  });
});
