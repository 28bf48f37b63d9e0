import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting } from '@rollcall/core/testing';
import { at, type ExportFixtures, useExportSite } from '#test/support/page/export-site.js';

const { site, openExport: openSite } = useExportSite();

async function openWeeks(given: ExportFixtures) {
  const opened = await openSite(given);
  return { ...opened, page: `/organizations/${opened.own.id}/all-meetings/weeks` };
}

describe('The chart of weeks', () => {
  const meetings = [
    aMeeting(1, { maxAttendees: 10, status: 'complete', ...at('2026-10-05T08:00:00.000Z') }),
    aMeeting(2, { maxAttendees: 12, ...at('2026-11-20T18:00:00.000Z') }),
    aMeeting(3, { maxAttendees: 8, ...at('2026-11-22T23:30:00.000Z') }),
    aMeeting(4, { maxAttendees: 1000, status: 'cancel', ...at('2026-11-20T18:00:00.000Z') }),
    aMeeting(5, { maxAttendees: 99, ...at('2028-01-01T10:00:00.000Z') }),
  ];
  const rows = (html: string): readonly (readonly string[])[] => {
    const from = html.indexOf('Meetings and seats per week');
    const table = html.slice(from, html.indexOf('</details>', from));
    return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)]
      .map(([, row = '']) =>
        [...row.matchAll(/<(?:td|th scope="row")[^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) =>
          readableCell(cell),
        ),
      )
      .filter((cells) => cells.length > 0);
  };

  test('shows each week’s meetings and seats as text and as bars, without cancelled and distant meetings', async () => {
    const { client, page } = await openWeeks({ meetings, seats: [2, 3] });
    const { text } = await client.open(page);
    const all = rows(text);
    assert.equal(all.length, 15);
    assert.deepEqual(all[0], ['2026-W41', '5 Oct', '1', '0', '10']);
    assert.deepEqual(all[6], ['2026-W47 (this week)', '16 Nov', '2', '2', '20']);
    assert.deepEqual(
      all.flatMap(([week, , count]) => (count === '0' ? [] : [week])),
      ['2026-W41', '2026-W47 (this week)'],
    );
    assert.equal(text.match(/<svg viewBox="0 0 480 172">/g)?.length, 2);
    assert.match(
      text,
      /Meetings per week <span class="visually-hidden">from 5 Oct to 11 Jan\. This week: 2 meetings\. /,
    );
    assert.match(text, /This week: 20 seats offered, 2 seats taken/);
    assert.match(text, /Weeks begin on Monday in UTC\./);
  });

  test('draws each bar with a height in proportion to its number', async () => {
    const { client, page } = await openWeeks({ meetings, seats: [2, 3] });
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
    assert.deepEqual([heights(second, 'pale')[0], heights(second, 'pale')[6]], [58, 116]);
    assert.equal(heights(second, 'full')[6], 11.6);
    assert.equal(heights(first, 'full').length, 15);
    assert.doesNotMatch(first + second, / style=|NaN|<script/);
  });

  test('tells past weeks from coming ones, names the day and the month of each, and leads to its meetings', async () => {
    const { client, page } = await openWeeks({ meetings });
    const { text } = await client.open(page);
    const [chart = ''] = text.match(/<svg viewBox.*?<\/svg>/) ?? [];
    const weeks = [...chart.matchAll(/<g class="(\w+)"><a href="([^"]*)" aria-label="([^"]*)">(.*?)<\/g>/g)];
    assert.deepEqual(
      weeks.map(([, tense]) => tense),
      [...Array(6).fill('past'), 'current', ...Array(8).fill('coming')],
    );
    const labels = weeks.map(([, , , , inside = '']) =>
      [...inside.matchAll(/<text[^>]*>([^<]*)</g)].map(([, label]) => label).join(' '),
    );
    assert.deepEqual(labels.slice(0, 7), ['1 5 Oct', '12', '19', '26', '2 Nov', '9', '2 16']);
    const [, , href = '', label] = weeks[6] ?? [];
    assert.equal(label, 'This week: 2 meetings');
    const list = await client.read(href.replaceAll('&amp;', '&'));
    assert.match(list, /Meetings 2 meetings and 1 canceled from 16 Nov 2026 to 22 Nov 2026, earliest first/);
    assert.match(text, /Past weeks<.*This week<.*Coming weeks<.*Free seats</s);
  });

  test('says so if there are none', async () => {
    const { client, page } = await openWeeks({ meetings: meetings.slice(3) });
    const { text, words } = await client.open(page);
    assert.match(words, /No meetings in these weeks\. Weeks begin on Monday in UTC\./);
    assert.doesNotMatch(text, /<svg viewBox="0 0 480|Show as a table/);
  });

  test('cuts the bars of one or two outliers, and writes their number on them', async () => {
    const open = async (...counts: readonly number[]) => {
      const { client, page } = await openWeeks({
        meetings: counts.map((maxAttendees, index) =>
          aMeeting(index + 1, {
            maxAttendees,
            ...at(`2026-10-${String(5 + 7 * index).padStart(2, '0')}T10:00:00Z`),
          }),
        ),
      });
      const seats = (await client.open(page)).text.match(/<svg viewBox.*?<\/svg>/g)?.[1] ?? '';
      const heights = [...seats.matchAll(/<rect class="pale"[^>]* height="([\d.]+)"/g)].map(([, height]) =>
        Number(height),
      );
      const cut = [
        ...seats.matchAll(/<path class="cut" [^>]*><\/path><text class="cut-number"[^>]*>([^<]*)</g),
      ];
      return { heights: heights.filter((height) => height > 0), cut: cut.map(([, number]) => number) };
    };
    assert.deepEqual(await open(40, 20, 884, 30), { heights: [116, 58, 116, 87], cut: ['884'] });
    assert.deepEqual((await open(40, 20, 60, 30)).cut, []);
    assert.deepEqual((await open(40, 884)).cut, []);
    assert.deepEqual((await open(40, 20, 1_500_000, 884)).cut, ['1.5M', '884']);
  });

  test('has space for the numbers of its axis, however large they are', async () => {
    for (const [maxAttendees, labels] of [
      [30_000, ['30,000', '15,000', '0']],
      [72_500, ['80,000', '40,000', '0']],
      [99_000, ['100K', '50,000', '0']],
      [2_100_000_000, ['3B', '1.5B', '0']],
    ] as const) {
      const { client, page } = await openWeeks({
        meetings: [aMeeting(1, { maxAttendees, ...at('2026-11-20T18:00:00.000Z') })],
      });
      const { text } = await client.open(page);
      const charts = text.match(/<svg viewBox="0 0 480 172".*?<\/svg>/g) ?? [];
      const axes = charts.map((svg) =>
        [...svg.matchAll(/<text x="([\d.]+)" y="[\d.]+" text-anchor="end">([^<]*)<\/text>/g)]
          .map(([, x, label = '']) => ({ end: Number(x), label }))
          .filter(({ end }) => end < 100),
      );
      assert.deepEqual(
        axes[1]?.map(({ label }) => label),
        labels,
      );
      // The digits of DejaVu Sans are 0.636 em wide, wider than those of the usual fonts.
      for (const { end, label } of axes.flat())
        assert.ok(end - label.length * 0.636 * 12 >= 0, `${label} ends at ${end}`);
      const bars = charts.map((svg) => Number(/<rect[^>]* x="([\d.]+)"/.exec(svg)?.[1]));
      assert.equal(bars[0], bars[1], 'the weeks of both charts are below each other');
      assert.ok(Number(bars[0]) > Number(axes[1]?.[0]?.end));
    }
  });

  test('begins its weeks in the organization’s zone, in which presets are read as well', async () => {
    const { client, page, own } = await openWeeks({ meetings, seats: [2, 3] });
    await site().core.setTimeZone({ organization: { id: own.id }, timeZone: 'Pacific/Kiritimati' });
    const { text } = await client.open(page);
    assert.match(text, /Weeks begin on Monday in Pacific\/Kiritimati\./);
    const list = await client.open(page.replace('/weeks', ''));
    assert.match(list.text, /Days begin at midnight in Pacific\/Kiritimati\./);
    // Sunday 23:30 in UTC is Monday there.
    assert.deepEqual(rows(text)[7], ['2026-W48', '23 Nov', '1', '1', '8']);
  });
});

function readableCell(html: string): string {
  return html.replace(/<[^>]*>/g, '');
}
