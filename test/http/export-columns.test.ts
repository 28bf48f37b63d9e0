import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { apiSuite } from '../support/http/api-suite.js';
import { columns, exportOf, pastMeeting } from '../support/http/exported-meetings.js';
import type { Json } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';

apiSuite((service) => {
  const { holding, exported, refused } = exportOf(service);

  describe('GET and POST /organizations/:id/export_meetings: columns (4.6, 2.5)', () => {
    test('every column holds the stored value', async () => {
      const organization = await holding([
        pastMeeting('2026-10-20T18:00:00', {
          name: 'Grief circle',
          meetingType: 'OneToOne',
          duration: 45,
          topic: 'Grief',
          specialFocus: 'Loss',
          host: 'Dana K.',
          location: 'service',
          price: 12.5,
          maxAttendees: 12,
          description: 'Line\nbreak "quoted" \\ 漢字 😀',
          groupLeaderId: 0,
          privacy: true,
          eap: true,
          allowMeetingDonation: true,
          invitationOnly: true,
          waitList: true,
          updatedAt: new Date('2026-11-03T09:30:00.250Z'),
        }),
        pastMeeting('2026-10-21T18:00:00', { price: null, description: null, specialFocus: '' }),
      ]);
      const { json } = await exported(organization, { column: columns });
      assert.deepEqual(json.meetings[0], {
        name: 'Grief circle',
        meeting_type: 'OneToOne',
        start_time: '2026-10-20T18:00:00.000Z',
        duration: 45,
        status: 'complete',
        topic: 'Grief',
        special_focus: 'Loss',
        host: 'Dana K.',
        location: 'service',
        price: 12.5,
        max_attendees: 12,
        meeting_description: 'Line\nbreak "quoted" \\ 漢字 😀',
        group_leader: organization.id,
        privacy: true,
        eap: true,
        allow_meeting_donation: true,
        invitation_only: true,
        wait_list: true,
        id: organization.id * 1000,
        updated_at: '2026-11-03T09:30:00.250Z',
      });
      const { price, meeting_description, group_leader, special_focus, wait_list } = json.meetings[1];
      assert.deepEqual(
        [price, meeting_description, group_leader, special_focus, wait_list],
        [0, null, null, '', false],
      );
    });

    test('keys are in the requested order, each once (decision 11)', async () => {
      const organization = await holding([pastMeeting('2026-10-20T18:00:00')]);
      const { json } = await exported(organization, { column: ['topic', 'name', 'topic', 'eap', 'name'] });
      assert.deepEqual(json.meetings.map(Object.keys), [['topic', 'name', 'eap']]);
    });

    test('column=, column[]= and column[0]= all work, escaped or not (decision 11)', async () => {
      const { get } = await holding([pastMeeting('2026-10-20T18:00:00')]);
      const expected = (await get('/export_meetings?column[]=name&column[]=topic')).text;
      for (const query of [
        'column=name&column=topic',
        'column[0]=name&column[1]=topic',
        'column%5B%5D=name&column%5b%5d=topic',
        'column=name&column[]=topic',
        'column[0]=name&column=topic&column=',
        'unknown=%zz&column=n%61me&column=topic&%zz=1&=&&x',
      ]) {
        assert.equal((await get(`/export_meetings?${query}`)).text, expected, query);
      }
    });

    test('no column: an empty list, whatever the other parameters are (decision 11)', async () => {
      const { get, post } = await holding([pastMeeting('2026-10-20T18:00:00')]);
      const nothing = '{"success":true,"meetings":[]}';
      for (const query of [
        ...['', '?', '?column=', '?column[]=', '?column[]=&column[]=', '?page=1&per_page=5'],
        ...['?reporting_days=x&page=2&per_page=x', '?reporting_days=custom', '?report_type=x'],
        ...['?time_zone=Mars/Olympus', '?start_time=02/30/2026&end_time=x'],
        '?reporting_days=a&reporting_days=b&time_zone=%zz',
      ])
        assert.equal((await get(`/export_meetings${query}`)).text, nothing, query);
      for (const body of [
        ...[undefined, {}, { column: [] }, { column: null }, { column: '' }, { column: ['', ''] }],
        ...[{ page: 1 }, { column: [], page: 2, per_page: 5 }],
        { reporting_days: 5, report_type: ['x'], time_zone: 'Mars/Olympus' },
      ])
        assert.equal((await post('/export_meetings', body)).text, nothing, JSON.stringify(body));
    });

    test('an unknown column: 400 that names the columns (decision 7)', async () => {
      const organization = await holding([]);
      const error = await refused(organization, { column: ['name', 'NAME'] });
      assert.equal(error, `column must be one of ${columns.join(', ')}`);
    });

    test('GET export_meetings/columns lists every column, with its label and the type of its values', async () => {
      const { get } = await holding([
        pastMeeting('2026-10-20T18:00:00', { groupLeaderId: 0, price: 12.5, description: 'Text' }),
        pastMeeting('2026-10-20T18:00:00', { groupLeaderId: null, description: null }),
      ]);
      const { status, json } = await get('/export_meetings/columns');
      const { get: documented }: Json = openapi().paths['/organizations/{id}/export_meetings/columns'];
      const { columns: example } = documented.responses[200].content['application/json'].examples;
      assert.deepEqual([status, json], [200, example.value]);
      const listed: readonly Json[] = json.columns;
      assert.deepEqual(
        listed.map(({ key }) => key),
        columns,
      );

      const { meetings } = (await get(`/export_meetings?${columns.map((key) => `column=${key}`).join('&')}`))
        .json;
      for (const { key, type } of listed) {
        const found = new Set(meetings.map((meeting: Json) => typeIn(meeting, key)));
        const allowed = type.split(' or ');
        assert.ok(
          [...found].every((one) => allowed.includes(one) || (one === 'integer' && type === 'number')),
          `${key}: ${[...found]} is not ${type}`,
        );
        assert.equal(found.has('null'), allowed.includes('null'), key);
      }
    });

    test('GET export_meetings/columns has no parameters: any is a 400 that names it', async () => {
      const { get } = await holding([]);
      const { status, json, headers } = await get('/export_meetings/columns?page=1');
      assert.deepEqual([status, headers['x-error-code']], [400, 'invalid-request']);
      assert.equal(json.error, 'page is not a parameter of this operation, which has none');
    });

    test('a custom range without its ends, and a failed export, are 400', async () => {
      const organization = await holding([]);
      assert.equal(
        await refused(organization, { column: ['name'], reporting_days: 'custom' }),
        'start_time and end_time are both required when reporting_days is custom',
      );
      const restore = service().replace('meetings', {
        export: async () => {
          throw new Error('a bug');
        },
      });
      try {
        const { status, json, headers } = await exported(organization, { column: ['name'] });
        assert.deepEqual(
          [status, headers['x-error-code'], json.error],
          [400, 'export-failed', 'The export failed'],
        );
      } finally {
        restore();
        service().reports.length = 0;
      }
    });

    test('a column that cannot be read is not a column that was left out', async () => {
      const { get, post } = await holding([]);
      for (const query of ['column=%zz', 'column[a]=', 'column[a]=name', 'column=x&reporting_days=x']) {
        assert.equal(
          (await get(`/export_meetings?${query}`)).status,
          query === 'column[a]=' ? 200 : 400,
          query,
        );
      }
      for (const column of [5, 'name', {}, [5], [[]], [null], ['x']]) {
        assert.equal((await post('/export_meetings', { column })).status, 400, JSON.stringify(column));
      }
    });
  });

  describe('Invalid requests get 400 that names the parameter and the allowed values', () => {
    const byPost: readonly (readonly [string, unknown, string])[] = [
      ['a column that is a string', { column: 'name' }, 'column must be an array of strings'],
      ['a column that is an object', { column: { 0: 'name' } }, 'column must be an array of strings'],
      ['columns that are numbers', { column: [1, 2] }, 'column must be an array of strings'],
      ['columns in columns', { column: [['name']] }, 'column must be an array of strings'],
      [
        'a preset that is a list',
        { column: ['name'], reporting_days: ['all'] },
        'reporting_days must be a string',
      ],
      ['a time that is a number', { column: ['name'], start_time: 1 }, 'start_time must be a string'],
      [
        'a report type that is an object',
        { column: ['name'], report_type: {} },
        'report_type must be a string',
      ],
      ['a zone that is true', { column: ['name'], time_zone: true }, 'time_zone must be a string'],
      [
        'NUL',
        { column: ['name'], time_zone: 'a\u0000' },
        'time_zone must not contain NUL or half of a surrogate pair',
      ],
      ['a list as the body', ['name'], 'The body must be a JSON object'],
      ['a string as the body', 'name', 'The body must be a JSON object'],
    ];
    for (const [name, body, error] of byPost) {
      test(`by POST, ${name}: ${error}`, async () => {
        const { status, json } = await (await holding([])).post('/export_meetings', body);
        assert.deepEqual([status, json.error], [400, error]);
      });
    }

    const byGet: readonly (readonly [string, string, string])[] = [
      [
        'a parameter given twice',
        'column=name&report_type=all_meetings&report_type=x',
        'report_type must be one text, given once',
      ],
      [
        'a parameter with brackets',
        'column=name&reporting_days[]=all',
        'reporting_days must be one text, given once',
      ],
      [
        'a column with a name in brackets',
        'column[x]=name',
        'column must be written column, column[] or column[0]',
      ],
      ['a broken escape', 'column=name&time_zone=%zz', 'time_zone must be percent-encoded UTF-8'],
      ['bytes that are not UTF-8', 'column[]=%ff%fe', 'column must be percent-encoded UTF-8'],
      [
        'half of a surrogate pair',
        'column=name&time_zone=%ed%a0%80',
        'time_zone must be percent-encoded UTF-8',
      ],
      ['NUL', 'column=name&time_zone=a%00', 'time_zone must not contain NUL or half of a surrogate pair'],
      ['too many parameters', 'a&'.repeat(1001), 'the query must have at most 1000 parameters'],
    ];
    for (const [name, query, error] of byGet) {
      test(`by GET, ${name}: ${error}`, async () => {
        const { status, json } = await (await holding([])).get(`/export_meetings?${query}`);
        assert.deepEqual([status, json.error], [400, error]);
      });
    }

    test('all problems are reported together', async () => {
      const error = await refused(await holding([]), {
        column: ['x'],
        reporting_days: 'x',
        report_type: 'x',
      });
      assert.deepEqual(
        error.split('; ').map((message) => message.split(' ', 1)[0]),
        ['column', 'reporting_days', 'report_type'],
      );
    });
  });
});

testSeenAnswers('export-columns');

/** The type of a column's value in JSON. */
function typeIn(meeting: Json, column: string): string {
  const value = meeting[column === 'group_leader_id' ? 'group_leader' : column];
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
