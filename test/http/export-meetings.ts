import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting, aUser, type DatasetMeeting } from '@rollcall/core/testing';
import type { Json, Reply } from '../support/http/client.js';
import type { TestOrganization } from '../support/http/service.js';
import { publicUrl } from '../support/test-service.js';
import type { Suite } from './suite.js';

const columns = [
  'name',
  'meeting_type',
  'start_time',
  'duration',
  'status',
  'topic',
  'special_focus',
  'host',
  'location',
  'price',
  'max_attendees',
  'meeting_description',
  'group_leader_id',
  'privacy',
  'eap',
  'allow_meeting_donation',
  'invitation_only',
  'wait_list',
];
const at = (text: string): Date => new Date(text);

/** Named by when it starts, an hour long, complete unless told. */
function past(start: string, given: Partial<DatasetMeeting> = {}): Partial<DatasetMeeting> {
  const startTime = at(`${start}Z`);
  return {
    name: start,
    startTime,
    endTime: new Date(startTime.getTime() + 3_600_000),
    status: 'complete',
    ...given,
  };
}

type Parameters = Readonly<Record<string, unknown>>;

export const exportMeetingsSuite: Suite = (service) => {
  const holding = (
    meetings: readonly Partial<DatasetMeeting>[],
    { eap = false }: { readonly eap?: boolean } = {},
  ): Promise<TestOrganization> =>
    service().organization({ eap }, (id) => ({
      users: [aUser(id)],
      meetings: meetings.map((given, index) =>
        aMeeting(id * 1000 + index, {
          organizationId: id,
          ...given,
          groupLeaderId: given.groupLeaderId === 0 ? id : null,
          eapOrganizationIds: given.eapOrganizationIds?.map((tied) => (tied === 0 ? id : tied)) ?? [],
        }),
      ),
    }));

  /** Asks by GET and by POST, which must answer the same bytes. */
  const exported = async ({ get, post }: TestOrganization, parameters: Parameters): Promise<Reply> => {
    const byGet = await get(`/export_meetings?${queryOf(parameters)}`);
    const byPost = await post('/export_meetings', parameters);
    assert.deepEqual([byPost.status, byPost.text], [byGet.status, byGet.text]);
    return byGet;
  };
  const names = async (
    organization: TestOrganization,
    parameters: Parameters,
  ): Promise<readonly string[]> => {
    const { status, json } = await exported(organization, { column: ['name'], ...parameters });
    assert.equal(status, 200, JSON.stringify(json));
    return json.meetings.map((meeting: Json) => meeting.name);
  };
  const refused = async (organization: TestOrganization, parameters: Parameters): Promise<string> => {
    const { status, json, headers } = await exported(organization, { column: ['name'], ...parameters });
    assert.deepEqual([status, headers['x-error-code']], [400, 'invalid-request']);
    return json.error;
  };

  describe('GET and POST /organizations/:id/export_meetings: columns (4.6, 2.5)', () => {
    test('every column holds the stored value', async () => {
      const organization = await holding([
        past('2026-10-20T18:00:00', {
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
        }),
        past('2026-10-21T18:00:00', { price: null, description: null, specialFocus: '' }),
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
      });
      const { price, meeting_description, group_leader, special_focus, wait_list } = json.meetings[1];
      assert.deepEqual(
        [price, meeting_description, group_leader, special_focus, wait_list],
        [0, null, null, '', false],
      );
    });

    for (const column of columns) {
      test(`${column} alone gives exactly that key`, async () => {
        const { json } = await exported(await holding([past('2026-10-20T18:00:00')]), { column: [column] });
        const key = column === 'group_leader_id' ? 'group_leader' : column;
        assert.deepEqual(json.meetings.map(Object.keys), [[key]]);
      });
    }

    test('keys come in the requested order, each once (decision 11)', async () => {
      const organization = await holding([past('2026-10-20T18:00:00')]);
      const { json } = await exported(organization, { column: ['topic', 'name', 'topic', 'eap', 'name'] });
      assert.deepEqual(json.meetings.map(Object.keys), [['topic', 'name', 'eap']]);
    });

    test('column=, column[]= and column[0]= are all read, escaped or not (decision 11)', async () => {
      const { get } = await holding([past('2026-10-20T18:00:00')]);
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

    test('no column: an empty list, with pages or without, and no error', async () => {
      const { get, post } = await holding([past('2026-10-20T18:00:00')]);
      const nothing = '{"success":true,"meetings":[]}';
      for (const query of ['', '?', '?column=', '?column[]=', '?column[]=&column[]=', '?page=1&per_page=5']) {
        assert.equal((await get(`/export_meetings${query}`)).text, nothing, query);
      }
      for (const body of [
        undefined,
        {},
        { column: [] },
        { column: null },
        { column: '' },
        { column: [''] },
        { column: ['', ''] },
        { page: 1 },
        { column: [], page: 2, per_page: 5 },
      ]) {
        assert.equal((await post('/export_meetings', body)).text, nothing, JSON.stringify(body));
      }
    });

    test('an unknown column: 400 that names the columns there are (decision 7)', async () => {
      const organization = await holding([]);
      for (const column of [
        ['attendees'],
        ['name', 'NAME'],
        ['__proto__'],
        ['constructor'],
        ['name '],
        ['id'],
      ]) {
        assert.equal(await refused(organization, { column }), `column must be one of ${columns.join(', ')}`);
      }
    });

    test('an empty column among others is left out', async () => {
      const organization = await holding([past('2026-10-20T18:00:00')]);
      const { json } = await exported(organization, { column: ['', 'topic', '', 'name'] });
      assert.deepEqual(json.meetings.map(Object.keys), [['topic', 'name']]);
    });

    test('no column: an empty list, whatever the other parameters are (decision 140)', async () => {
      const organization = await holding([past('2026-10-20T18:00:00')]);
      const nothing = '{"success":true,"meetings":[]}';
      for (const parameters of [
        { reporting_days: 'x' },
        { reporting_days: 'custom' },
        { report_type: 'x' },
        { time_zone: 'Mars/Olympus' },
        { start_time: '02/30/2026 01:00 PM', end_time: 'x' },
        { reporting_days: 'x', page: 2, per_page: 'x' },
      ]) {
        const { status, text } = await exported(organization, { column: [], ...parameters });
        assert.deepEqual([status, text], [200, nothing], JSON.stringify(parameters));
      }
      const { get, post } = organization;
      assert.equal(
        (await get('/export_meetings?reporting_days=a&reporting_days=b&time_zone=%zz')).text,
        nothing,
      );
      assert.equal((await post('/export_meetings', { reporting_days: 5, report_type: ['x'] })).text, nothing);
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

  describe('reporting_days (4.6, decisions 9 and 10)', () => {
    // 2026-11-20 is a Friday; the clock stands at 12:00 UTC.
    const calendar = [
      past('2026-09-30T23:59:59', { status: 'scheduled' }),
      past('2026-10-01T00:00:00', { status: 'cancel' }),
      past('2026-10-31T23:59:59'),
      past('2026-11-01T00:00:00'),
      past('2026-11-08T23:59:59'),
      past('2026-11-09T00:00:00'),
      past('2026-11-15T23:59:59'),
      past('2026-11-16T00:00:00'),
      past('2026-11-20T00:00:00', { status: 'scheduled' }),
      past('2026-11-20T11:00:00', { status: 'scheduled' }),
      past('2026-11-20T11:30:00', { status: 'postponed' }),
      past('2026-11-20T23:59:59', { status: 'cancel' }),
      past('2026-11-21T00:00:00', { status: 'scheduled' }),
      past('2026-11-30T23:59:59', { status: 'complete' }),
      past('2026-12-01T00:00:00', { status: 'scheduled' }),
    ];
    const all = calendar.map(({ name }) => String(name));
    const between = (from: string, to: string) => all.filter((name) => name >= from && name < to);

    const expected: Readonly<Record<string, readonly string[]>> = {
      all: calendar.filter(({ status }) => status === 'complete').map(({ name }) => String(name)),
      all_upcoming: ['2026-11-20T11:30:00', '2026-11-21T00:00:00', '2026-12-01T00:00:00'],
      today: between('2026-11-20', '2026-11-21'),
      current_month: between('2026-11-01', '2026-12-01'),
      last_week: between('2026-11-09', '2026-11-16'),
      last_month: between('2026-10-01', '2026-11-01'),
    };
    for (const [preset, meetings] of Object.entries(expected)) {
      test(`${preset} gives what starts then, in order`, async () => {
        assert.deepEqual(await names(await holding(calendar), { reporting_days: preset }), meetings);
      });
    }

    test('left out, empty and all_past give completed meetings, as all does', async () => {
      const organization = await holding(calendar);
      for (const parameters of [{}, { reporting_days: '' }, { reporting_days: 'all_past' }]) {
        assert.deepEqual(await names(organization, parameters), expected.all);
      }
    });

    test('custom gives what starts within both ends, both included', async () => {
      const organization = await holding([
        past('2026-11-01T08:59:59.999'),
        past('2026-11-01T09:00:00', { status: 'scheduled' }),
        past('2026-11-01T21:30:00', { status: 'cancel' }),
        past('2026-11-01T21:30:00.001'),
      ]);
      const parameters = {
        reporting_days: 'custom',
        start_time: '11/01/2026 09:00 AM',
        end_time: '11/01/2026 09:30 PM',
      };
      assert.deepEqual(await names(organization, parameters), ['2026-11-01T09:00:00', '2026-11-01T21:30:00']);
    });

    test('12 AM is midnight and 12 PM is noon', async () => {
      const organization = await holding([past('2026-11-01T00:00:00'), past('2026-11-01T12:00:00')]);
      const starting = (time: string) =>
        names(organization, { reporting_days: 'custom', start_time: time, end_time: time });
      assert.deepEqual(await starting('11/01/2026 12:00 AM'), ['2026-11-01T00:00:00']);
      assert.deepEqual(await starting('11/01/2026 12:00 PM'), ['2026-11-01T12:00:00']);
    });

    test('an explicit range is applied on top of the preset (rule 1)', async () => {
      const range = { start_time: '11/10/2026 12:00 AM', end_time: '11/18/2026 12:00 AM' };
      const organization = await holding(calendar);
      assert.deepEqual(await names(organization, { ...range, reporting_days: 'last_week' }), [
        '2026-11-15T23:59:59',
      ]);
      assert.deepEqual(await names(organization, range), ['2026-11-15T23:59:59', '2026-11-16T00:00:00']);
    });

    test('one end alone has no effect (decision 8)', async () => {
      const organization = await holding(calendar);
      assert.deepEqual(await names(organization, { start_time: '11/10/2026 12:00 AM' }), expected.all);
      assert.deepEqual(
        await names(organization, { end_time: '11/10/2026 12:00 AM', start_time: '' }),
        expected.all,
      );
    });

    test('a start after the end gives no meetings (decision 8)', async () => {
      const range = { start_time: '11/18/2026 12:00 AM', end_time: '11/10/2026 12:00 AM' };
      assert.deepEqual(await names(await holding(calendar), range), []);
    });

    test('custom without both ends: 400 that names both (decision 7)', async () => {
      const organization = await holding([]);
      for (const ends of [{}, { start_time: '11/18/2026 12:00 AM' }, { end_time: '11/18/2026 12:00 AM' }]) {
        assert.match(
          await refused(organization, { reporting_days: 'custom', ...ends }),
          /start_time and end_time/,
        );
      }
    });

    test('an unknown preset: 400 that names the presets there are (decision 7)', async () => {
      for (const preset of ['tomorrow', 'ALL', ' all', 'all_past;', '\u0001']) {
        const allowed = 'all, all_past, all_upcoming, today, current_month, last_week, last_month, custom';
        assert.equal(
          await refused(await holding([]), { reporting_days: preset }),
          `reporting_days must be one of ${allowed}`,
        );
      }
    });

    test('a date that does not exist, or another form: 400 that names it and the form (decision 7)', async () => {
      const organization = await holding([]);
      for (const time of [
        '02/30/2026 12:00 AM',
        '02/29/2026 12:00 AM',
        '13/01/2026 12:00 AM',
        '00/01/2026 12:00 AM',
        '11/31/2026 12:00 AM',
        '11/01/2026 13:00 PM',
        '11/01/2026 00:00 AM',
        '11/01/2026 12:60 AM',
        '11/01/2026 12:00',
        '11/01/2026 12:00 am',
        '11/1/2026 12:00 AM',
        '2026-11-01T00:00:00Z',
        '11/01/26 12:00 AM',
        ' 11/01/2026 12:00 AM',
        '11/01/2026 12:00 AM\n',
        '١١/01/2026 12:00 AM',
        'x'.repeat(2000),
      ]) {
        for (const field of ['start_time', 'end_time']) {
          const error = await refused(organization, { [field]: time });
          assert.match(error, new RegExp(`^${field} must .*MM/DD/YYYY HH:MM AM/PM`), time);
        }
      }
    });

    test('years from 0000 to 9999 are read', async () => {
      const organization = await holding(calendar);
      const range = { start_time: '01/01/0000 12:00 AM', end_time: '12/31/9999 11:59 PM' };
      assert.deepEqual(await names(organization, { reporting_days: 'custom', ...range }), all);
    });
  });

  describe('time_zone (decision 9)', () => {
    test('moves the days of presets and ranges', async () => {
      const organization = await holding([
        past('2026-11-19T22:59:59'),
        past('2026-11-19T23:00:00'),
        past('2026-11-20T22:59:59'),
        past('2026-11-20T23:00:00'),
      ]);
      const inBerlin = ['2026-11-19T23:00:00', '2026-11-20T22:59:59'];
      const zone = { time_zone: 'Europe/Berlin' };
      assert.deepEqual(await names(organization, { reporting_days: 'today', ...zone }), inBerlin);
      const range = { start_time: '11/20/2026 12:00 AM', end_time: '11/20/2026 11:59 PM' };
      assert.deepEqual(await names(organization, { reporting_days: 'custom', ...range, ...zone }), [
        '2026-11-19T23:00:00',
      ]);
    });

    test('an unknown zone: 400 that names it', async () => {
      for (const zone of ['Mars/Olympus', '+02:00', 'x'.repeat(200), '../etc/passwd', 'Europe/Berlin\n']) {
        assert.match(await refused(await holding([]), { time_zone: zone }), /^time_zone must/);
      }
    });
  });

  describe('report_type (4.6 rule 2, decision 12)', () => {
    const program = [
      past('2026-10-01T10:00:00', { name: 'own' }),
      past('2026-10-02T10:00:00', { name: 'own eap', eap: true }),
      past('2026-10-03T10:00:00', { name: 'tied', organizationId: null, eapOrganizationIds: [0] }),
      past('2026-10-04T10:00:00', {
        name: 'tied eap',
        organizationId: null,
        eapOrganizationIds: [0],
        eap: true,
      }),
      past('2026-10-05T10:00:00', { name: 'service', organizationId: null, eap: true }),
    ];

    test('with a program: own meetings and those tied to it', async () => {
      const organization = await holding(program, { eap: true });
      const everything = ['own', 'own eap', 'tied', 'tied eap'];
      assert.deepEqual(await names(organization, {}), everything);
      assert.deepEqual(await names(organization, { report_type: 'all_meetings' }), everything);
      assert.deepEqual(await names(organization, { report_type: 'eap_meetings' }), ['own eap', 'tied eap']);
    });

    test('without a program: own meetings only', async () => {
      const organization = await holding(program.slice(0, 2), { eap: false });
      assert.deepEqual(await names(organization, {}), ['own', 'own eap']);
      assert.deepEqual(await names(organization, { report_type: 'eap_meetings' }), ['own eap']);
    });

    test('an unknown report type: 400 that names the ones there are (decision 7)', async () => {
      const error = await refused(await holding([]), { report_type: 'eap' });
      assert.equal(error, 'report_type must be one of all_meetings, eap_meetings');
    });
  });

  describe('Pages of the export (4.6 rules 4 and 5)', () => {
    const five = ['03', '01', '02', '02', '04'].map((day, index) =>
      past(`2026-10-${day}T10:00:00`, { name: `${day} ${index}` }),
    );
    const inOrder = ['01 1', '02 2', '02 3', '03 0', '04 4'];

    test('without page and per_page: everything by start time and id, and no metadata', async () => {
      const { json } = await exported(await holding(five), { column: ['name'] });
      assert.deepEqual(Object.keys(json), ['success', 'meetings']);
      assert.deepEqual(
        json.meetings.map((meeting: Json) => meeting.name),
        inOrder,
      );
    });

    test('with page, per_page or both: metadata before the meetings', async () => {
      const organization = await holding(five);
      const page = async (parameters: Parameters) => {
        const { json } = await exported(organization, { column: ['name'], ...parameters });
        assert.deepEqual(Object.keys(json), ['success', 'metadata', 'meetings']);
        const { page, per_page, total_pages, total_count } = json.metadata;
        assert.deepEqual(Object.keys(json.metadata), ['page', 'per_page', 'total_pages', 'total_count']);
        return [page, per_page, total_pages, total_count, json.meetings.map((meeting: Json) => meeting.name)];
      };
      assert.deepEqual(await page({ page: 1 }), [1, 100, 1, 5, inOrder]);
      assert.deepEqual(await page({ per_page: 2 }), [1, 2, 3, 5, inOrder.slice(0, 2)]);
      assert.deepEqual(await page({ page: 2, per_page: 2 }), [2, 2, 3, 5, inOrder.slice(2, 4)]);
      assert.deepEqual(await page({ page: 3, per_page: 2 }), [3, 2, 3, 5, inOrder.slice(4)]);
      assert.deepEqual(await page({ page: 9, per_page: 2 }), [9, 2, 3, 5, []]);
    });

    test('nothing matches: no pages (decision 33)', async () => {
      const { json } = await exported(await holding([]), { column: ['name'], page: 1 });
      assert.deepEqual(json, {
        success: true,
        metadata: { page: 1, per_page: 100, total_pages: 0, total_count: 0 },
        meetings: [],
      });
    });

    test('numbers are clamped, and what is not a number means the default (decision 8)', async () => {
      const { get, post } = await holding(five);
      const asked = async (query: string) => {
        const { status, json } = await get(`/export_meetings?column=name&${query}`);
        assert.equal(status, 200);
        return [json.metadata?.page, json.metadata?.per_page];
      };
      assert.deepEqual(await asked('page=0&per_page=0'), [1, 1]);
      assert.deepEqual(await asked('page=-1&per_page=1000'), [1, 100]);
      assert.deepEqual(await asked('page=2&page=3'), [1, 100]);
      assert.deepEqual(await asked('per_page[]=5'), [1, 100]);
      assert.deepEqual(await asked('page=99999999999999999999'), [1_000_000_000, 100]);
      assert.deepEqual(await asked('page=1.9&per_page=50.5'), [1, 50]);
      assert.deepEqual(await asked('page=-0.5&per_page=100.5'), [1, 100]);
      for (const text of ['abc', '1.5.2', '1.', '.5', '%zz', '%00', '0x1', 'null']) {
        assert.deepEqual(await asked(`page=${text}`), [1, 100], text);
        assert.deepEqual(await asked(`per_page=${text}`), [1, 100], text);
      }
      const fraction = await post('/export_meetings', { column: ['name'], page: 1.9, per_page: 50.5 });
      assert.deepEqual([fraction.json.metadata.page, fraction.json.metadata.per_page], [1, 50]);
      for (const value of ['abc', '1e2', true, [1], { a: 1 }, '١']) {
        const { status, json } = await post('/export_meetings', {
          column: ['name'],
          page: value,
          per_page: value,
        });
        assert.deepEqual([status, json.metadata.page, json.metadata.per_page], [200, 1, 100]);
      }
    });

    test('an empty page counts as left out', async () => {
      const { get, post } = await holding(five);
      assert.equal((await get('/export_meetings?column=name&page=&per_page=')).json.metadata, undefined);
      const { json } = await post('/export_meetings', { column: ['name'], page: '', per_page: null });
      assert.equal(json.metadata, undefined);
    });
  });

  describe('What the export refuses with 400, naming the parameter and what is allowed', () => {
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
      ['bytes that are no UTF-8', 'column[]=%ff%fe', 'column must be percent-encoded UTF-8'],
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

    test('everything that is wrong is told at once', async () => {
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

    test('by POST only JSON is read: a form is 415', async () => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const { status } = await (await holding([])).post('/export_meetings', undefined, {
        body: 'column[]=name',
        headers,
      });
      assert.equal(status, 415);
    });
  });

  describe('Whose meetings are exported', () => {
    test('never those of another organization', async () => {
      await holding([past('2026-10-01T10:00:00', { name: 'of another' })]);
      const organization = await holding([past('2026-10-01T10:00:00', { name: 'own' })], { eap: true });
      assert.deepEqual(await names(organization, {}), ['own']);
    });

    test('a page leads to the next one, the last one and the whole to none', async () => {
      const organization = await holding(
        ['a&b', 'c', 'd'].map((name, hour) => past(`2026-10-01T1${hour}:00:00`, { name })),
      );
      const linkOf = async (query: string): Promise<string | undefined> =>
        (await organization.get(`/export_meetings?${query}`)).headers.link as string | undefined;
      const address = `${publicUrl}/api/v2/organizations/${organization.id}/export_meetings`;
      assert.equal(
        await linkOf('column=name&column[]=topic&per_page=1'),
        `<${address}?column=name&column%5B%5D=topic&per_page=1&page=2>; rel="next"`,
      );
      const second = await linkOf('page=1&per_page=2&column=name');
      assert.equal(second, `<${address}?page=2&per_page=2&column=name>; rel="next"`);
      const followed = await organization.get(second?.match(/\/export_meetings[^>]*/)?.[0] ?? '');
      assert.deepEqual(JSON.parse(followed.text).meetings, [{ name: 'd' }]);
      assert.equal(followed.headers.link, undefined);
      assert.equal(await linkOf('column=name'), undefined);
      assert.equal(await linkOf('column=name&page=9'), undefined);
      const posted = await organization.post('/export_meetings', { column: ['name'], page: 1, per_page: 1 });
      assert.equal(posted.headers.link, undefined);
    });

    test('HEAD answers as GET does, without the body', async () => {
      const { id, token } = await holding([past('2026-10-01T10:00:00')]);
      const headers = { Authorization: `Bearer ${token}` };
      const head = (query: string) =>
        service().client.send('HEAD', `/api/v2/organizations/${id}/export_meetings?${query}`, { headers });
      assert.equal((await head('column=name')).status, 200);
      const { status, headers: told } = await head('column=name&page=1');
      const whole = await service().client.send(
        'GET',
        `/api/v2/organizations/${id}/export_meetings?column=name&page=1`,
        { headers },
      );
      assert.deepEqual([status, told['content-length']], [200, String(Buffer.byteLength(whole.text))]);
      assert.equal((await head('column=unknown')).status, 400);
    });
  });
};

function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) =>
      Array.isArray(value)
        ? value.map((item) => `${name}[]=${encodeURIComponent(String(item))}`)
        : [`${name}=${encodeURIComponent(String(value))}`],
    )
    .join('&');
}
