import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { apiSuite } from '../support/http/api-suite.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';

const dana = { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' };

interface Result {
  readonly index: number;
  readonly status: string;
  readonly user: { readonly id: string; readonly invitation_url: string } | null;
  readonly code: string | null;
  readonly error: string | null;
}

apiSuite((service) => {
  describe('POST /organizations/:id/invite_users', () => {
    test('answers a result for each entry in order, with the words of invite_user; a bad entry stops no other', async () => {
      const { id, post } = await service().organization({}, (number) => ({
        users: [aUser(number, { email: `member-${number}@northwind.test` })],
        memberships: [{ organizationId: number, userId: number, role: 'member', idpId: `m-${number}` }],
      }));
      const entries = [
        { ...dana, idp_id: 'd-1' },
        { ...dana, email: 'lee', last_name: '' },
        null,
        'dana@northwind.test\u0000',
        { first_name: 'Kim' },
        { ...dana, email: `member-${id}@northwind.test` },
        { ...dana, email: 'kim@northwind.test', idp_id: `m-${id}` },
        { ...dana, email: 'kim@northwind.test', idp_id: 'd-1' },
        { ...dana, email: 'kim@northwind.test', idp_id: '' },
        { ...dana, email: 'kim@northwind.test', idp_id: 7 },
        { ...dana, email: 'kim@northwind.test', idpId: 'k-1' },
        { ...dana, email: 'DANA@northwind.test', first_name: 'Other' },
      ];
      const reply = await post('/invite_users', { users: entries });
      assert.equal(reply.status, 200);
      const { success, results } = reply.json as { success: true; results: readonly Result[] };
      assert.deepEqual(Object.keys(reply.json), ['success', 'results']);
      assert.equal(success, true);
      const object = 'The entry must be an object';
      assert.deepEqual(
        results.map(({ index, status, error }) => [index, status, error]),
        [
          [0, 'created', null],
          [
            1,
            'error',
            'email must be an email address such as dana@example.com; last_name must not be empty',
          ],
          [2, 'error', object],
          [3, 'error', object],
          [4, 'error', 'email is required; last_name is required'],
          [5, 'error', 'email: this user is already a member of the organization'],
          [6, 'error', 'idp_id belongs to another member'],
          [7, 'error', 'idp_id belongs to a pending invitation'],
          [8, 'error', 'idp_id must not be empty'],
          [9, 'error', 'idp_id must be a string or null'],
          [
            10,
            'error',
            'idpId is not a field of this request, which has only email, first_name, last_name, idp_id, expires_in_days',
          ],
          [11, 'existing', null],
        ],
      );
      assert.deepEqual(
        results.map(({ code }) => code),
        results.map(({ index, status }) =>
          status !== 'error' ? null : index === 5 ? 'already-member' : 'invalid-request',
        ),
      );
      const [first, , third] = results;
      assert.deepEqual([third?.user, results.at(-1)?.user], [null, first?.user]);
      const again = await post('/invite_user', dana);
      assert.deepEqual(again.json.user, first?.user);
      assert.deepEqual((await post('/invite_users', { users: [{ ...dana, idp_id: 'd-1' }] })).json.results, [
        { index: 0, status: 'existing', user: first?.user, code: null, error: null },
      ]);
      const { totalItems } = await service().core.listInvitations({ organization: { id } });
      assert.equal(totalItems, 1);
    });

    test('500 people in a body of more than 100 KB are invited, each once', async () => {
      const organization = await service().organization();
      const users = Array.from({ length: 500 }, (_, number) => ({
        email: `person-${number}@northwind.test`,
        first_name: 'x'.repeat(290),
        last_name: 'Kim',
        idp_id: `p-${number}`,
      }));
      const { status, json } = await organization.post('/invite_users', { users });
      assert.equal(status, 200);
      const results = json.results as readonly Result[];
      assert.deepEqual(
        results.map(({ index, status }) => `${index} ${status}`),
        users.map((_, index) => `${index} created`),
      );
      assert.equal(new Set(results.map(({ user }) => user?.invitation_url)).size, 500);
      const { totalItems } = await service().core.listActivity({ organization });
      assert.equal(totalItems, 501);
    });

    test('a list that is missing, empty or too long: 400, and nobody is invited', async () => {
      const organization = await service().organization();
      const refused: readonly (readonly [body: unknown, error: string])[] = [
        [{}, 'users is required'],
        [{ users: [] }, 'users must have at least 1 entry'],
        [{ users: Array.from({ length: 501 }, () => dana) }, 'users must have at most 500 entries'],
        [{ users: dana }, 'users must be an array'],
        [{ users: 'dana' }, 'users must be an array'],
        [{ users: null }, 'users must be an array'],
        [[dana], 'The body must be a JSON object'],
        [{ users: [dana], people: [] }, 'people is not a field of this request, which has only users'],
      ];
      for (const [body, error] of refused) {
        const { status, headers, json } = await organization.post('/invite_users', body);
        assert.deepEqual([status, headers['x-error-code'], json], [400, 'invalid-request', { error }]);
      }
      const { status, json } = await organization.post('/invite_users?dry_run=1', { users: [dana] });
      assert.deepEqual(
        [status, json.error],
        [400, 'dry_run is not a parameter of this operation, which has none'],
      );
      const malformed = await organization.post('/invite_users', undefined, {
        body: '{',
        headers: { 'Content-Type': 'application/json' },
      });
      assert.equal(malformed.headers['x-error-code'], 'malformed-body');
      const { totalItems } = await service().core.listInvitations({ organization });
      assert.equal(totalItems, 0);
    });
  });
});

testSeenAnswers('invite-users');
