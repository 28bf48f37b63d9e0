import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting, aUser, type Dataset, testUuid } from '@rollcall/core/testing';
import { apiSuite } from '../support/http/api-suite.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { testNow } from '../support/test-service.js';

/** Tomás, who is a member, and an owner. Their numbers are unique in the tests of one service. */
const team = (id: number): Omit<Dataset, 'organizations'> => ({
  users: [
    aUser(1000 + id, { email: `tomas-${id}@example.test`, firstName: 'Tomás', lastName: 'Müller' }),
    aUser(2000 + id, { email: `owner-${id}@example.test`, firstName: 'Ana', lastName: 'Lopez' }),
  ],
  memberships: [
    { organizationId: id, userId: 1000 + id, role: 'member', idpId: null },
    { organizationId: id, userId: 2000 + id, role: 'owner', idpId: `Boss-${id}` },
  ],
});
const memberOf = (id: number) => testUuid(1000 + id);
const ownerOf = (id: number) => testUuid(2000 + id);
const invitedAs = (id: number) => ({
  ...{ email: `erased-${id}@example.test`, first_name: 'Erika', last_name: 'Erased' },
});
const NOT_FOUND = '{"error":"User not found on Service"}';

apiSuite((service) => {
  const unknownUuids = (id: number) => [testUuid(999_999), 'nobody', '%00', memberOf(id + 500)];

  describe('GET /organizations/:id/users', () => {
    test('answers every user by email address, in parts that `next` and Link connect', async () => {
      const { id, get } = await service().organization({}, team);
      const all = await get('/users');
      assert.equal(all.status, 200);
      const [owner, tomas] = all.json.users;
      assert.deepEqual(all.json, { success: true, users: [owner, tomas], next: null });
      assert.deepEqual(tomas, {
        ...{ id: memberOf(id), email: `tomas-${id}@example.test`, first_name: 'Tomás', last_name: 'Müller' },
        ...{ role: 'member', idp_id: null, joined_at: tomas.joined_at },
      });
      assert.equal(new Date(tomas.joined_at).toISOString(), tomas.joined_at);
      assert.deepEqual([owner.id, owner.role, owner.idp_id], [ownerOf(id), 'owner', `Boss-${id}`]);
      assert.equal(all.headers.link, undefined);

      const first = await get('/users?limit=1');
      assert.deepEqual(first.json.users, [owner]);
      const [, url = ''] =
        /^<[^>]*\/organizations\/\d+([^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
      assert.equal(url, `/users?limit=1&after=${first.json.next}`);
      const second = await get(url);
      assert.deepEqual(second.json, { success: true, users: [tomas], next: null });
    });

    test('finds by address, idp_id, role and words without accents', async () => {
      const { id, get } = await service().organization({}, team);
      const found = async (query: string) =>
        (await get(`/users?${query}`)).json.users.map((user: { id: string }) => user.id);
      assert.deepEqual(await found(`email=TOMAS-${id}%40Example.test`), [memberOf(id)]);
      assert.deepEqual(await found(`idp_id=Boss-${id}`), [ownerOf(id)]);
      assert.deepEqual(await found(`idp_id=boss-${id}`), []);
      assert.deepEqual(await found('role=admin'), []);
      assert.deepEqual(await found('role=owner'), [ownerOf(id)]);
      assert.deepEqual(await found('search=tomas+MULLER'), [memberOf(id)]);
      assert.deepEqual(await found(`search=boss-${id}`), [ownerOf(id)]);
      assert.deepEqual(await found('search=tomas&role=owner'), []);
    });

    test('a parameter that is unknown or not allowed: 400 that names it', async () => {
      const { get } = await service().organization({}, team);
      const refused: readonly (readonly [query: string, error: string])[] = [
        ['role=chief', 'role must be one of owner, admin, member'],
        ['email=nonsense', 'email must be an email address such as dana@example.com'],
        [
          'email=ada+tag@example.test',
          'email must be an email address such as dana@example.com. In a URL, write + as %2B',
        ],
        [
          'email=+1555@example.test',
          'email must be an email address such as dana@example.com. In a URL, write + as %2B',
        ],
        ['email=a%20b@example.test', 'email must be an email address such as dana@example.com'],
        ['after=x', 'after must be the `next` of an earlier answer'],
        ['search=a+b+c+d+e+f+g+h+i+j+k', 'search must have at most 10 words'],
        [
          'page=2',
          'page is not a parameter of this operation, which has only email, idp_id, role, search, limit, after',
        ],
      ];
      for (const [query, error] of refused) {
        const { status, json, headers } = await get(`/users?${query}`);
        assert.deepEqual([status, json], [400, { error }]);
        assert.equal(headers['x-error-code'], 'invalid-request');
      }
    });
  });

  describe('GET, PATCH and DELETE /organizations/:id/users/:uuid', () => {
    test('a user is answered under the UUID in any case', async () => {
      const { id, get } = await service().organization({}, team);
      const { status, json } = await get(`/users/${memberOf(id).toUpperCase()}`);
      assert.deepEqual([status, json], [200, { success: true, user: (await get('/users')).json.users[1] }]);
    });

    test('idp_id is set and removed, and 4.4 finds the user by it', async () => {
      const { id, get, patch } = await service().organization({}, team);
      const set = (idp_id: unknown) => patch(`/users/${memberOf(id)}`, { user: { idp_id } });
      const answer = await set('nw 4711');
      assert.deepEqual([answer.status, answer.json.user.idp_id], [200, 'nw 4711']);
      assert.deepEqual(answer.json, (await get(`/users/${memberOf(id)}`)).json);
      assert.equal((await get('/members/nw%204711/upcoming_meetings')).status, 200);
      assert.equal((await set(null)).json.user.idp_id, null);
      assert.equal((await get('/members/nw%204711/upcoming_meetings')).status, 404);
      const { items } = await service().core.listActivity({ organization: { id } });
      assert.deepEqual(
        items.slice(0, 2).map(({ action, subject, actor }) => [action, subject, actor.who.kind]),
        ['nw 4711 → none', 'none → nw 4711'].map((text) => [
          'idp-id-set',
          `tomas-${id}@example.test: ${text}`,
          'access-key',
        ]),
      );
    });

    test('an idp_id that is taken or not allowed, and anything else in the body: 400', async () => {
      const { id, patch, post } = await service().organization({}, team);
      const invited = {
        email: `kim-${id}@example.test`,
        first_name: 'Kim',
        last_name: 'Lee',
        idp_id: `Kim-${id}`,
      };
      assert.equal((await post('/invite_user', invited)).status, 200);
      const refused: readonly (readonly [body: unknown, error: string])[] = [
        [{ user: { idp_id: `Boss-${id}` } }, 'idp_id belongs to another member'],
        [{ user: { idp_id: `Kim-${id}` } }, 'idp_id belongs to a pending invitation'],
        [{ user: { idp_id: '' } }, 'user.idp_id must not be empty'],
        [{ user: { idp_id: 'x'.repeat(501) } }, 'user.idp_id must have at most 500 characters'],
        [{ user: { idp_id: 7 } }, 'user.idp_id must be a string or null'],
        [{ user: { idp_id: 'a ' } }, 'idp_id must not begin or end with a space'],
        [{ user: { idp_id: 'a\u0007' } }, 'idp_id must not contain control characters'],
        [{ user: {} }, 'user.idp_id is required'],
        [{}, 'user is required'],
        [
          { user: { idp_id: 'a', role: 'owner' } },
          'user.role is not a field of this request, which has only idp_id',
        ],
        [
          { user: { idp_id: 'a' }, role: 'owner' },
          'role is not a field of this request, which has only user',
        ],
      ];
      for (const [body, error] of refused) {
        const { status, json } = await patch(`/users/${memberOf(id)}`, body);
        assert.deepEqual([status, json], [400, { error }]);
      }
      const { status } = await patch(`/users/${ownerOf(id)}`, { user: { idp_id: `Boss-${id}` } });
      assert.equal(status, 200);
    });

    test('a removed user is unknown everywhere, at once', async () => {
      const { id, get, post, remove } = await service().organization({}, team);
      const { json } = await post(`/users/${memberOf(id)}/generate_otl_url`);
      const { status, text } = await remove(`/users/${memberOf(id)}`);
      assert.deepEqual([status, text], [200, '{"success":true}']);
      const token = json.otl_url.slice(json.otl_url.lastIndexOf('/') + 1);
      await assert.rejects(service().core.redeemLoginLink({ token }), { code: 'login-link-unknown' });
      assert.equal((await get(`/users/${memberOf(id)}`)).status, 404);
      assert.equal((await remove(`/users/${memberOf(id)}`)).text, NOT_FOUND);
      assert.equal((await get('/users')).json.users.length, 1);
    });

    test('with erase=1, nothing about the person is left, and the feed stays readable', async () => {
      const { id, get, post, remove } = await service().organization({}, team);
      const { id: uuid } = (await post('/invite_user', invitedAs(id))).json.user;
      await service().core.registerUser({
        ...{ organizationId: id, role: 'member', idpId: null },
        ...{ email: `erased-${id}@example.test`, firstName: 'Erika', lastName: 'Erased' },
      });
      const [event] = (await get('/events')).json.events;
      assert.equal(event.user.uuid, uuid);
      const { status, text } = await remove(`/users/${uuid}?erase=1`);
      assert.deepEqual([status, text], [200, '{"success":true}']);
      const { json } = await get('/events');
      const user = { id: null, uuid: null, email: null, first_name: null, last_name: null, created_at: null };
      assert.deepEqual(json.events, [{ ...event, user, erased: true }]);
      assert.equal((await get(`/users/${uuid}`)).text, NOT_FOUND);
      assert.equal((await remove(`/users/${uuid}?erase=1`)).text, NOT_FOUND);
      const invited = (await post('/invite_user', invitedAs(id))).json.user;
      assert.notEqual(invited.id, uuid);
    });

    test('a person who is known elsewhere, and an owner, are not erased', async () => {
      const other = await service().organization({}, team);
      const { id, get, remove } = await service().organization({}, (id) => {
        const own = team(id);
        const elsewhere = {
          organizationId: other.id,
          userId: 1000 + id,
          role: 'member',
          idpId: null,
        } as const;
        return { ...own, memberships: [...(own.memberships ?? []), elsewhere] };
      });
      const answer = await remove(`/users/${memberOf(id)}?erase=1`);
      const error =
        'This account is also used outside this organization, so it cannot be erased here. Remove the user without erase, or ask the operator of this service';
      assert.deepEqual([answer.status, answer.json], [409, { error }]);
      assert.equal(answer.headers['x-error-code'], 'in-other-organization');
      assert.equal((await get(`/users/${memberOf(id)}`)).status, 200);
      const owner = await remove(`/users/${ownerOf(id)}?erase=1`);
      assert.deepEqual(
        [owner.status, owner.json.error],
        [400, 'This user is an owner. An owner removes owners on the People page'],
      );
      assert.equal((await remove(`/users/${memberOf(id)}?erase=0`)).status, 200);
      assert.equal((await service().core.readUserData({ uuid: memberOf(id) })).memberships.length, 1);
    });

    test('another value of erase is refused, and nothing is removed', async () => {
      const { id, get, remove } = await service().organization({}, team);
      for (const value of ['true', '2', 'yes', '1&erase=0']) {
        const { status, json } = await remove(`/users/${memberOf(id)}?erase=${value}`);
        assert.equal(status, 400);
        if (value !== '1&erase=0') assert.deepEqual(json, { error: 'erase must be one of 0, 1' });
      }
      assert.equal((await get(`/users/${memberOf(id)}`)).status, 200);
    });

    test('unknown and malformed ids and users of other organizations get the same 404', async () => {
      const other = await service().organization({}, team);
      const { id, get, patch, remove } = await service().organization({}, team);
      for (const uuid of [...unknownUuids(id), memberOf(other.id)]) {
        const replies = [
          await get(`/users/${uuid}`),
          await patch(`/users/${uuid}`, { user: { idp_id: 'a' } }),
          await remove(`/users/${uuid}`),
          await get(`/users/${uuid}/upcoming_meetings`),
        ];
        for (const { status, text, headers } of replies)
          assert.deepEqual([status, text, headers['x-error-code']], [404, NOT_FOUND, 'member-not-found']);
      }
    });

    test('unknown parameters are refused', async () => {
      const { id, get, remove } = await service().organization({}, team);
      const error = 'fields is not a parameter of this operation, which has';
      const path = `/users/${memberOf(id)}?fields=email`;
      assert.deepEqual((await get(path)).json, { error: `${error} none` });
      const { status, json } = await remove(path);
      assert.deepEqual([status, json], [400, { error: `${error} only erase` }]);
      assert.equal((await get(`/users/${memberOf(id)}`)).status, 200);
    });
  });

  describe('GET /organizations/:id/users/:uuid/upcoming_meetings', () => {
    test('answers exactly what 4.4 answers, without an idp_id', async () => {
      const { id, get, patch } = await service().organization({}, (id) => ({
        ...team(id),
        meetings: [1, 2, 3].map((number) =>
          aMeeting(10 * id + number, {
            ...{ organizationId: id, waitList: true, groupLeaderId: 2000 + id },
            startTime: new Date(testNow.getTime() + number * 3_600_000),
            endTime: new Date(testNow.getTime() + (number + 1) * 3_600_000),
          }),
        ),
        registrations: [1, 3].map((number) => ({
          ...{ meetingId: 10 * id + number, userId: 1000 + id, registeredAt: testNow },
        })),
        waitingPlaces: [{ meetingId: 10 * id + 2, userId: 1000 + id, status: 'offered', createdAt: testNow }],
      }));
      const byUuid = (query = '') => get(`/users/${memberOf(id)}/upcoming_meetings${query}`);
      const before = await byUuid();
      assert.deepEqual([before.status, before.json.total_items, before.json.meetings.length], [200, 3, 3]);
      await patch(`/users/${memberOf(id)}`, { user: { idp_id: 'tomas' } });
      for (const query of ['', '?items=1', '?items=2&page=2', '?page=9', '?page=0&items=0', '?page=x']) {
        const [one, other] = [await byUuid(query), await get(`/members/tomas/upcoming_meetings${query}`)];
        assert.equal(one.text, other.text, query);
        assert.equal(
          one.headers.link?.toString().replace(`/users/${memberOf(id)}/`, '/members/tomas/'),
          other.headers.link,
        );
      }
    });

    test('of a user who has not accepted yet: 400 that says so, to the inviting organization alone', async () => {
      const { post, get } = await service().organization({}, team);
      const other = await service().organization({}, team);
      const { json: invited } = await post('/invite_user', {
        ...{ email: 'kim@northwind.test', first_name: 'Kim', last_name: 'Lee' },
      });
      const path = `/users/${invited.user.id}/upcoming_meetings`;
      for (const { status, json, headers } of [
        await get(path),
        await get(
          path.toUpperCase().replace('/USERS', '/users').replace('UPCOMING_MEETINGS', 'upcoming_meetings'),
        ),
      ]) {
        const error = 'The user has not accepted the invitation yet';
        assert.deepEqual([status, json, headers['x-error-code']], [400, { error }, 'invitation-pending']);
      }
      const { status, text } = await other.get(path);
      assert.deepEqual([status, text], [404, NOT_FOUND]);
      await post(`/invitations/${invited.user.id}/revoke`);
      assert.deepEqual((await get(path)).text, NOT_FOUND);
    });

    test('an unknown parameter: 400', async () => {
      const { id, get } = await service().organization({}, team);
      const { status, json } = await get(`/users/${memberOf(id)}/upcoming_meetings?limit=3`);
      const error = 'limit is not a parameter of this operation, which has only page, items';
      assert.deepEqual([status, json], [400, { error }]);
    });
  });
});

testSeenAnswers('users');
