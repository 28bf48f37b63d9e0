#!/usr/bin/env bash
# A meeting of a series that is moved from July to June is shown by node-ical neither in June nor in July.
#
# Library    node-ical 0.26.1 (with rrule-temporal 1.6.0)
# Behaviour  `expandRecurringEvent` lists the meetings of a series between two days. It looks first for the dates of the rule that
#            lie there and then replaces those that were moved; one that was moved in from outside is never looked for, and one
#            that was moved out is left out. So a calendar that asks month by month never shows it, while one that asks for the
#            whole year does. Dates added with RDATE are left out without an error. If an invitation holds two single dates of
#            somebody else's series, as calendars send them to a guest of these two, the second is missing.
# Source     The README of node-ical (Expanding recurring events), RFC 5545 sections 3.8.4.4 and 3.8.5.2, and the output below,
#            seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund node-ical@0.26.1 rrule-temporal@1.6.0
cat >try.mjs <<'JS'
import nodeIcal from 'node-ical';

const series = ['DTSTART:20260604T090000Z', 'RRULE:FREQ=WEEKLY;COUNT=6'];
const single = (was, is) => [`RECURRENCE-ID:${was}T090000Z`, `DTSTART:${is}T090000Z`];

function meetings(from, to, ...events) {
  const head = ['BEGIN:VEVENT', 'UID:1@example.test', 'DTSTAMP:20260501T000000Z'];
  const parts = events.flatMap((lines) => [...head, ...lines, 'END:VEVENT']);
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example.test//meetings//EN', ...parts, 'END:VCALENDAR', ''];
  const all = Object.values(nodeIcal.sync.parseICS(lines.join('\r\n'))).filter((one) => one.type === 'VEVENT');
  const range = { from: new Date(`${from}T00:00:00Z`), to: new Date(`${to}T23:59:59Z`) };
  const held = all.flatMap((one) => nodeIcal.expandRecurringEvent(one, range));
  return held.map((one) => one.start.toISOString().slice(5, 10)).join(' ');
}

const moved = [series, single('20260702', '20260629')];
console.log('2 July moved to 29 June, June:', meetings('2026-06-01', '2026-06-30', ...moved));
console.log('2 July moved to 29 June, July:', meetings('2026-07-01', '2026-07-31', ...moved));
console.log('2 July moved to 29 June, both:', meetings('2026-06-01', '2026-07-31', ...moved));
const added = [...series, 'RDATE:20260606T090000Z,20260608T090000Z'];
console.log('6 and 8 June added, June:', meetings('2026-06-01', '2026-06-30', added));
const guest = [single('20260611', '20260611'), single('20260618', '20260618')];
console.log('a guest on 11 and 18 June, June:', meetings('2026-06-01', '2026-06-30', ...guest));
JS
diff - <(node try.mjs) <<'SEEN'
2 July moved to 29 June, June: 06-04 06-11 06-18 06-25
2 July moved to 29 June, July: 07-09
2 July moved to 29 June, both: 06-04 06-11 06-18 06-25 06-29 07-09
6 and 8 June added, June: 06-04 06-11 06-18 06-25
a guest on 11 and 18 June, June: 06-11
SEEN
echo 'as described'
