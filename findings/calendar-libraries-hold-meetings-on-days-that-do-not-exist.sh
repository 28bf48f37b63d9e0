#!/usr/bin/env bash
# What comes on the 31st, on 29 February or in the hour that is skipped: two calendar libraries hold it at times of their own.
#
# Library    node-ical 0.26.1 (with rrule-temporal 1.6.0) and ical.js 2.2.1
# Behaviour  A rule can give a day or a time that does not exist; RFC 5545 says that such an occurrence is ignored and not
#            counted, so a monthly meeting from 31 January on has none in February. node-ical holds it on 28 February, and from
#            then on on the 28th of every month. ical.js leaves out the 31st, but holds what is yearly from 29 February on 1
#            March. A daily one at 02:30 takes place in the night that has no 02:30, too: with node-ical at 03:30, and at 03:30 on
#            every day after it; with ical.js at 01:30 for that once, though its text still says 02:30. As it is counted, a series
#            of four also ends a day early.
# Source     RFC 5545 section 3.3.10 (invalid dates and nonexistent local times), and the output below, seen on Node 20.20.2 on
#            2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund node-ical@0.26.1 rrule-temporal@1.6.0 ical.js@2.2.1
cat >try.mjs <<'JS'
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';

const calendar = (start, rule) => [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//example.test//meetings//EN',
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'BEGIN:DAYLIGHT',
  'DTSTART:19970330T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'DTSTART:19961027T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'UID:1@example.test',
  'DTSTAMP:20230101T000000Z',
  `DTSTART;TZID=Europe/Berlin:${start}`,
  `RRULE:${rule}`,
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

function nodes(text) {
  const event = Object.values(nodeIcal.sync.parseICS(text)).find((one) => one.type === 'VEVENT');
  const range = { from: new Date('2023-01-01'), to: new Date('2033-01-01') };
  return nodeIcal.expandRecurringEvent(event, range).map((one) => one.start);
}

function icals(text) {
  const component = new ICAL.Component(ICAL.parse(text));
  const iterator = new ICAL.Event(component.getFirstSubcomponent('vevent')).iterator();
  const starts = [];
  for (let next = iterator.next(); next; next = iterator.next()) starts.push(next.toJSDate());
  return starts;
}

const berlin = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' });
for (const [start, rule] of [
  ['20260131T190000', 'FREQ=MONTHLY;COUNT=4'],
  ['20240229T190000', 'FREQ=YEARLY;COUNT=3'],
  ['20260328T023000', 'FREQ=DAILY;COUNT=4'],
]) {
  console.log(start, rule);
  const text = calendar(start, rule);
  console.log('  node-ical', nodes(text).map((date) => berlin.format(date)).join(', '));
  console.log('  ical.js  ', icals(text).map((date) => berlin.format(date)).join(', '));
}
JS
diff - <(node try.mjs) <<'SEEN'
20260131T190000 FREQ=MONTHLY;COUNT=4
  node-ical 2026-01-31 19:00, 2026-02-28 19:00, 2026-03-28 19:00, 2026-04-28 19:00
  ical.js   2026-01-31 19:00, 2026-03-31 19:00, 2026-05-31 19:00, 2026-07-31 19:00
20240229T190000 FREQ=YEARLY;COUNT=3
  node-ical 2024-02-29 19:00, 2025-02-28 19:00, 2026-02-28 19:00
  ical.js   2024-02-29 19:00, 2025-03-01 19:00, 2026-03-01 19:00
20260328T023000 FREQ=DAILY;COUNT=4
  node-ical 2026-03-28 02:30, 2026-03-29 03:30, 2026-03-30 03:30, 2026-03-31 03:30
  ical.js   2026-03-28 02:30, 2026-03-29 01:30, 2026-03-30 02:30, 2026-03-31 02:30
SEEN
echo 'as described'
