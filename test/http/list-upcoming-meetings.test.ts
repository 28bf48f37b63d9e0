import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { apiSuite } from '../support/http/api-suite.js';
import type { Json } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import { registeredAt, upcomingMeetingsOf } from '../support/http/upcoming-meetings.js';
import { publicUrl } from '../support/test-service.js';

const at = (text: string): Date => new Date(text);

apiSuite((service) => {
  const { member, list } = upcomingMeetingsOf(service);

  describe('GET /organizations/:organization_id/members/:id/upcoming_meetings (4.4)', () => {
    test('answers every field of a meeting (2.3, 2.4)', async () => {
      const organization = await member({
        meetings: [
          {
            name: 'Grief circle',
            topic: 'Grief',
            description: 'Every Friday.',
            location: 'zoom',
            maxAttendees: 12,
            groupLeaderId: 900_001,
            startTime: at('2026-11-20T18:00:00.000Z'),
            endTime: at('2026-11-20T19:30:00.000Z'),
          },
        ],
        registered: [0],
        extra: (id) => ({
          users: [
            aUser(900_001, { firstName: 'Dana', lastName: 'Kim', avatar: 'https://pictures.test/d.png' }),
          ],
          registrations: [{ meetingId: id * 1000, userId: 900_001, registeredAt }],
        }),
      });
      const json = await list(organization);
      assert.deepEqual(json, {
        current_page: 1,
        items: 10,
        total_items: 1,
        total_pages: 1,
        meetings: [
          {
            id: organization.id * 1000,
            name: 'Grief circle',
            start_time: '2026-11-20T18:00:00.000Z',
            end_time: '2026-11-20T19:30:00.000Z',
            duration: '1 hour 30 minutes',
            duration_in_minutes: 90,
            topic: 'Grief',
            description: 'Every Friday.',
            location: 'zoom',
            max_attendees: 12,
            registered_attendees: 1,
            group_leader: { id: 900_001, name: 'Dana K.', avatar: 'https://pictures.test/d.png' },
            waiting_status: null,
            registered: true,
            registered_at: '2026-11-01T10:00:00.000Z',
          },
        ],
      });
      assert.deepEqual(json.meetings.flatMap(Object.keys), [
        'id',
        'name',
        'start_time',
        'end_time',
        'duration',
        'duration_in_minutes',
        'topic',
        'description',
        'location',
        'max_attendees',
        'registered_attendees',
        'group_leader',
        'waiting_status',
        'registered',
        'registered_at',
      ]);
    });

    test('a meeting without a leader has null, a leader without a picture the default one (decision 15)', async () => {
      const organization = await member({
        meetings: [{}, { groupLeaderId: 900_002 }],
        registered: [0, 1],
        extra: () => ({ users: [aUser(900_002, { firstName: 'Lee', lastName: '' })] }),
      });
      const { meetings } = await list(organization);
      assert.equal(meetings[0].group_leader, null);
      assert.deepEqual(meetings[1].group_leader, {
        id: 900_002,
        name: 'Lee',
        avatar: `${publicUrl}/assets/default-avatar.svg`,
      });
    });

    test('no member with this idp_id, or one of another organization: 404 User not found on Service', async () => {
      const other = await member({ meetings: [{}], registered: [0] });
      const { get } = await service().organization();
      assert.equal((await list(other)).total_items, 1);
      for (const idpId of [
        'idp-0',
        'nobody',
        '1',
        '%00',
        '%ED%9F%BF',
        '%20idp-0',
        'x'.repeat(5000),
        'a%2Fb',
        '..%2F..',
      ]) {
        const { status, text, headers } = await get(`/members/${idpId}/upcoming_meetings`);
        assert.deepEqual([status, text], [404, '{"error":"User not found on Service"}'], idpId);
        assert.equal(headers['x-error-code'], 'member-not-found');
      }
    });

    test('the idp_id is not the service’s user id, and may contain any character', async () => {
      const idpId = 'ünï/c:ö?d e#1';
      const { id, get } = await service().organization({}, (id) => ({
        users: [aUser(id)],
        memberships: [{ organizationId: id, userId: id, role: 'member', idpId }],
      }));
      assert.equal((await get(`/members/${encodeURIComponent(idpId)}/upcoming_meetings`)).status, 200);
      assert.equal((await get(`/members/${id}/upcoming_meetings`)).status, 404);
    });

    test('the longest descriptions are whole, in one answer with its length', async () => {
      const descriptions = [
        ...Array.from({ length: 30 }, (_, index) => `${index} "quoted"\n`.repeat(2_000).slice(0, 20_000)),
        ...['🙂'.repeat(20_000), 'short', '', null],
      ];
      const organization = await member({
        meetings: descriptions.map((description) => ({ description })),
        registered: descriptions.map((_, index) => index),
      });
      const reply = await organization.get('/members/idp-0/upcoming_meetings?items=100');
      assert.deepEqual(
        reply.json.meetings.map(({ description }: Json) => description),
        descriptions,
      );
      assert.equal(reply.text, JSON.stringify(reply.json));
      assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.text)));
    });

    test('HEAD answers as GET does, without the body', async () => {
      const { id, token, get } = await member({ meetings: [{}], registered: [0] });
      const path = `/api/v2/organizations/${id}/members/idp-0/upcoming_meetings`;
      const head = await service().client.send('HEAD', path, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const { text } = await get('/members/idp-0/upcoming_meetings');
      assert.deepEqual([head.status, head.headers['content-length']], [200, String(Buffer.byteLength(text))]);
    });
  });
});

testSeenAnswers('list-upcoming-meetings');
