import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { exportColumns, Refusal, type Role, Secret, Unavailable } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, type DatasetMeeting, hostileTexts } from '@rollcall/core/testing';
import type { TestOrganization } from '#test/support/http/service.js';
import { eventually } from '#test/support/http/wait.js';
import { type PageClient, readableText } from '#test/support/page/client.js';
import { startPageSite } from '#test/support/page/site.js';
import { noLimits, type Site, startSite } from '#test/support/security/site.js';

const password = 'a good password';

interface Opened {
  readonly own: TestOrganization;
  /** Where the page is. */
  readonly page: string;
  readonly client: PageClient;
}

let site: Site;
before(async () => {
  site = await startSite({ ports: { limits: noLimits } });
});
after(() => site.stop());

interface Given {
  readonly role?: Role;
  readonly meetings?: readonly DatasetMeeting[];
  /** Numbers of meetings in which the visitor has a seat. */
  readonly seats?: readonly number[];
}

/** Somebody with the role in front of an organization with these meetings. Today is Friday 20 November 2026. */
async function opened({ role = 'admin', meetings = [], seats = [] }: Given = {}): Promise<Opened> {
  const registeredAt = new Date('2026-11-01T10:00:00.000Z');
  const own = await site.organization({ name: 'Northwind Wellness', eap: true }, (organizationId) => {
    const userId = organizationId;
    const idOf = (id: number): number => organizationId * 10_000 + id;
    return {
      users: [aUser(userId)],
      memberships: [{ organizationId, userId, role, idpId: null }],
      meetings: meetings.map((meeting) => ({ ...meeting, id: idOf(meeting.id), organizationId })),
      registrations: seats.map((seat) => ({ meetingId: idOf(seat), userId, registeredAt })),
    };
  });
  const { email } = aUser(own.id);
  await site.core.setPassword({ email, password: new Secret(password) });
  const client = site.browser();
  await client.fillIn('/sign-in', { email, password });
  return { own, page: `/organizations/${own.id}/export`, client };
}

/** Gives these rows in the place of an organization's until the test has ended. */
function exporting(context: TestContext, rows: () => AsyncIterable<Uint8Array>): void {
  context.after(site.replace('meetings', { export: async () => ({ total: null, chunks: rows() }) }));
}

const at = (time: string) => ({ startTime: new Date(time), endTime: new Date(Date.parse(time) + 3_600_000) });

/** One for each answer that a preset can give. */
const spread = [
  aMeeting(1, { name: 'Long ago', status: 'complete', ...at('2026-03-03T10:00:00.000Z') }),
  aMeeting(2, { name: 'Last month', status: 'complete', ...at('2026-10-20T10:00:00.000Z') }),
  aMeeting(3, { name: 'Last week', status: 'complete', ...at('2026-11-11T10:00:00.000Z') }),
  aMeeting(4, { name: 'Cancelled today', status: 'cancel', ...at('2026-11-20T08:00:00.000Z') }),
  aMeeting(5, { name: 'Tonight', ...at('2026-11-20T18:00:00.000Z') }),
  aMeeting(6, { name: 'Next month', eap: true, ...at('2026-12-09T18:00:00.000Z') }),
];

const names = ['Long ago', 'Last month', 'Last week', 'Cancelled today', 'Tonight', 'Next month'];
const shown = (html: string): readonly string[] =>
  names.filter((name) => html.includes(`<bdi>${name}</bdi>`));
const ticked = (html: string): readonly string[] =>
  [...html.matchAll(/<input type="checkbox"[^>]* value="([^"]*)" checked/g)].map(([, key = '']) => key);
const fieldProblem = (html: string, field: string): string | undefined =>
  new RegExp(`class="field-problem" id="${field}-hint">([^<]*)<`).exec(html)?.[1];
const heading = (html: string): string | undefined => /<h2 id="preview-title">([^<]*)</.exec(html)?.[1];

describe('The page of the export', () => {
  test('opens with the default columns of the completed meetings, their number and the first rows', async () => {
    const { client, page } = await opened({ meetings: spread });
    const { status, text } = await client.open(page);
    assert.equal(status, 200);
    assert.deepEqual(ticked(text), [
      'name',
      'start_time',
      'duration',
      'status',
      'topic',
      'host',
      'max_attendees',
    ]);
    assert.equal(heading(text), '3 meetings');
    assert.deepEqual(shown(text), ['Long ago', 'Last month', 'Last week']);
    assert.match(text, /<option value="all" selected>/);
    assert.match(text, /<h1>Meetings<\/h1>/);
    assert.match(text, /aria-current="page">Meetings</);
  });

  test('says in words when three exports of the organization run already', async (t) => {
    const { client, page } = await opened({ meetings: spread });
    exporting(t, () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          throw new Refusal('too-many-requests', 'At most 3 exports run at the same time', 10);
        },
      }),
    }));
    const { status, headers, text } = await client.open(`${page}/meetings.csv?column[]=name`);
    assert.deepEqual([status, headers.get('retry-after')], [429, '10']);
    assert.match(readableText(text), /At most 3 exports run at the same time\./);
  });

  test('every column of the interface can be ticked, alone and all at once, and comes in the order of the form', async () => {
    const { client, page } = await opened({ meetings: spread });
    const heads = (html: string): readonly string[] =>
      [...html.slice(html.indexOf('id="preview"')).matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(
        ([, label = '']) => label,
      );
    for (const { key, label } of exportColumns) {
      const { text } = await client.open(`${page}?column[]=${key}&reporting_days=all`);
      assert.deepEqual([ticked(text), heads(text)], [[key], [label]]);
    }
    const { text } = await client.open(`${page}?tick=all`);
    assert.deepEqual(
      heads(text),
      exportColumns.map(({ label }) => label),
    );
  });

  test('its buttons select all columns or the default ones, and keep everything else of the form', async () => {
    const { client, page } = await opened({ meetings: spread });
    const times = 'start_time=2026-11-01T00:00&end_time=2026-12-31T00:00';
    const rest = `reporting_days=custom&report_type=eap_meetings&${times}`;
    const defaults = ticked((await client.open(page)).text);
    for (const [value, columns] of [
      ['all', exportColumns.map(({ key }) => key)],
      ['defaults', defaults],
      ['nothing', ['eap']],
    ] as const) {
      const { status, text } = await client.open(`${page}?column[]=eap&${rest}&tick=${value}`);
      assert.deepEqual([status, ticked(text)], [200, columns], value);
      for (const chosen of ['<option value="custom" selected', '<option value="eap_meetings" selected'])
        assert.ok(text.includes(chosen), chosen);
      for (const time of ['2026-11-01T00:00', '2026-12-31T00:00'])
        assert.ok(text.includes(`value="${time}"`));
      assert.equal(heading(text), '1 meeting');
    }
    const { text } = await client.open(page);
    for (const value of ['all', 'defaults']) {
      const button = `<button class="secondary outline small" type="submit" name="tick" value="${value}" formaction="${page}#columns">`;
      assert.ok(text.includes(button), value);
    }
  });

  test('its choice means what the interface means by it', async () => {
    const { client, page, own } = await opened({ meetings: spread });
    const choices = [
      '',
      'reporting_days=all',
      'reporting_days=all_past',
      'reporting_days=all_upcoming',
      'reporting_days=today',
      'reporting_days=current_month',
      'reporting_days=last_week',
      'reporting_days=last_month',
      'reporting_days=current_month&report_type=eap_meetings',
      'reporting_days=all_upcoming&report_type=eap_meetings',
      'reporting_days=custom&start_time=11/11/2026 10:00 AM&end_time=11/20/2026 08:00 AM',
      'reporting_days=all&start_time=01/01/2026 12:00 AM&end_time=10/31/2026 11:59 PM',
      'reporting_days=all&start_time=11/11/2026 10:00 AM&end_time=11/11/2026 10:00 AM',
    ];
    const counts = new Set<number>();
    for (const choice of choices) {
      const query = encodeURI(`column[]=name&${choice}`);
      const { meetings } = (await own.get(`/export_meetings?${query}`)).json as {
        readonly meetings: readonly { readonly name: string }[];
      };
      const { status, text } = await client.open(`${page}?${query}`);
      assert.equal(status, 200);
      assert.deepEqual(
        shown(text),
        meetings.map(({ name }) => name),
        choice,
      );
      assert.equal(heading(text), `${meetings.length} meeting${meetings.length === 1 ? '' : 's'}`);
      counts.add(meetings.length);
    }
    assert.ok(counts.size > 2);
  });

  test('takes times as a browser’s field sends them, and shows them in it again', async () => {
    const { client, page } = await opened({ meetings: spread });
    const times = [
      ['2026-11-11T10:00', '11/11/2026 10:00 AM'],
      ['2026-11-20T00:00', '11/20/2026 12:00 AM'],
      ['2026-11-20T12:30', '11/20/2026 12:30 PM'],
      ['2026-11-20T23:59:59', '11/20/2026 11:59 PM'],
    ] as const;
    for (const [given, wire] of times) {
      const query = `column[]=name&reporting_days=custom&start_time=2026-01-01T00:00&end_time=${given}`;
      const { status, text } = await client.open(`${page}?${query}`);
      assert.equal(status, 200);
      assert.ok(text.includes(`end_time=${encodeURIComponent(wire)}`), wire);
      assert.match(
        text,
        new RegExp(`name="end_time" type="datetime-local"[^>]* value="${given.slice(0, 16)}"`),
      );
    }
  });

  test('says what is wrong beside the field, in the words of the interface, and gives no file', async () => {
    const { client, page } = await opened({ meetings: spread });
    const wrong = [
      [
        'column[]=name&reporting_days=custom',
        'start_time',
        'From is required for the range “Meetings between two times”',
      ],
      [
        'column[]=name&reporting_days=custom&start_time=2026-11-20T18:00',
        'end_time',
        'To is required for the range “Meetings between two times”',
      ],
      [
        'column[]=name&reporting_days=all&start_time=2026-11-20T18:00',
        'end_time',
        'To is required if From is set',
      ],
      ['column[]=name&reporting_days=today&end_time=tomorrow', 'start_time', 'From is required if To is set'],
      [
        'column[]=name&reporting_days=all&start_time=2026-11-20T18:01&end_time=2026-11-20T18:00',
        'end_time',
        'To must not be before From',
      ],
      [
        'column[]=name&reporting_days=all&start_time=02/30/2026 10:00 AM&end_time=11/20/2026 10:00 AM',
        'start_time',
        'From must be an existing date and time in the format MM/DD/YYYY HH:MM AM/PM, such as 11/20/2026 06:30 PM',
      ],
      [
        'column[]=name&reporting_days=tomorrow',
        'reporting_days',
        'Range must be one of all, all_past, all_upcoming, today, current_month, last_week, last_month, custom',
      ],
      ['column[]=name&report_type=none', 'report_type', 'Report must be one of all_meetings, eap_meetings'],
      ['column[]=seats', 'column', /^Columns: &quot;seats&quot; is not one of name, .*start_time, /],
      ['reporting_days=all', 'column', 'Select at least one column'],
    ] as const;
    for (const [query, field, problem] of wrong) {
      for (const path of [page, `${page}/meetings.json`, `${page}/meetings.csv`]) {
        const answer = await client.open(`${path}?${encodeURI(query)}`);
        assert.deepEqual([answer.status, heading(answer.text)], [422, undefined], path);
        assert.match(answer.text, /<title>Error: /);
        assert.equal(answer.headers.get('content-disposition'), null);
        const said = fieldProblem(answer.text, field) ?? '';
        if (typeof problem === 'string') assert.equal(said, problem);
        else assert.match(said, problem);
      }
    }
  });

  test('says so where nothing is in the range, and gives a file all the same to whoever asks for it', async () => {
    const { client, page } = await opened();
    const { status, text } = await client.open(page);
    assert.deepEqual([status, heading(text)], [200, '0 meetings']);
    assert.match(readableText(text), /No meetings in this range\. Choose another one/);
    assert.match(readableText(text), /By week No meetings in these weeks\. Weeks begin on Monday/);
    assert.doesNotMatch(text, /<svg viewBox="0 0 340 150"|Show as a table/);
    assert.doesNotMatch(text, /Download/);
    assert.equal((await client.open(`${page}/meetings.json`)).text, '{"success":true,"meetings":[]}');
  });

  test('shows ten rows of many, with the number of all', async () => {
    const meetings = Array.from({ length: 1234 }, (_, index) =>
      aMeeting(index + 1, { name: `Number ${index + 1}.`, status: 'complete' }),
    );
    const { client, page } = await opened({ meetings });
    const { text } = await client.open(page);
    assert.equal(heading(text), '1,234 meetings');
    assert.match(readableText(text), /These are the first 10\./);
    assert.deepEqual(
      [...text.matchAll(/Number (\d+)\./g)].map(([, number]) => Number(number)),
      Array.from({ length: 10 }, (_, index) => index + 1),
    );
  });

  test('names that are markup, endless, from right to left or formulas stay text', async () => {
    const texts = [...hostileTexts.filter((text) => !text.includes('\0')), '=1+1', 'W'.repeat(300)];
    const meetings = texts
      .slice(0, 10)
      .map((name, index) => aMeeting(index + 1, { name, topic: name, status: 'complete' }));
    const { client, page } = await opened({ meetings });
    const { status, text } = await client.open(page);
    assert.equal(status, 200);
    assert.doesNotMatch(
      text,
      /<script(?! type="module" src="\/assets\/rollcall\.js)|<img src=x|<svg\/onload/,
    );
    assert.doesNotMatch(text, / style="/);
  });

  test('is answered with a page whatever its address holds', async () => {
    const { client, page } = await opened({ meetings: spread });
    const odd = ['%', '%00', '%ff', '%F0%9F%98%80', '<script>', '[]', '{"a":1}', 'x'.repeat(500)];
    const fields = ['column', 'column[]', 'reporting_days', 'start_time', 'end_time', 'report_type', 'x'];
    for (const value of odd) {
      const queries = fields.map((name) => `${name}=${value}&column[]=name&${name}=${value}`);
      for (const address of [...queries, queries.join('&'), `${value}&${value}=`].map(
        (query) => `${page}?${query}`,
      )) {
        const { status, text } = await client.open(address);
        assert.ok([200, 422].includes(status), `${status} ${address}`);
        assert.doesNotMatch(text, /<script>/);
      }
      assert.equal((await client.open(`${page}/meetings.csv?${queries.join('&')}`)).status, 422);
    }
  });
});

describe('The file of the export', () => {
  const query =
    'column[]=name&column[]=start_time&column[]=price&column[]=group_leader_id&column[]=eap&reporting_days=all_upcoming';

  test('as JSON is what the interface answers, to the byte', async () => {
    const { client, page, own } = await opened({ meetings: spread });
    const file = await client.open(`${page}/meetings.json?${query}`);
    assert.equal(file.status, 200);
    assert.equal(file.text, (await own.get(`/export_meetings?${query}`)).text);
    assert.match(file.text, /"name":"Tonight"/);
    assert.equal(file.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename=meetings.json');
  });

  test('as CSV has a header with labels, and formulas are text', async () => {
    const { client, page } = await opened({
      meetings: [
        aMeeting(1, {
          name: '=HYPERLINK("https://evil.example")',
          price: 12.5,
          ...at('2026-11-21T10:00:00.000Z'),
        }),
        aMeeting(2, { name: '@home, "quoted"', eap: true, ...at('2026-11-22T10:00:00.000Z') }),
      ],
    });
    const { status, text, headers } = await client.open(`${page}/meetings.csv?${query}`);
    assert.equal(status, 200);
    // fetch takes the byte order mark away.
    assert.deepEqual(text.split('\r\n'), [
      '"Name","Start Time","Price","Group Leader","EAP Meeting"',
      '"\'=HYPERLINK(""https://evil.example"")",2026-11-21T10:00:00.000Z,12.5,,false',
      '"\'@home, ""quoted""",2026-11-22T10:00:00.000Z,0,,true',
      '',
    ]);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(headers.get('content-disposition'), 'attachment; filename=meetings.csv');
  });

  test('is stored nowhere, never run, and has a head without a body for whoever asks for that', async () => {
    const { client, page } = await opened({ meetings: spread });
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await client.open(`${page}/meetings.csv?${query}`, { method });
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      assert.ok(headers.get('x-request-id'));
      assert.deepEqual(headers.getSetCookie(), []);
      assert.equal(text === '', method === 'HEAD');
    }
  });

  test('is no file at any other name, nor by POST', async () => {
    const { client, page } = await opened({ meetings: spread });
    for (const name of ['meetings.xml', 'meetings', 'other.csv', 'meetings.csv/x'])
      assert.equal((await client.open(`${page}/${name}`)).status, 404, name);
    for (const path of [page, `${page}/meetings.csv`]) {
      const { status, headers } = await client.send({ path, fields: {} });
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
    }
  });

  const begin = ({ page, client }: Opened): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const Cookie = [...client.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
      httpRequest({
        port: site.port,
        path: `${page}/meetings.csv?column[]=name`,
        headers: { Cookie, Accept: 'text/html' },
      })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });

  function endlessRows() {
    const seen = { given: 0, isGivenUp: false };
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          seen.given += 1;
          yield Buffer.alloc(64 * 1024, '0');
        }
      } finally {
        seen.isGivenUp = true;
      }
    };
    return { seen, chunks };
  }

  test('leaves row by row: a reader who stops is waited for, and when they leave the rows are given up', async (t) => {
    const all = await opened();
    const before = site.reports.length;
    const { seen, chunks } = endlessRows();
    exporting(t, chunks);
    const response = await begin(all);
    response.pause();
    let given = 0;
    for (let before = -1; given !== before && given < 500; await pause(200))
      [before, given] = [given, seen.given];
    assert.ok(given < 500, `${given} chunks of 64 KB`);
    assert.equal(seen.isGivenUp, false);
    response.destroy();
    await eventually(() => assert.equal(seen.isGivenUp, true));
    assert.equal(site.reports.length, before);
  });

  test('is cut off where rows fail on the way, and never looks whole', async (t) => {
    const all = await opened();
    const before = site.reports.length;
    exporting(t, async function* () {
      yield Buffer.from('"row"\r\n');
      await pause(20);
      throw new Error('gone');
    });
    const response = await begin(all);
    let text = '';
    await new Promise<void>((resolve) =>
      response
        .on('data', (chunk) => {
          text += chunk;
        })
        .on('error', () => undefined)
        .on('close', resolve),
    );
    assert.deepEqual([text, response.complete], ['\ufeff"Name"\r\n"row"\r\n', false]);
    assert.equal(site.reports.length, before + 1);
  });

  for (const [error, status] of [
    [new Unavailable('away'), 503],
    [new Error('gone'), 500],
  ] as const) {
    test(`is a page that says so where the rows can't be had at all (${status})`, async (t) => {
      const { client, page } = await opened();
      t.after(site.replace('meetings', { export: () => Promise.reject(error) }));
      for (const path of [page, `${page}/meetings.csv`]) {
        const answer = await client.open(path);
        assert.equal(answer.status, status, path);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        assert.equal(answer.headers.get('content-disposition'), null);
      }
    });
  }
});

describe('Who may see the export', () => {
  const paths = (id: number) =>
    ['', '/meetings.json', '/meetings.csv'].map((file) => `/organizations/${id}/export${file}`);

  test('admins and owners do; members get the page of what does not exist', async () => {
    for (const [role, status] of [
      ['owner', 200],
      ['admin', 200],
      ['member', 404],
    ] as const) {
      const { client, own } = await opened({ role, meetings: spread });
      for (const path of paths(own.id))
        assert.equal((await client.open(path)).status, status, `${role} ${path}`);
      const links = (await client.open(`/organizations/${own.id}/meetings`)).text;
      assert.equal(links.includes(`href="/organizations/${own.id}/export"`), status === 200, role);
    }
  });

  test('another organization looks like one that does not exist', async () => {
    const { client } = await opened();
    await site.load({ organizations: [anOrganization(7001, { name: 'Contoso' })] });
    const texts = async (id: number) =>
      Promise.all(
        paths(id).map(async (path) => {
          const { status, text } = await client.open(path);
          return [status, text.replace(/<code>[^<]*<\/code>/, '')];
        }),
      );
    const other = await texts(7001);
    assert.deepEqual(other, await texts(7002));
    assert.equal(other[0]?.[0], 404);
  });

  test('whoever came by a link sees none of it, and whoever is not signed in signs in first', async () => {
    const { own } = await opened();
    const { url } = await site.core.issueLoginLink({
      organization: { id: own.id },
      uuid: aUser(own.id).uuid,
    });
    const bound = site.browser();
    await bound.fillIn(new URL(url).pathname, {});
    for (const path of paths(own.id)) {
      assert.equal((await bound.open(path)).status, 403, path);
      const stranger = await site.browser().open(`${path}?column[]=name&reporting_days=today`);
      assert.equal(stranger.status, 303, path);
      assert.equal(stranger.location, `/sign-in?next=${encodeURIComponent(paths(own.id)[0] ?? '')}`);
    }
  });

  test('looking, previewing and downloading change nothing', async (t) => {
    const other = await startPageSite(t);
    await other.load({ organizations: [anOrganization(1)], meetings: spread });
    await other.addUser({ id: 100, password, organizations: [1], role: 'admin' });
    const client = other.visitor();
    await client.fillIn('/sign-in', { email: 'user-100@example.test', password });
    await client.open('/organizations/1/meetings');
    const before = other.changes.filter((change) => !change.startsWith('sessions.'));
    for (const path of paths(1)) {
      const { status, headers } = await client.open(`${path}?column[]=name&reporting_days=all`);
      assert.deepEqual([status, headers.getSetCookie()], [200, []]);
    }
    assert.deepEqual(
      other.changes.filter((change) => !change.startsWith('sessions.')),
      before,
    );
  });
});

describe('The chart of weeks', () => {
  const meetings = [
    aMeeting(1, { maxAttendees: 10, status: 'complete', ...at('2026-09-21T08:00:00.000Z') }),
    aMeeting(2, { maxAttendees: 12, ...at('2026-11-20T18:00:00.000Z') }),
    aMeeting(3, { maxAttendees: 8, ...at('2026-11-22T23:30:00.000Z') }),
    aMeeting(4, { maxAttendees: 1000, status: 'cancel', ...at('2026-11-20T18:00:00.000Z') }),
    aMeeting(5, { maxAttendees: 99, ...at('2028-01-01T10:00:00.000Z') }),
  ];
  const rows = (html: string): readonly (readonly string[])[] => {
    const table = html.slice(html.indexOf('Meetings and seats per week'), html.indexOf('</details>'));
    return [...table.matchAll(/<tr>(.*?)<\/tr>/g)]
      .map(([, row = '']) =>
        [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => readableCell(cell)),
      )
      .filter((cells) => cells.length > 0);
  };

  test('has each week’s meetings and seats in words and as bars, and what is cancelled or far away in none', async () => {
    const { client, page } = await opened({ meetings, seats: [2, 3] });
    const { text } = await client.open(page);
    const all = rows(text);
    assert.equal(all.length, 17);
    assert.deepEqual(all[0], ['2026-W39', '21 Sept', '1', '0', '10']);
    assert.deepEqual(all[8], ['2026-W47 (this week)', '16 Nov', '2', '2', '20']);
    assert.deepEqual(
      all.flatMap(([week, , count]) => (count === '0' ? [] : [week])),
      ['2026-W39', '2026-W47 (this week)'],
    );
    assert.equal(text.match(/<svg viewBox="0 0 340 150" role="img" aria-label="/g)?.length, 2);
    assert.match(text, /aria-label="Meetings per week from 21 Sept to 11 Jan\. This week: 2 meetings\. /);
    assert.match(text, /This week: 20 seats offered, 2 seats taken/);
    assert.match(text, /Weeks begin on Monday in UTC\./);
  });

  test('draws each bar as high as its number', async () => {
    const { client, page } = await opened({ meetings, seats: [2, 3] });
    const { text } = await client.open(page);
    const [first = '', second = ''] = text.match(/<svg viewBox.*?<\/svg>/g) ?? [];
    const heights = (svg: string, tone: string): readonly number[] =>
      [...svg.matchAll(new RegExp(`<rect class="${tone}"[^>]* height="([\\d.]+)"`, 'g'))].map(([, height]) =>
        Number(height),
      );
    // The plot is 116 high and ends at 2 meetings, and at 20 seats.
    assert.deepEqual(
      heights(first, 'full').filter((height) => height > 0),
      [58, 116],
    );
    assert.deepEqual([heights(second, 'pale')[0], heights(second, 'pale')[8]], [58, 116]);
    assert.equal(heights(second, 'full')[8], 11.6);
    assert.equal(heights(first, 'full').length, 17);
    assert.doesNotMatch(first + second, / style=|NaN|<script|href=/);
  });

  test('begins its weeks in the organization’s own zone, which presets are read in as well', async () => {
    const { client, page, own } = await opened({ meetings, seats: [2, 3] });
    await site.core.setTimeZone({ organization: { id: own.id }, timeZone: 'Pacific/Kiritimati' });
    const { text } = await client.open(page);
    assert.match(text, /Weeks begin on Monday in Pacific\/Kiritimati\./);
    assert.match(text, /Days begin at midnight in Pacific\/Kiritimati\./);
    // There Sunday 23:30 in UTC is Monday.
    assert.deepEqual(rows(text)[9], ['2026-W48', '23 Nov', '1', '1', '8']);
  });
});

function readableCell(html: string): string {
  return html.replace(/<[^>]*>/g, '');
}
