#!/usr/bin/env bash
# ts-ics holds "the first Thursday of the month, 18:00" at midnight and loses its first meeting; "the last day" is the last but one.
#
# Library    ts-ics 2.4.6 (`extendByRecurrenceRule`, which lists the dates of a rule), with TZ=UTC; right: ical.js 2.2.1
# Behaviour  A rule that gives the days of a month by weekday takes its time of day from the start. Here its dates have 00:00; the
#            first, which is the start itself, then comes before the start and is left out, so a weekday once a year finds
#            nothing until next year. `BYMONTHDAY=-1` gives the last day but one, 30 December, and the last workday
#            (BYSETPOS=-1) is a workday early. Rules by a positive day of the month are right, so a calendar that shows these
#            says nothing of the others. In another zone of the system the dates differ again.
# Source     RFC 5545 section 3.3.10 (what a rule leaves open comes from DTSTART; BYMONTHDAY=-1 is the last day), and the output below,
#            seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund ts-ics@2.4.6 ical.js@2.2.1
cat >try.mjs <<'JS'
import ICAL from 'ical.js';
import { convertIcsCalendar, extendByRecurrenceRule } from 'ts-ics';

const end = new Date('2026-12-31T23:00:00Z');
function show(start, rule) {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN', 'BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20260901T000000Z'];
  const text = [...head, `DTSTART:${start}`, `RRULE:${rule}`, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const [event] = convertIcsCalendar(undefined, text).events;
  const dates = extendByRecurrenceRule(event.recurrenceRule, { start: event.start.date, end });
  const right = [];
  const dated = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')).iterator();
  for (let next = dated.next(); next && next.toJSDate() <= end; next = dated.next()) right.push(next.toJSDate());
  const written = (dates) => dates.map((date) => date.toISOString().slice(5, 16)).join(' ') || 'none';
  console.log(`${rule}\n  ts-ics:  ${written(dates)}\n  ical.js: ${written(right)}`);
}

show('20261001T180000Z', 'FREQ=MONTHLY;BYMONTHDAY=1');
show('20261001T180000Z', 'FREQ=MONTHLY;BYDAY=1TH');
show('20261029T180000Z', 'FREQ=MONTHLY;BYDAY=-1TH');
show('20261030T180000Z', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1');
show('20261001T180000Z', 'FREQ=YEARLY;BYMONTH=10;BYDAY=1TH');
show('20261031T180000Z', 'FREQ=MONTHLY;BYMONTHDAY=-1');
JS
diff - <(TZ=UTC node try.mjs) <<'SEEN'
FREQ=MONTHLY;BYMONTHDAY=1
  ts-ics:  10-01T18:00 11-01T18:00 12-01T18:00
  ical.js: 10-01T18:00 11-01T18:00 12-01T18:00
FREQ=MONTHLY;BYDAY=1TH
  ts-ics:  11-05T00:00 12-03T00:00
  ical.js: 10-01T18:00 11-05T18:00 12-03T18:00
FREQ=MONTHLY;BYDAY=-1TH
  ts-ics:  11-26T00:00 12-31T00:00
  ical.js: 10-29T18:00 11-26T18:00 12-31T18:00
FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1
  ts-ics:  11-27T00:00 12-30T00:00
  ical.js: 10-30T18:00 11-30T18:00 12-31T18:00
FREQ=YEARLY;BYMONTH=10;BYDAY=1TH
  ts-ics:  none
  ical.js: 10-01T18:00
FREQ=MONTHLY;BYMONTHDAY=-1
  ts-ics:  11-29T18:00 12-30T18:00
  ical.js: 10-31T18:00 11-30T18:00 12-31T18:00
SEEN
echo 'as described'
