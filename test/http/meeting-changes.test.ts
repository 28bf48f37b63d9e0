import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, aUser } from '@rollcall/core/testing';
import { apiSuite } from '../support/http/api-suite.js';
import type { Json } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';
import { publicUrl } from '../support/test-service.js';

let lastMeetingId = 0;

apiSuite((service) => {
  /** An organization with this many meetings. Their ids ascend. */
  async function withMeetings(count: number, description: string | null = null) {
    const ids = Array.from({ length: count }, (_, index) => lastMeetingId + 1 + index);
    lastMeetingId += count;
    const organization = await service().organization({ eap: true }, (organizationId) => ({
      users: [aUser(1)],
      changedMeetings: ids.map((id) => aMeeting(id, { organizationId, description })),
    }));
    return { organization, ids };
  }

  async function read({ get }: TestOrganization, query = '') {
    const { status, json, headers, text } = await get(`/meeting_changes${query}`);
    assert.equal(status, 200, text);
    const ids: readonly number[] = json.changes.map(({ id, is_deleted }: Json) => (is_deleted ? -id : id));
    return {
      ids,
      changes: json.changes as readonly Json[],
      next: json.next as string,
      hasMore: json.has_more as boolean,
      ...{ headers, text },
    };
  }

  describe('GET /organizations/:id/meeting_changes', () => {
    test('answers each meeting as an export has it, and without a meeting once it is gone', async () => {
      const { organization, ids } = await withMeetings(2);
      const [first = 0, second = 0] = ids;
      const hostile = { name: 'K “é” 😀 \u0001 "', price: 12.5, groupLeaderId: 1, description: null };
      await service().load({
        changedMeetings: [aMeeting(first, { organizationId: organization.id, ...hostile })],
        deletedMeetings: [second],
      });
      const { changes } = await read(organization);
      const every = await organization.get('/export_meetings/columns');
      const columns = every.json.columns.map(({ key }: Json) => `column[]=${key}`).join('&');
      const exported = await organization.get(`/export_meetings?reporting_days=everything&${columns}`);
      const [meeting] = exported.json.meetings;
      const time = meeting.updated_at;
      assert.deepEqual(changes, [
        { id: first, is_deleted: false, changed_at: time, meeting },
        { id: second, is_deleted: true, changed_at: time, meeting: null },
      ]);
    });

    test('has the chosen columns, in every spelling of the list, or all of them', async () => {
      const { organization } = await withMeetings(1);
      const keysOf = async (query: string) =>
        Object.keys((await read(organization, query)).changes[0]?.meeting ?? {});
      for (const query of [
        '?column[]=topic&column[]=group_leader_id',
        '?column=topic&column=group_leader_id&column=topic',
        '?column[0]=topic&column[1]=group_leader_id',
        '?column%5B%5D=topic&column%5B%5D=group_leader_id',
      ])
        assert.deepEqual(await keysOf(query), ['topic', 'group_leader'], query);
      const all = await keysOf('');
      assert.deepEqual(
        all,
        exportColumns.map(({ as }) => as),
      );
      assert.deepEqual(await keysOf('?column[]='), all);
    });

    test('pages follow one another, and a reader who continues misses nothing', async () => {
      const { organization, ids } = await withMeetings(3);
      const [one = 0, two = 0, three = 0] = ids;
      const first = await read(organization, '?limit=2');
      assert.deepEqual([first.ids, first.hasMore], [[one, two], true]);
      assert.equal(
        first.headers.link,
        `<${publicUrl}/api/v2/organizations/${organization.id}/meeting_changes?limit=2&after=${first.next}>; rel="next"`,
      );
      const second = await read(organization, `?limit=2&after=${first.next}`);
      assert.deepEqual([second.ids, second.hasMore], [[three], false]);
      assert.equal(second.headers.link, undefined);
      const none = await read(organization, `?after=${second.next}`);
      assert.deepEqual([none.ids, none.hasMore, none.next], [[], false, second.next]);

      const other = await service().organization();
      await service().load({
        changedMeetings: [
          aMeeting(one, { organizationId: other.id }),
          aMeeting(three, { organizationId: null, eapOrganizationIds: [organization.id] }),
        ],
        deletedMeetings: [two],
      });
      assert.deepEqual((await read(organization, `?after=${none.next}`)).ids, [-one, -two, three]);
      assert.deepEqual((await read(other)).ids, [one]);
    });

    test('a cursor of another organization, an unknown column and an unknown parameter are 400 and named', async () => {
      const { organization } = await withMeetings(1);
      const other = await service().organization();
      const { next } = await read(other);
      for (const [query, error] of [
        [`after=${next}`, /^after must be the `next` of an earlier answer$/],
        ['after=MQ', /^after must be the `next` of an earlier answer$/],
        ['column[]=nme', /^column\S* must be one of name, meeting_type, .*, updated_at$/],
        [
          'columns[]=name',
          /^columns is not a parameter of this operation, which has only after, limit, column$/,
        ],
      ] as const) {
        const { status, json, headers } = await organization.get(`/meeting_changes?${query}`);
        assert.deepEqual([status, headers['x-error-code']], [400, 'invalid-request']);
        assert.match(json.error, error);
      }
    });

    test('a page ends early when its texts are long, and the pages together have every meeting once', async () => {
      const { organization, ids } = await withMeetings(
        130,
        'A quiet hour "x"\n'.repeat(1_200).slice(0, 20_000),
      );
      const pages = [await read(organization, '?limit=1000')];
      for (let last = pages[0]; last?.hasMore; pages.push(last))
        last = await read(organization, `?limit=1000&after=${last.next}`);
      assert.ok(pages.length >= 3, String(pages.length));
      for (const { text } of pages) assert.ok(text.length < 800_000, String(text.length));
      assert.deepEqual(
        pages.flatMap((page) => page.ids),
        ids,
      );
      const named = await read(organization, '?limit=1000&column=name');
      assert.deepEqual([named.ids.length, named.hasMore], [130, false]);
    });

    test('a cursor that is later than every change is 410, and tells to start again', async () => {
      const { organization, ids } = await withMeetings(2);
      const { next } = await read(organization);
      const [list, id, changedAt, meetingId, since] = JSON.parse(Buffer.from(next, 'base64url').toString());
      for (const lost of [
        [list, id, changedAt + 3_600_000, meetingId, since],
        [list, id, changedAt, meetingId, since + 3_600_000],
      ]) {
        const after = Buffer.from(JSON.stringify(lost)).toString('base64url');
        const { status, json, headers } = await organization.get(`/meeting_changes?after=${after}`);
        assert.deepEqual(
          [status, headers['x-error-code'], headers['x-oldest-cursor']],
          [410, 'cursor-expired', undefined],
        );
        assert.deepEqual(json, {
          error:
            'The changes after this cursor are no longer kept: start again without it, and remove the meetings that the new read does not return',
        });
      }
      assert.deepEqual((await read(organization)).ids, ids);
    });
  });
});

testSeenAnswers('meeting-changes');
