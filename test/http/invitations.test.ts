import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser, testUuid } from '@rollcall/core/testing';
import { accept } from '../support/core/invitations-service.js';
import { apiSuite } from '../support/http/api-suite.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';

const dana = { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' };
const UNKNOWN = '{"error":"This invitation does not exist"}';

interface Shown {
  readonly id: string;
  readonly email: string;
  readonly state: string;
  readonly invitation_url: string | null;
}

apiSuite((service) => {
  const invite = async ({ post }: TestOrganization, more: object = {}) =>
    (await post('/invite_user', { ...dana, ...more })).json.user;
  const list = async ({ get }: TestOrganization, query = ''): Promise<readonly Shown[]> =>
    (await get(`/invitations${query}`)).json.invitations;
  const unknownIds = [testUuid(999_999), 'nobody', '%00', `${testUuid(1)}0`];

  describe('POST /organizations/:id/invite_user with an idp_id', () => {
    test('keeps it with the invitation and gives it to the member, whose meetings 4.4 then lists', async () => {
      const organization = await service().organization();
      const { id, invitation_url } = await invite(organization, { ...unique(organization), idp_id: 'd-1' });
      const { json } = await organization.get(`/invitations/${id}`);
      assert.equal(json.invitation.idp_id, 'd-1');
      assert.equal((await organization.get('/members/d-1/upcoming_meetings')).status, 404);
      await accept(service(), invitation_url);
      assert.equal((await organization.get('/members/d-1/upcoming_meetings')).status, 200);
      assert.equal((await organization.get(`/users/${id}`)).json.user.idp_id, 'd-1');
    });

    test('one that is taken: 400 that says by whom, and nothing is stored', async () => {
      const organization = await service().organization({}, (id) => ({
        users: [aUser(id, { email: `member-${id}@northwind.test` })],
        memberships: [{ organizationId: id, userId: id, role: 'member', idpId: 'm-1' }],
      }));
      await invite(organization, { email: 'kim@northwind.test', idp_id: 'k-1' });
      const refused: readonly (readonly [idpId: unknown, error: string])[] = [
        ['m-1', 'idp_id belongs to another member'],
        ['k-1', 'idp_id belongs to a pending invitation'],
        ['', 'idp_id must not be empty'],
        ['x'.repeat(501), 'idp_id must have at most 500 characters'],
        [5, 'idp_id must be a string or null'],
      ];
      for (const [idp_id, error] of refused) {
        const { status, headers, json } = await organization.post('/invite_user', { ...dana, idp_id });
        assert.deepEqual([status, headers['x-error-code'], json], [400, 'invalid-request', { error }]);
      }
      assert.equal((await list(organization)).length, 1);
      assert.equal((await organization.post('/invite_user', { ...dana, idp_id: null })).status, 200);
      assert.equal((await organization.post('/invite_user', { ...dana, idp_id: 'd-1' })).status, 200);
      const { json } = await organization.post('/invite_user', { ...dana, idp_id: 'd-2' });
      assert.equal(json.error, 'idp_id must be that of the pending invitation: renew it to change it');
    });
  });

  describe('GET /organizations/:id/invitations', () => {
    test('answers every invitation, newest first, in parts that `next` and Link connect', async () => {
      const organization = await service().organization();
      const first = await invite(organization, { idp_id: 'd-1' });
      await invite(organization, { email: 'kim@northwind.test' });
      await invite(organization, { email: 'lee@northwind.test' });
      const { status, headers, json } = await organization.get('/invitations');
      assert.deepEqual([status, headers.link], [200, undefined]);
      assert.deepEqual(Object.keys(json), ['success', 'invitations', 'next']);
      assert.deepEqual([json.success, json.invitations.length, json.next], [true, 3, null]);
      const shown = json.invitations.find(({ id }: Shown) => id === first.id);
      assert.deepEqual(shown, {
        ...{ id: first.id, ...dana, idp_id: 'd-1', state: 'pending', invited_at: shown.invited_at },
        ...{ accepted_at: null, revoked_at: null, invitation_url: first.invitation_url },
      });
      assert.equal(new Date(shown.invited_at).toISOString(), shown.invited_at);

      const part = await organization.get('/invitations?limit=2&state=pending');
      assert.deepEqual(part.json.invitations, json.invitations.slice(0, 2));
      const [, url = ''] =
        /^<[^>]*\/organizations\/\d+([^>]+)>; rel="next"$/.exec(String(part.headers.link)) ?? [];
      assert.equal(url, `/invitations?limit=2&state=pending&after=${part.json.next}`);
      assert.deepEqual((await organization.get(url)).json, {
        ...{ success: true, invitations: json.invitations.slice(2), next: null },
      });
    });

    test('finds by state, address and idp_id; a renewed invitation keeps its id, and the old one is `replaced`', async () => {
      const organization = await service().organization();
      const { id } = await invite(organization, { idp_id: 'd-1' });
      await invite(organization, { email: 'kim@northwind.test' });
      await organization.post(`/invitations/${id}/renew`);
      const found = async (query: string) =>
        (await list(organization, query)).map((shown) => [shown.email, shown.state, shown.id === id]);
      const both = [
        [dana.email, 'pending', true],
        [dana.email, 'replaced', false],
      ];
      const ofDana = await found('?email=DANA%40northwind.test');
      assert.deepEqual([...ofDana].sort(), both);
      assert.deepEqual(await found('?state=replaced'), [[dana.email, 'replaced', false]]);
      assert.deepEqual(await found('?state=revoked'), []);
      assert.deepEqual(await found('?state=pending&email=dana%40northwind.test'), [both[0]]);
      assert.deepEqual(await found('?idp_id=d-1'), await found('?email=dana%40northwind.test'));
      assert.deepEqual(await found('?idp_id=d-1&state=pending'), [both[0]]);
      assert.deepEqual(await found('?idp_id=D-1'), []);
      const [replaced] = await list(organization, '?state=replaced');
      assert.equal(replaced?.invitation_url, null);
      const read = await organization.get(`/invitations/${replaced?.id}`);
      assert.deepEqual(read.json.invitation, replaced);
    });

    test('a parameter that is unknown or not allowed: 400 that names it', async () => {
      const { get } = await service().organization();
      const refused: readonly (readonly [query: string, error: string])[] = [
        ['state=open', 'state must be one of pending, accepted, revoked, replaced'],
        ['email=dana', 'email must be an email address such as dana@example.com'],
        [
          'state=pending&email=ada+tag@example.test',
          'email must be an email address such as dana@example.com. In a URL, write + as %2B',
        ],
        [
          'email=+1555@example.test',
          'email must be an email address such as dana@example.com. In a URL, write + as %2B',
        ],
        ['after=x', 'after must be the `next` of an earlier answer'],
        [
          'page=2',
          'page is not a parameter of this operation, which has only state, idp_id, email, limit, after',
        ],
      ];
      for (const [query, error] of refused) {
        const { status, headers, json } = await get(`/invitations?${query}`);
        assert.deepEqual([status, headers['x-error-code'], json], [400, 'invalid-request', { error }]);
      }
      const { json } = await get('/users');
      assert.deepEqual(json.users, []);
    });
  });

  describe('GET /organizations/:id/invitations/:uuid', () => {
    test('answers the invitation in any state', async () => {
      const organization = await service().organization();
      const { id, invitation_url } = await invite(organization, unique(organization));
      const read = async () => (await organization.get(`/invitations/${id.toUpperCase()}`)).json;
      const [pending] = await list(organization);
      assert.deepEqual(await read(), { success: true, invitation: pending });
      await accept(service(), invitation_url);
      const { invitation } = await read();
      assert.deepEqual([invitation.state, invitation.invitation_url], ['accepted', null]);
      assert.equal(new Date(invitation.accepted_at).toISOString(), invitation.accepted_at);
    });

    test('unknown ids get 404, and parameters 400', async () => {
      const { get } = await service().organization();
      for (const id of unknownIds) {
        const { status, headers, text } = await get(`/invitations/${id}`);
        assert.deepEqual([status, headers['x-error-code'], text], [404, 'invitation-unknown', UNKNOWN]);
      }
      const { status, json } = await get(`/invitations/${testUuid(1)}?fields=id`);
      assert.deepEqual(
        [status, json.error],
        [400, 'fields is not a parameter of this operation, which has none'],
      );
    });
  });

  describe('POST /organizations/:id/invitations/:uuid/revoke', () => {
    test('ends a pending invitation: its URL is dead, and a second call gets 400', async () => {
      const organization = await service().organization();
      const { id, invitation_url } = await invite(organization);
      const { status, json } = await organization.post(`/invitations/${id}/revoke`);
      const [invitation] = await list(organization);
      assert.deepEqual([status, json], [200, { success: true, invitation }]);
      assert.deepEqual(
        [invitation?.id, invitation?.state, invitation?.invitation_url],
        [id, 'revoked', null],
      );
      await assert.rejects(accept(service(), invitation_url), /This invitation was revoked/);
      const again = await organization.post(`/invitations/${id}/revoke`);
      assert.deepEqual(
        [again.status, again.headers['x-error-code'], again.text],
        [400, 'invitation-closed', '{"error":"This invitation was revoked"}'],
      );
      const { items } = await service().core.listActivity({ organization });
      assert.deepEqual(
        [items[0]?.action, items[0]?.subject, items[0]?.actor],
        ['invitation-revoked', dana.email, { who: { kind: 'access-key' }, from: '127.0.0.1' }],
      );
    });

    test('an accepted invitation gets 400, an unknown id 404', async () => {
      const organization = await service().organization();
      const { id, invitation_url } = await invite(organization, unique(organization));
      await accept(service(), invitation_url);
      for (const action of ['revoke', 'renew']) {
        const accepted = await organization.post(`/invitations/${id}/${action}`);
        assert.deepEqual(
          [accepted.status, accepted.headers['x-error-code'], accepted.text],
          [400, 'invitation-closed', '{"error":"This invitation was accepted already"}'],
        );
        for (const unknown of unknownIds) {
          const { status, text } = await organization.post(`/invitations/${unknown}/${action}`);
          assert.deepEqual([status, text], [404, UNKNOWN]);
        }
        const { status } = await organization.post(`/invitations/${id}/${action}?x=1`);
        assert.equal(status, 400);
      }
    });
  });

  describe('POST /organizations/:id/invitations/:uuid/renew', () => {
    test('gives a new URL, corrects what is sent, keeps the rest and the id', async () => {
      const organization = await service().organization();
      const { id, invitation_url } = await invite(organization, { ...unique(organization), idp_id: 'd-1' });
      const { status, json } = await organization.post(`/invitations/${id}/renew`, { first_name: 'Dána' });
      assert.equal(status, 200);
      const { invitation } = json;
      assert.deepEqual(
        [invitation.id, invitation.first_name, invitation.last_name, invitation.idp_id, invitation.state],
        [id, 'Dána', 'Kim', 'd-1', 'pending'],
      );
      assert.notEqual(invitation.invitation_url, invitation_url);
      await assert.rejects(accept(service(), invitation_url), /This invitation was revoked/);
      const other = await organization.post(`/invitations/${id}/renew`, { last_name: 'Kimm', idp_id: null });
      assert.deepEqual([other.json.invitation.last_name, other.json.invitation.idp_id], ['Kimm', null]);
      await accept(service(), other.json.invitation.invitation_url);
      assert.equal((await organization.get(`/users/${id}`)).status, 200);
    });

    test('renews a revoked one, also without a body, but a replaced one is neither renewed nor revoked', async () => {
      const organization = await service().organization();
      const { id } = await invite(organization);
      await organization.post(`/invitations/${id}/revoke`);
      const { json } = await organization.post(`/invitations/${id}/renew`);
      assert.deepEqual([json.invitation.id, json.invitation.state], [id, 'pending']);
      const [replaced] = await list(organization, '?state=replaced');
      for (const action of ['renew', 'revoke']) {
        const refused = await organization.post(`/invitations/${replaced?.id}/${action}`);
        assert.deepEqual(
          [refused.status, refused.headers['x-error-code'], refused.text],
          [400, 'invitation-closed', '{"error":"This invitation was replaced by a newer one"}'],
        );
      }
    });

    test('fields that are wrong, unknown or taken: 400, and the invitation stays as it was', async () => {
      const organization = await service().organization({}, (id) => ({
        users: [aUser(id, { email: `member-${id}@northwind.test` })],
        memberships: [{ organizationId: id, userId: id, role: 'member', idpId: 'm-1' }],
      }));
      const { id } = await invite(organization);
      await invite(organization, { email: 'kim@northwind.test', idp_id: 'k-1' });
      const before = (await organization.get(`/invitations/${id}`)).text;
      const refused: readonly (readonly [body: unknown, error: string])[] = [
        [
          { first_name: '', last_name: 5, idp_id: ' ' },
          'first_name must not be empty; last_name must be a string; idp_id must not be empty',
        ],
        [{ idp_id: 'k-1' }, 'idp_id belongs to a pending invitation'],
        [{ idp_id: 'm-1' }, 'idp_id belongs to another member'],
        [
          { email: 'dana@southwind.test' },
          'email is not a field of this request, which has only first_name, last_name, idp_id',
        ],
        [[], 'The body must be a JSON object'],
      ];
      for (const [body, error] of refused) {
        const { status, headers, json } = await organization.post(`/invitations/${id}/renew`, body);
        assert.deepEqual([status, headers['x-error-code'], json], [400, 'invalid-request', { error }]);
      }
      assert.equal((await organization.get(`/invitations/${id}`)).text, before);
    });

    test('an address that belongs to a member by now: 400 already-member', async () => {
      const organization = await service().organization();
      const { email } = unique(organization);
      const { id } = await invite(organization, { email });
      await organization.post(`/invitations/${id}/revoke`);
      const person = { email, firstName: 'Dana', lastName: 'Kim' };
      await service().core.registerUser({ organizationId: organization.id, ...person });
      const { status, headers } = await organization.post(`/invitations/${id}/renew`);
      assert.deepEqual([status, headers['x-error-code']], [400, 'already-member']);
    });
  });
});

/** An address that no other organization of the test invites, so that the invitation can be accepted. */
function unique({ id }: TestOrganization): { readonly email: string } {
  return { email: `dana-${id}@northwind.test` };
}

testSeenAnswers('invitations');
