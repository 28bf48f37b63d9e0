import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, hostileTexts } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { names, spread, useExportSite } from '#test/support/page/export-site.js';

const { site, openExport, replaceExportRows } = useExportSite();

const shownNames = (html: string): readonly string[] =>
  names.filter((name) => html.includes(`<bdi>${name}</bdi>`));
const checkedColumns = (html: string): readonly string[] =>
  [...html.matchAll(/<input type="checkbox"[^>]* value="([^"]*)" checked/g)].map(([, key = '']) => key);
const fieldProblem = (html: string, field: string): string | undefined =>
  new RegExp(`class="field-problem" id="${field}-hint">([^<]*)<`).exec(html)?.[1];
const count = (html: string): string | undefined =>
  /<p class="count" id="count" role="status" data-live="true"[^>]*><strong>([\d,]+ meetings?)</.exec(
    html,
  )?.[1];
/** The labels of the checkboxes, in the order of the form. */
const columnLabels = (html: string): readonly string[] =>
  [...html.matchAll(/<label for="column\[\]-[a-z_]+">([^<]*)</g)].map(([, label = '']) => label);

describe('The page of the export', () => {
  test('opens with the default columns of the completed meetings, their number and the first rows', async () => {
    const { client, page } = await openExport({ meetings: spread });
    const { status, text } = await client.open(page);
    assert.equal(status, 200);
    assert.deepEqual(checkedColumns(text), [
      'name',
      'start_time',
      'duration',
      'status',
      'topic',
      'host',
      'max_attendees',
    ]);
    assert.equal(count(text), '3 meetings');
    assert.deepEqual(shownNames(text), ['Long ago', 'Last month', 'Last week']);
    assert.match(text, /<option value="all" selected>/);
    assert.match(text, /<h1>Export meetings<\/h1>/);
    assert.match(text, /aria-current="page">Meetings</);
  });

  test('offers the report about a program to an organization that runs one', async () => {
    const { client, page } = await openExport({ eap: false });
    const offers = async (query: string) => /name="report_type"/.test((await client.open(page + query)).text);
    assert.deepEqual([await offers(''), await offers('?report_type=eap_meetings')], [false, true]);
  });

  test('shows range, columns in groups, number and downloads in this order, and times for the range that needs them', async () => {
    const { client, page } = await openExport({ meetings: spread });
    const { text } = await client.open(page);
    const [html = ''] = /<form id="export".*?<\/form>/s.exec(text) ?? [];
    const form = readableText(html);
    assert.match(
      form,
      /Range .* Report .* From .* To Columns .* Basics Name Start Time Duration .* Details Meeting Type .* Booking Price .* For programs ID Updated 3 meetings As of the last preview: press “Preview” to count again\. Download CSV Download JSON Preview$/,
    );
    assert.equal(html.match(/<fieldset><legend>/g)?.length, 4);
    assert.match(text, /<fieldset class="times columns" data-needed-for="reporting_days=custom">/);
    assert.match(
      text,
      /<button type="submit" class="button primary"[^>]*\/export\/meetings\.csv"><svg.*?<\/svg>Download CSV</,
    );
    for (const query of ['reporting_days=custom&column[]=name', 'reporting_days=all'])
      assert.match(
        await client.read(`${page}?${query}`),
        /Complete the form to count the meetings\. Download CSV Download JSON Preview/,
      );
  });

  test('says that its default leaves out meetings that “Everything” has, and has no id unless it is chosen', async () => {
    const { client, page } = await openExport({ meetings: spread });
    const { text, words } = await client.open(page);
    assert.match(text, /<option value="all" selected[^>]*>Completed meetings</);
    assert.match(
      words,
      /“Completed meetings” leaves out upcoming and canceled ones\. “Everything” has them all\./,
    );
    for (const column of ['id', 'updated_at']) {
      assert.ok(text.includes(`value="${column}"`), column);
      assert.ok(!checkedColumns(text).includes(column), column);
    }
  });

  test('says so if three exports of the organization are already running', async (t) => {
    const { client, page } = await openExport({ meetings: spread });
    replaceExportRows(t, () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          throw new Refusal('too-many-requests', 'At most 3 exports run at the same time', 10);
        },
      }),
    }));
    const { status, headers, words } = await client.open(`${page}/meetings.csv?column[]=name`);
    assert.deepEqual([status, headers.get('retry-after')], [429, '10']);
    assert.match(words, /At most 3 exports run at the same time\./);
  });

  test('every column can be selected, alone and with all others, and they keep the order of the form', async () => {
    const { client, page } = await openExport({ meetings: spread });
    const heads = (html: string): readonly string[] =>
      [...html.slice(html.indexOf('id="preview-title"')).matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(
        ([, label = '']) => label,
      );
    for (const { key, label } of exportColumns) {
      const { text } = await client.open(`${page}?column[]=${key}&reporting_days=all`);
      assert.deepEqual([checkedColumns(text), heads(text)], [[key], [label]]);
    }
    const { text } = await client.open(`${page}?tick=all`);
    assert.deepEqual(heads(text), columnLabels(text));
    assert.deepEqual(columnLabels(text).toSorted(), exportColumns.map(({ label }) => label).toSorted());
  });

  test('tells owners to fill in the access key, and others to ask an owner for it', async () => {
    for (const [role, text] of [
      ['owner', /Export with the API Fill in the access key first\. The guide/],
      ['admin', /Export with the API Ask an owner of your organization for the access key\. The guide/],
    ] as const) {
      const { client, page } = await openExport({ role, meetings: spread });
      assert.match(await client.read(`${page}?column[]=name`), text);
    }
  });

  test('its buttons select all columns or the default ones, and keep everything else of the form', async () => {
    const { client, page } = await openExport({ meetings: spread });
    const times = 'start_time=2026-11-01T00:00&end_time=2026-12-31T00:00';
    const rest = `reporting_days=custom&report_type=eap_meetings&${times}`;
    const defaults = checkedColumns((await client.open(page)).text);
    for (const [value, columns] of [
      ['all', exportColumns.map(({ key }) => key)],
      ['defaults', defaults],
      ['nothing', ['eap']],
    ] as const) {
      const { status, text } = await client.open(`${page}?column[]=eap&${rest}&tick=${value}`);
      assert.deepEqual([status, checkedColumns(text).toSorted()], [200, columns.toSorted()], value);
      for (const chosen of ['<option value="custom" selected', '<option value="eap_meetings" selected'])
        assert.ok(text.includes(chosen), chosen);
      for (const time of ['2026-11-01T00:00', '2026-12-31T00:00'])
        assert.ok(text.includes(`value="${time}"`));
      assert.equal(count(text), '1 meeting');
    }
    const none = await client.open(`${page}?column[]=eap&${rest}&tick=none`);
    assert.deepEqual([none.status, checkedColumns(none.text)], [200, []]);
    assert.match(none.words, /Complete the form to count the meetings\./);
    assert.doesNotMatch(none.text, /Select at least one column|As of the last preview/);
    const { text } = await client.open(page);
    assert.match(text, /<noscript><p[^>]*>As of the last preview/);
    for (const value of ['all', 'none', 'defaults']) {
      const button = `<button type="submit" class="button quiet small" name="tick" value="${value}" formaction="${page}#columns">`;
      assert.ok(text.includes(button), value);
    }
  });

  test('its filters mean the same as in the API', async () => {
    const { client, page, own } = await openExport({ meetings: spread });
    const choices = [
      '',
      'reporting_days=all',
      'reporting_days=all_past',
      'reporting_days=all_upcoming',
      'reporting_days=today',
      'reporting_days=current_month',
      'reporting_days=last_week',
      'reporting_days=last_month',
      'reporting_days=everything',
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
        shownNames(text),
        meetings.map(({ name }) => name),
        choice,
      );
      assert.equal(count(text), `${meetings.length} meeting${meetings.length === 1 ? '' : 's'}`);
      counts.add(meetings.length);
    }
    assert.ok(counts.size > 2);
  });

  test('counts, shows and links the meetings of a repeated hour and of a whole last minute', async () => {
    const starts = ['2026-11-01T05:15:00', '2026-11-01T06:59:59', '2026-11-01T07:00:00'];
    const { client, page, own } = await openExport({
      meetings: starts.map((time, index) =>
        aMeeting(index + 1, { name: `At ${time}`, startTime: new Date(`${time}Z`) }),
      ),
    });
    const shown = async (query: string) => {
      const path = `${page}?column[]=name&reporting_days=custom&${query}`;
      const { text } = await client.open(path);
      const file = await client.open(path.replace('?', '/meetings.csv?'));
      const linked = /export_meetings\?[^"<]*/.exec(text)?.[0].replaceAll('&amp;', '&') ?? '';
      const { meetings } = (await own.get(`/${linked}`)).json as { readonly meetings: readonly unknown[] };
      const found = starts.filter((time) => text.includes(`<bdi>At ${time}</bdi>`));
      assert.deepEqual(
        [found.length, starts.filter((time) => file.text.includes(time)).length],
        [meetings.length, meetings.length],
      );
      return found;
    };
    const organization = { id: own.id };
    await site().core.setTimeZone({ organization, timeZone: 'America/New_York' });
    assert.deepEqual(
      await shown('start_time=2026-11-01T01:15&end_time=2026-11-01T01:59'),
      starts.slice(0, 2),
    );
    assert.deepEqual(await shown('start_time=2026-11-01T02:00&end_time=2026-11-01T02:00'), starts.slice(2));
  });

  test('accepts times as a browser’s field sends them, and shows them in the field again', async () => {
    const { client, page } = await openExport({ meetings: spread });
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

  test('shows each problem next to its field, and sends no file', async () => {
    const { client, page } = await openExport({ meetings: spread });
    const wrong = [
      ['column[]=name&reporting_days=custom', 'start_time', 'Enter a start'],
      ['column[]=name&reporting_days=custom&start_time=2026-11-20T18:00', 'end_time', 'Enter an end'],
      ['column[]=name&reporting_days=all&start_time=2026-11-20T18:00', 'end_time', 'Enter an end'],
      ['column[]=name&reporting_days=today&end_time=tomorrow', 'start_time', 'Enter a start'],
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
        'Range must be one of all, all_past, all_upcoming, today, current_month, last_week, last_month, custom, everything',
      ],
      ['column[]=name&report_type=none', 'report_type', 'Report must be one of all_meetings, eap_meetings'],
      ['column[]=seats', 'column', /^Columns: &quot;seats&quot; is not one of name, .*start_time, /],
      ['reporting_days=all', 'column', 'Select at least one column'],
    ] as const;
    for (const [query, field, problem] of wrong) {
      for (const path of [page, `${page}/meetings.json`, `${page}/meetings.csv`]) {
        const answer = await client.open(`${path}?${encodeURI(query)}`);
        assert.deepEqual([answer.status, count(answer.text)], [422, undefined], path);
        assert.match(answer.text, /<title>Error: /);
        assert.equal(answer.headers.get('content-disposition'), null);
        const message = fieldProblem(answer.text, field) ?? '';
        if (typeof problem === 'string') assert.equal(message, problem);
        else assert.match(message, problem);
      }
    }
  });

  test('says so if no meetings are in the range, and still sends a file on request', async () => {
    const { client, page } = await openExport();
    const { status, text, words } = await client.open(page);
    assert.deepEqual([status, count(text)], [200, '0 meetings']);
    assert.match(words, /No meetings in this range\. Choose another one\. Preview everything/);
    assert.equal((await client.open(`${page}/meetings.json`)).text, '{"success":true,"meetings":[]}');
  });

  test('shows the first ten rows, and the total number', async () => {
    const meetings = Array.from({ length: 1234 }, (_, index) =>
      aMeeting(index + 1, { name: `Number ${index + 1}.`, status: 'complete' }),
    );
    const { client, page } = await openExport({ meetings });
    const { text, words } = await client.open(page);
    assert.equal(count(text), '1,234 meetings');
    assert.match(words, /These are the first 10\./);
    assert.deepEqual(
      [...text.matchAll(/Number (\d+)\./g)].map(([, number]) => Number(number)),
      Array.from({ length: 10 }, (_, index) => index + 1),
    );
  });

  test('names that are markup, very long, right-to-left or formulas are shown as text', async () => {
    const texts = [...hostileTexts.filter((text) => !text.includes('\0')), '=1+1', 'W'.repeat(300)];
    const meetings = texts
      .slice(0, 10)
      .map((name, index) => aMeeting(index + 1, { name, topic: name, status: 'complete' }));
    const { client, page } = await openExport({ meetings });
    const { status, text } = await client.open(page);
    assert.equal(status, 200);
    assert.doesNotMatch(
      text,
      /<script(?! type="module" src="\/assets\/rollcall\.js)|<img src=x|<svg\/onload/,
    );
    assert.doesNotMatch(text, / style="/);
  });

  test('is a page whatever its query contains', async () => {
    const { client, page } = await openExport({ meetings: spread });
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
