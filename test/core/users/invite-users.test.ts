import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { problemText } from '@rollcall/core/adapters';
import { aUser } from '@rollcall/core/testing';
import { invitationsTest } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';

const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const kim = { email: 'kim@example.test', firstName: 'Kim', lastName: 'Lee', idpId: 'k-1' };

describe('inviteUsers', () => {
  invitationsTest('returns a result for each person, in order; a bad one stops no other', async (service) => {
    const results = await service.core.inviteUsers({
      organization,
      users: [
        dana,
        { ...dana, email: 'nobody', lastName: '' },
        { problems: [{ field: 'email', code: 'required', message: 'is required' }] },
        { ...dana, email: aUser(1).email },
        kim,
        { ...dana, email: 'other@example.test', idpId: 'k-1' },
        { ...dana, email: 'DANA@example.test', firstName: 'Other' },
      ],
    });
    assert.deepEqual(
      results.map(({ index, status, code, user, problems }) => [
        index,
        code ?? status,
        user?.firstName,
        problems.map((problem) => problemText(problem)).join('; '),
      ]),
      [
        [0, 'created', 'Dana', ''],
        [
          1,
          'invalid-request',
          undefined,
          'email must be an email address such as dana@example.com; lastName must not be empty',
        ],
        [2, 'invalid-request', undefined, 'email is required'],
        [3, 'already-member', undefined, 'email: this user is already a member of the organization'],
        [4, 'created', 'Kim', ''],
        [5, 'invalid-request', undefined, 'idpId belongs to a pending invitation'],
        [6, 'existing', 'Dana', ''],
      ],
    );
    assert.deepEqual(
      results.map(({ status, code }) => [status, code === null]),
      ['created', 'error', 'error', 'error', 'created', 'error', 'existing'].map((status) => [
        ...[status, status !== 'error'],
      ]),
    );
    assert.deepEqual(results[6]?.user, results[0]?.user);
    const again = await service.core.inviteUser({ organization, ...dana });
    assert.deepEqual({ ...results[0]?.user, isNew: false }, again);
    const { items } = await service.core.listActivity({ organization });
    assert.deepEqual(
      items.map(({ action, subject }) => [action, subject]),
      [kim, dana].map(({ email }) => ['user-invited', email]),
    );
  });

  invitationsTest('invites 1 to 500 people', async (service) => {
    const users = (length: number) => Array.from({ length }, () => ({ ...dana, email: 'nobody' }));
    assert.equal((await service.core.inviteUsers({ organization, users: users(500) })).length, 500);
    for (const [length, message] of [
      [0, 'users must have at least 1 entry'],
      [501, 'users must have at most 500 entries'],
    ] as const) {
      const attempt = service.core.inviteUsers({ organization, users: users(length) });
      await assert.rejects(attempt, refused('invalid-request', message));
    }
  });
});
