import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser, testUuid } from '@rollcall/core/testing';
import { apiSuite } from '../support/http/api-suite.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { OwnData } from '../support/http/service.js';
import { publicUrl } from '../support/test-service.js';

const oneMember: OwnData = (id) => ({
  users: [aUser(id)],
  memberships: [{ organizationId: id, userId: id, role: 'member', idpId: null }],
});

apiSuite((service) => {
  for (const segment of ['generate_otl_url', 'one_time_login_link']) {
    describe(`POST /organizations/:id/users/:uuid/${segment} (4.3, decision 19)`, () => {
      test('answers a URL, and needs no body', async () => {
        const { id, post } = await service().organization({}, oneMember);
        const { status, json } = await post(`/users/${testUuid(id)}/${segment}`);
        assert.equal(status, 200);
        assert.deepEqual(json, { success: 'OTL link generated', otl_url: json.otl_url });
        assert.ok(json.otl_url.startsWith(`${publicUrl}/login/`));
      });

      test('any body is ignored', async () => {
        const { id, post } = await service().organization({}, oneMember);
        const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
        const { status } = await post(`/users/${testUuid(id)}/${segment}`, undefined, { body: '{', headers });
        assert.equal(status, 200);
      });

      test('the UUID is read in any case', async () => {
        const uuid = 'abcdefab-0000-4000-8000-';
        const { id, post } = await service().organization({}, (id) => ({
          ...oneMember(id),
          users: [aUser(id, { uuid: `${uuid}${String(id).padStart(12, '0')}` })],
        }));
        const { status } = await post(
          `/users/${uuid.toUpperCase()}${String(id).padStart(12, '0')}/${segment}`,
        );
        assert.equal(status, 200);
      });

      test('unknown and malformed ids and users of other organizations get the same 400 User not found', async () => {
        const other = await service().organization({}, oneMember);
        const { post } = await service().organization();
        const uuids = [
          testUuid(999_999_999),
          testUuid(other.id),
          'nobody',
          '1',
          '%00',
          `${testUuid(1)}0`,
          '%F0%9F%98%80',
        ];
        for (const uuid of uuids) {
          const { status, text, headers } = await post(`/users/${uuid}/${segment}`);
          assert.deepEqual([uuid, status, text], [uuid, 400, '{"error":"User not found"}']);
          assert.equal(headers['x-error-code'], 'user-not-found');
        }
      });

      test('an invited user who has not accepted: 400 that says so', async () => {
        const { post } = await service().organization();
        const invited = await post('/invite_user', { email: 'a@b.test', first_name: 'A', last_name: 'B' });
        const { status, headers, json } = await post(`/users/${invited.json.user.id}/${segment}`);
        assert.deepEqual([status, headers['x-error-code']], [400, 'invitation-pending']);
        assert.match(json.error, /has not accepted/);
      });
    });
  }
});

testSeenAnswers('issue-login-link');
