import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseClockTime } from '@rollcall/core/rules';
import { Temporal } from 'temporal-polyfill';
import { endOfDay, startOfDay } from '#core/values/day.js';

const at = (text: string, zone: string): readonly (string | undefined)[] => {
  const time = parseClockTime(text, zone);
  return [time?.first, time?.last, time?.end].map((date) => date?.toISOString().replace('.000Z', 'Z'));
};

describe('A time on the clocks of a zone', () => {
  test('is that minute or second, in summer and in winter', () => {
    const first = (text: string, zone: string) => at(text, zone)[0];
    assert.deepEqual(at('2026-11-20T18:00', 'UTC'), [
      '2026-11-20T18:00:00Z',
      '2026-11-20T18:00:00Z',
      '2026-11-20T18:01:00Z',
    ]);
    assert.deepEqual(at('2026-11-20T18:00:59', 'Asia/Kathmandu'), [
      '2026-11-20T12:15:59Z',
      '2026-11-20T12:15:59Z',
      '2026-11-20T12:16:00Z',
    ]);
    assert.equal(first('2026-11-20T18:00', 'Europe/Berlin'), '2026-11-20T17:00:00Z');
    assert.equal(first('2026-07-20T18:00', 'Europe/Berlin'), '2026-07-20T16:00:00Z');
    assert.equal(first('2026-11-20T18:00', 'America/New_York'), '2026-11-20T23:00:00Z');
    assert.equal(first('2026-11-20T18:00', 'Pacific/Kiritimati'), '2026-11-20T04:00:00Z');
  });

  test('that they show twice begins with the first and ends with the second', () => {
    assert.deepEqual(at('2026-10-25T02:30', 'Europe/Berlin'), [
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T01:31:00Z',
    ]);
    assert.deepEqual(at('2026-04-05T01:45:10', 'Australia/Lord_Howe'), [
      '2026-04-04T14:45:10Z',
      '2026-04-04T15:15:10Z',
      '2026-04-04T15:15:11Z',
    ]);
    // Two hours come twice.
    assert.deepEqual(at('2026-10-25T01:30', 'Antarctica/Troll').slice(0, 2), [
      '2026-10-24T23:30:00Z',
      '2026-10-25T01:30:00Z',
    ]);
  });

  test('that they skip is the instant at which they do', () => {
    const skipped = [
      ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
      ['2026-10-04T02:15:59', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
      ['2026-03-29T02:00', 'Antarctica/Troll', '2026-03-29T01:00:00Z'],
      ['2026-04-24T00:59', 'Africa/Cairo', '2026-04-23T22:00:00Z'],
      // A whole day.
      ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
      ['1993-08-21T23:59', 'Pacific/Kwajalein', '1993-08-21T12:00:00Z'],
    ] as const;
    for (const [text, zone, change] of skipped)
      assert.deepEqual(at(text, zone), [change, change, change], zone);
    // Only the second half of this minute exists: the offset was -00:44:30 before.
    assert.deepEqual(at('1972-01-07T00:44', 'Africa/Monrovia'), [
      '1972-01-07T00:44:30Z',
      '1972-01-07T00:44:30Z',
      '1972-01-07T00:45:00Z',
    ]);
  });

  test('is neither another text nor a time that does not exist', () => {
    for (const text of [
      '',
      'soon',
      '2026-11-20',
      '2026-02-30T10:00',
      '2026-11-20T24:00',
      '2026-11-20T29:00',
      '2026-11-20T18:60',
      '2026-11-20T18:00Z',
      '2026-11-20T18:00:60',
      '2026-11-20T18:00:3',
      '2026-11-20T18:00:30Z',
      '2026-11-20T18:00[UTC]',
      ' 2026-11-20T18:00',
      '12026-11-20T18:00',
      '+012026-11-20T18:00',
    ])
      assert.equal(parseClockTime(text, 'UTC'), null, text);
    assert.throws(() => parseClockTime('2026-11-20T18:00', 'Europe/Nowhere'), RangeError);
  });
});

/** Changes of clocks that no zone makes today, each with a time shortly before it. */
const pastChanges = [
  ['1972-01-06T12:00:00Z', 'Africa/Monrovia'],
  ['1993-08-20T12:00:00Z', 'Pacific/Kwajalein'],
  ['2011-12-29T12:00:00Z', 'Pacific/Apia'],
  ['1867-10-18T00:00:00Z', 'America/Juneau'],
  ['2010-11-06T12:00:00Z', 'America/St_Johns'],
  ['1940-05-15T12:00:00Z', 'Europe/Amsterdam'],
  ['1937-06-30T12:00:00Z', 'Europe/Amsterdam'],
  ['1879-12-31T12:00:00Z', 'Europe/Amsterdam'],
  ['2018-11-03T12:00:00Z', 'America/Sao_Paulo'],
] as const;

describe('At each change of the clocks', () => {
  test('of every zone, each minute is the instants at which they show it, and adjoining ones leave nothing out', () => {
    const changes = [
      ...Intl.supportedValuesOf('timeZone').flatMap((zone) =>
        changesOf(zone, { from: '2026-09-01T00:00:00Z', days: 220 }),
      ),
      ...pastChanges.flatMap(([from, zone]) => changesOf(zone, { from, days: 3 })),
    ];
    assert.ok(changes.length > 100, `${changes.length} changes`);
    for (const change of changes)
      for (const minute of minutesAround(change)) {
        const text = new Date(minute * 1000).toISOString().slice(0, 16);
        const time = parseClockTime(text, change.zone);
        const next = parseClockTime(
          new Date(minute * 1000 + MINUTE_MS).toISOString().slice(0, 16),
          change.zone,
        );
        assert.deepEqual(
          [time?.first, time?.end].map((date) => Number(date) / 1000),
          shownAt(minute, change),
          `${text} in ${change.zone}`,
        );
        assert.ok(Number(next?.first) <= Number(time?.end), `after ${text} in ${change.zone}`);
      }
  });

  test('a day is a range that contains each of its instants', () => {
    for (const [from, zone] of [
      ...pastChanges,
      ['2026-04-23T12:00:00Z', 'Africa/Cairo'],
      ['2026-10-29T12:00:00Z', 'Africa/Cairo'],
      ['2026-11-01T03:00:00Z', 'America/Havana'],
      ['2026-09-05T12:00:00Z', 'America/Santiago'],
      ['2026-10-24T12:00:00Z', 'Asia/Beirut'],
    ] as const)
      for (let minute = 0; minute < 3 * 1440; minute += 7) {
        const time = new Date(Date.parse(from) + minute * MINUTE_MS);
        const local = time.getTime() + 1000 * offsetAt(time.getTime() / 1000, zone);
        const day = Temporal.PlainDate.from(new Date(local).toISOString().slice(0, 10));
        assert.ok(
          startOfDay(day, zone) <= time && time < endOfDay(day, zone),
          `${time.toISOString()} in ${zone}`,
        );
      }
  });
});

const MINUTE_MS = 60_000;

/** From `at` on, the clocks are `after` instead of `before` seconds ahead of UTC. */
interface Change {
  readonly zone: string;
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The changes of a zone whose offsets last longer than 20 days. Times are in seconds. */
function changesOf(
  zone: string,
  { from, days }: { readonly from: string; readonly days: number },
): readonly Change[] {
  const start = Date.parse(from) / 1000;
  const step = Math.min(days, 20) * 86_400;
  const found: Change[] = [];
  for (let time = start; time < start + days * 86_400; time += step) {
    const [before, after] = [offsetAt(time, zone), offsetAt(time + step, zone)];
    if (before === after) continue;
    let [low, high] = [time, time + step];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle, zone) === before) low = middle;
      else high = middle;
    }
    found.push({ zone, at: high, before, after });
  }
  return found;
}

/** Minutes on the clock around both edges of a change, and one between them. */
function minutesAround({ at, before, after }: Change): readonly number[] {
  const edges = [at + before, at + after].map((edge) => Math.floor(edge / 60) * 60);
  const middle = Math.floor((at + (before + after) / 2) / 60) * 60;
  return [...edges.flatMap((edge) => [-60, 0, 60].map((by) => edge + by)), middle];
}

/** By the two offsets: from when until when the clocks show the minute. If they don't, both are the change. */
function shownAt(minute: number, { at, before, after }: Change): readonly [number, number] {
  const parts = [
    [minute - before, Math.min(minute + 60 - before, at)],
    [Math.max(minute - after, at), minute + 60 - after],
  ].filter(([start = 0, end = 0]) => start < end) as [number, number][];
  if (parts.length === 0) return [at, at];
  return [Math.min(...parts.map(([start]) => start)), Math.max(...parts.map(([, end]) => end))];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Seconds by which the clocks are ahead of UTC, as the runtime formats them. */
function offsetAt(seconds: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  formats.set(timeZone, format);
  return Date.parse(`${format.format(seconds * 1000).replace(' ', 'T')}Z`) / 1000 - seconds;
}
